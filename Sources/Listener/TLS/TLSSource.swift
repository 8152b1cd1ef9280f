package import NIOCore
package import NIOSSL

/// What a connection that begins with TLS is served with.
package enum TLSOffer: Sendable {
    case ready(NIOSSLContext)
    /// A certificate has to be made first, such as for an address that none names yet.
    case later(@Sendable () async throws -> NIOSSLContext)
    case unavailable
}

/// Gives connections their certificate.
package protocol TLSSource: Sendable {
    /// Called on an event loop for every connection that begins with TLS; never blocks.
    /// - Parameter local: this host's end of the connection
    func offer(for local: SocketAddress?) -> TLSOffer
}
