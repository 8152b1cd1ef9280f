import Foundation
package import Listener
package import NIOCore
package import NIOSSL
import TestSupport

/// A certificate of this test run alone.
package enum TestCertificate {
    package static let context: Result<NIOSSLContext, any Error> = Result { try makeContext() }

    private static func makeContext() throws -> NIOSSLContext {
        // The key comes first, then the certificate.
        let pem = Array(
            try Program(
                "/usr/bin/env",
                [
                    "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-keyout", "-", "-days", "1", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                ]
            ).run().utf8)
        return try NIOSSLContext(
            configuration: .listener(
                certificates: try NIOSSLCertificate.fromPEMBytes(pem).map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(bytes: pem, format: .pem))))
    }
}

/// Offers what it was told to.
package struct TestTLS: TLSSource {
    package let give: @Sendable (SocketAddress?) -> TLSOffer

    package init(give: @escaping @Sendable (SocketAddress?) -> TLSOffer) { self.give = give }

    package static let ready = TestTLS { _ in
        switch TestCertificate.context {
        case .success(let context): .ready(context)
        case .failure: .unavailable
        }
    }

    package func offer(for local: SocketAddress?) -> TLSOffer { give(local) }
}
