import Crypto
import FoundationEssentials

/// The Ed25519 public key that a feed must be signed with.
package struct FeedKey: Sendable {
    private let key: Curve25519.Signing.PublicKey

    /// - Parameter text: 32 bytes in base64, or the PEM form that openssl writes
    package init?(_ text: String) {
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }
        guard let bytes = Data(base64Encoded: lines.joined()) else { return nil }
        guard let raw = Self.rawKey(Array(bytes)),
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: raw)
        else { return nil }
        self.key = key
    }

    /// RFC 8410: in a SubjectPublicKeyInfo these twelve bytes stand before the key.
    private static let prefix: [UInt8] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00]

    private static func rawKey(_ bytes: [UInt8]) -> [UInt8]? {
        switch bytes.count {
        case 32: bytes
        case 44 where bytes.starts(with: prefix): Array(bytes.dropFirst(prefix.count))
        default: nil
        }
    }

    /// - Parameters:
    ///   - signature: base64 of 64 bytes, as it stands in `<feed>.sig`; white space around it is left out
    ///   - document: the feed's exact bytes
    package func isSignature(_ signature: [UInt8], of document: [UInt8]) -> Bool {
        let text = String(decoding: signature, as: UTF8.self).filter { !$0.isWhitespace }
        guard let bytes = Data(base64Encoded: text), bytes.count == 64 else { return false }
        return key.isValidSignature(bytes, for: document)
    }
}
