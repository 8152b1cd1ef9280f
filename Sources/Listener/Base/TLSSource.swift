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

extension TLSConfiguration {
    /// How this host speaks TLS: 1.2 and 1.3, forward secrecy and authenticated encryption only, HTTP/1.1.
    /// - Parameter certificates: the host's own first, then what leads to its authority
    package static func listener(
        certificates: [NIOSSLCertificateSource], privateKey: NIOSSLPrivateKeySource
    ) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates, privateKey: privateKey)
        configuration.minimumTLSVersion = .tlsv12
        // Of TLS 1.2; those of 1.3 are all of this kind.
        configuration.cipherSuiteValues = [
            .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
            .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
            .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        ]
        configuration.applicationProtocols = ["http/1.1"]
        // For the client's goodbye, after ours.
        configuration.shutdownTimeout = .seconds(1)
        return configuration
    }
}
