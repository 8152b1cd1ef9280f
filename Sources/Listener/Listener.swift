package import HummingbirdCore
package import Logging
package import NIOCore
import ServiceLifecycle

/// Listens on one endpoint for HTTP and HTTPS, told apart by a connection's first byte, and keeps every connection
/// within the limits. Told to shut down, it takes no other connection, closes the idle ones and lets requests finish.
package struct Listener: Service {
    private let endpoint: Endpoint
    private let onListening: @Sendable (SocketAddress?) async -> Void

    /// - Parameters:
    ///   - tls: nil where nothing is encrypted; a connection that begins with TLS is closed then
    ///   - census: one for all listeners of the process
    ///   - responder: answers one request
    ///   - onListening: told the address once connections are accepted
    package init(
        endpoint: Endpoint, tls: (any TLSSource)?, limits: ListenerLimits, census: ConnectionCensus, logger: Logger,
        responder: @escaping HTTPChannelHandler.Responder,
        onListening: @escaping @Sendable (SocketAddress?) async -> Void = { _ in }
    ) {
        self.endpoint = endpoint
        self.onListening = onListening
    }

    /// - Throws: `ListenerError.cannotListen`, or `.stoppedListening` if the socket fails later on
    package func run() async throws {
        throw ListenerError.cannotListen(endpoint, reason: "not built")
    }
}
