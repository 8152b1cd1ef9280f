import Foundation
import Signing
import SigningSupport
import Testing

@Suite("Keys and what they sign")
struct KeyTests {
    /// RFC 8032, section 7.1, test 3.
    private enum Published {
        static let seed = bytes("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7")
        static let publicKey = bytes("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025")
        static let message = bytes("af82")
        static let signature = bytes(
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
                + "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a")

        private static func bytes(_ hex: String) -> [UInt8] {
            stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
        }
    }

    @Test("a published signature is that of its message alone")
    func signature() throws {
        let key = try #require(Ed25519PublicKey(bytes: Published.publicKey))
        #expect(key.isSignature(Published.signature, of: Published.message))
        #expect(!key.isSignature(Published.signature, of: Published.message + [0]))
        #expect(!key.isSignature(Published.signature, of: []))
        for wrong in changed(Published.signature) { #expect(!key.isSignature(wrong, of: Published.message)) }
        for wrong in [[], Array(Published.signature.dropLast()), Published.signature + [0]] {
            #expect(!key.isSignature(wrong, of: Published.message))
        }
    }

    @Test("who signs in the tests signs as is published")
    func signer() throws {
        let signer = try Ed25519Signer(seed: Published.seed)
        #expect(signer.publicKey == Published.publicKey)
        #expect(try signer.signature(for: Published.message) == Published.signature)
    }

    @Test("a public key has 32 bytes", arguments: [0, 31, 33, 44])
    func size(count: Int) {
        #expect(Ed25519PublicKey(bytes: [UInt8](repeating: 1, count: count)) == nil)
    }

    @Test("a key that an earlier version wrote is read, and written as it was")
    func earlierKey() throws {
        for name in GoldenPair.names {
            let der = try GoldenPair(name).key
            #expect(try P256PrivateKey(der: der).der() == der)
        }
    }

    @Test("a new key is written in the same form")
    func newKey() throws {
        let der = try P256PrivateKey().der()
        let earlier = try GoldenPair("host").key
        // All but the 32 bytes of the private half and the 64 of the public one, which end it.
        #expect(der.count == earlier.count)
        #expect(der.prefix(36) == earlier.prefix(36))
        #expect(der[68..<der.count - 64] == earlier[68..<earlier.count - 64])
        #expect(try P256PrivateKey(der: der).der() == der)
    }

    @Test("a key that is cut off, or whose halves are not of one key, is refused")
    func damaged() throws {
        let der = try GoldenPair("host").key
        for count in 0..<der.count {
            #expect(throws: SigningError.self) { try P256PrivateKey(der: Array(der.prefix(count))) }
        }
        for place in [36, 67, der.count - 64, der.count - 1] {
            var other = der
            other[place] ^= 1
            #expect(throws: SigningError.self) { try P256PrivateKey(der: other) }
        }
        #expect(throws: SigningError.self) { try P256PrivateKey(der: der + [0]) }
    }

    private func changed(_ bytes: [UInt8]) -> [[UInt8]] {
        bytes.indices.map { place in
            var other = bytes
            other[place] ^= 1
            return other
        }
    }
}

/// A key and a certificate as a version wrote them that made them by another library: `Tests/Golden/tls`.
struct GoldenPair {
    static let names = ["authority", "host"]

    let text: [UInt8]
    let key: [UInt8]
    let certificate: X509Certificate

    init(_ name: String) throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        text = Array(try Data(contentsOf: tests.appending(path: "Golden/tls/\(name).pem")))
        let documents = try PEMDocument.all(in: text)
        try #require(documents.map(\.label) == ["PRIVATE KEY", "CERTIFICATE"])
        key = documents[0].der
        certificate = try X509Certificate(der: documents[1].der)
    }
}
