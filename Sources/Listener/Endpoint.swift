/// Where to listen.
package enum Endpoint: Sendable, Equatable {
    /// An address in numbers, or a name; `::` takes IPv4 too. Port 0 takes any free one.
    case tcp(host: String, port: Int)
    case unix(path: String)
    /// A socket that somebody else has bound: TCP or unix.
    case inherited(descriptor: CInt)
}
