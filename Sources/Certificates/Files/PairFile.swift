import Crypto
import SwiftASN1
import X509

/// A private key and its certificate in one file, as text (PEM), so that no crash can part them.
struct PairFile: Sendable {
    /// Why a file is no such pair.
    struct Damage: Error, Equatable {
        let reason: String
    }

    private static let keyType = "PRIVATE KEY"

    let certificate: Certificate
    let key: P256.Signing.PrivateKey

    init(certificate: Certificate, key: P256.Signing.PrivateKey) {
        self.certificate = certificate
        self.key = key
    }

    init(text: [UInt8]) throws(Damage) {
        guard let documents = try? PEMDocument.parseMultiple(pemString: String(decoding: text, as: UTF8.self)) else {
            throw Damage(reason: "it is cut off or changed")
        }
        guard let keyDocument = documents.first(where: { $0.discriminator == Self.keyType }),
            let certificateDocument = documents.first(where: { $0.discriminator == Certificate.pemType })
        else { throw Damage(reason: "its key or its certificate is missing") }
        do {
            key = try P256.Signing.PrivateKey(derRepresentation: keyDocument.derBytes)
            certificate = try Certificate(derEncoded: certificateDocument.derBytes)
        } catch {
            throw Damage(reason: "its key or its certificate cannot be read")
        }
        guard Certificate.PublicKey(key.publicKey) == certificate.publicKey else {
            throw Damage(reason: "its key does not belong to its certificate")
        }
    }

    func text() throws -> [UInt8] {
        let certificateText = PEMDocument(type: Certificate.pemType, derBytes: try certificate.der()).pemString
        return Array((key.pemRepresentation + "\n" + certificateText + "\n").utf8)
    }
}
