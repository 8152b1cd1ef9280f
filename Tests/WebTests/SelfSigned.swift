import Crypto
import FoundationEssentials
import Listener
import NIOCore
import NIOSSL
import SwiftASN1
import X509

/// A certificate of a moment, for clients that do not ask whose it is.
struct SelfSigned: TLSSource {
    private let context: NIOSSLContext

    init() throws {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("Safelight test") }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey),
            notValidBefore: Date() - 86_400, notValidAfter: Date() + 86_400, issuer: name, subject: name,
            signatureAlgorithm: .ecdsaWithSHA256, extensions: .init(), issuerPrivateKey: .init(key))
        let pem = try certificate.serializeAsPEM().pemString
        context = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: [.certificate(.init(bytes: Array(pem.utf8), format: .pem))],
                privateKey: .privateKey(.init(bytes: Array(key.pemRepresentation.utf8), format: .pem))))
    }

    func offer(for local: SocketAddress?) -> TLSOffer { .ready(context) }
}
