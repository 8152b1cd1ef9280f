import Crypto
import Foundation
package import Listener
package import NIOCore
package import NIOSSL
import SwiftASN1
import X509

/// A certificate of this test run alone.
package enum TestCertificate {
    package static let context: Result<NIOSSLContext, any Error> = Result { try makeContext() }

    private static func makeContext() throws -> NIOSSLContext {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("localhost") }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey),
            notValidBefore: Date.now.addingTimeInterval(-3600), notValidAfter: Date.now.addingTimeInterval(86_400),
            issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try .init { SubjectAlternativeNames([.dnsName("localhost")]) }, issuerPrivateKey: .init(key))
        let pem = try certificate.serializeAsPEM().pemString
        return try NIOSSLContext(
            configuration: .listener(
                certificates: [.certificate(try NIOSSLCertificate(bytes: Array(pem.utf8), format: .pem))],
                privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.pemRepresentation.utf8), format: .pem))))
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
