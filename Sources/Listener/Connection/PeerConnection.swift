package import HummingbirdCore
package import NIOCore

/// The connection that a request came by, as far as the application has to do with it.
package struct PeerConnection: Sendable {
    /// Answers one request.
    package typealias Responder =
        @Sendable (Request, consuming ResponseWriter, PeerConnection) async throws -> Void

    package let channel: any Channel
    /// The link-layer address of the device at the other end, where that is on one of this host's own links.
    package let neighbour: Neighbours.LinkAddress?
    /// To be called when a request has shown an open vault: the connection does not give way to others before those that
    /// have not. Cheap, and any number of times.
    package let noteVault: @Sendable () -> Void
}
