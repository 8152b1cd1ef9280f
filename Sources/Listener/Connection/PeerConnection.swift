package import HummingbirdCore
package import NIOCore

/// The connection that a request came by, as far as the application has to do with it.
package struct PeerConnection: Sendable {
    /// Answers one request.
    package typealias Responder =
        @Sendable (Request, consuming ResponseWriter, PeerConnection) async throws -> Void

    package let channel: any Channel
    private let link: EventLoopFuture<Neighbours.LinkAddress?>

    init(channel: any Channel, link: EventLoopFuture<Neighbours.LinkAddress?>) {
        self.channel = channel
        self.link = link
    }

    /// The link-layer address of the device at the other end, where that is on one of this host's own links; asked for
    /// when the connection began, and there a moment later.
    package var neighbour: Neighbours.LinkAddress? {
        get async { (try? await link.get()) ?? nil }
    }
}
