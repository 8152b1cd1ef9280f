import Testing

@testable import Sealing

@Suite("Keys, hashes and handles")
struct KeyDerivationTests {
    @Test("each purpose has a key of its own, under its label")
    func purposes() throws {
        let key = try SecretBytes(copying: .pattern(32))
        var keys: Set<[UInt8]> = []
        for purpose in [VaultKeyPurpose.row, .rid, .acc, .export, .handles] {
            let derived = try deriveVaultKey(purpose, from: key)
            let info = Array("safelight/v1/\(purpose)".utf8)
            #expect(try derived.equals(HKDFSHA512.expand(key, info: info, count: 32)))
            keys.insert(derived.exposed())
        }
        for purpose in [FileKeyPurpose.original, .preview] {
            keys.insert(try deriveFileKey(purpose, from: key).exposed())
        }
        #expect(keys.count == 7)
        #expect(throws: SealingError.invalidParameters("key size")) {
            _ = try deriveVaultKey(.row, from: SecretBytes(random: 16))
        }
    }

    @Test("contexts have the documented bytes")
    func contexts() {
        let id = [UInt8].pattern(16)
        #expect(SealingContext.slot.bytes == Array("safelight/v1/slot".utf8))
        #expect(SealingContext.row(id).bytes == Array("safelight/v1/row".utf8) + id)
        #expect(SealingContext.preview(id).bytes == Array("safelight/v1/preview".utf8) + id)
        #expect(SealingContext.upload(id).bytes == Array("safelight/v1/upload".utf8) + id)
        #expect(SealingContext.guest(id).bytes == Array("safelight/v1/guest".utf8) + id)
        #expect(SealingContext.session(id).bytes == Array("safelight/v1/session".utf8) + id)
        let original = SealingContext.original(preamble: .pattern(8), run: 0x0102_0304).bytes
        #expect(original == Array("safelight/v1/original".utf8) + .pattern(8) + [1, 2, 3, 4])
    }

    @Test("HMAC-SHA-256 is that of RFC 4231, again and again, whole or in parts")
    func hmac() throws {
        var hmac = try HMACSHA256(key: SecretBytes(copying: [UInt8](repeating: 0x0B, count: 20)))
        let expected = [UInt8](hex: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        #expect(try hmac.authenticate(Array("Hi There".utf8)) == expected)
        #expect(try hmac.authenticate(Array("Hi".utf8), [], Array(" There".utf8)) == expected)
        var code = [UInt8](repeating: 0, count: 32)
        try Array("Hi There".utf8).withUnsafeBytes { bytes in
            try code.withUnsafeMutableBytes { (output: UnsafeMutableRawBufferPointer) in
                try hmac.authenticate(bytes, into: output)
            }
        }
        #expect(code == expected)
        #expect(try hmac.authenticate() != expected)
    }

    @Test("a code goes only into 32 bytes", arguments: [0, 31, 33])
    func hmacSize(size: Int) throws {
        var hmac = try HMACSHA256(key: SecretBytes(random: 32))
        var code = [UInt8](repeating: 0, count: size)
        code.withUnsafeMutableBytes { (output: UnsafeMutableRawBufferPointer) in
            _ = #expect(throws: SealingError.invalidParameters("authentication code size")) {
                try hmac.authenticate(UnsafeRawBufferPointer(output), into: output)
            }
        }
    }

    @Test("SHA-256 is that of FIPS 180-4, whole or in pieces")
    func sha256() throws {
        let expected = [UInt8](hex: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(try SHA256Hasher.hash(Array("abc".utf8)) == expected)
        var hasher = try SHA256Hasher()
        for byte in "abc".utf8 { try withUnsafeBytes(of: byte) { try hasher.update($0) } }
        #expect(try hasher.finalize() == expected)
        let nothing = [UInt8](hex: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(try SHA256Hasher.hash([]) == nothing)
    }

    @Test("a block permutation is AES-256 of FIPS 197 and its own inverse's inverse")
    func permutation() throws {
        var permutation = try BlockPermutation(key: SecretBytes(copying: Array(0..<32)))
        let block = try #require([UInt8](hex: "00112233445566778899aabbccddeeff"))
        let image = try permutation.encrypt(block)
        #expect(image == [UInt8](hex: "8ea2b7ca516745bfeafc49904b496089"))
        #expect(try permutation.decrypt(image) == block)
        #expect(try permutation.decrypt(permutation.encrypt(image)) == image)
        #expect(throws: SealingError.invalidParameters("block size")) { _ = try permutation.encrypt([1]) }
        #expect(throws: SealingError.invalidParameters("permutation key size")) {
            _ = try BlockPermutation(key: SecretBytes(random: 16))
        }
    }
}
