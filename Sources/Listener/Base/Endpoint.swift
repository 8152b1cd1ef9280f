/// Where to listen.
package enum Endpoint: Sendable, Equatable {
    /// An address in numbers, or a name; `::` takes IPv4 too. Port 0 takes any free one.
    case tcp(host: String, port: Int)
    /// A socket file for the daemon's user, and for members of its group unless it is private.
    case unix(path: String, isPrivate: Bool = false)
    /// A socket that somebody else has bound: TCP or unix.
    case inherited(descriptor: CInt)
}
