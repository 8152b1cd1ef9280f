import Testing

@testable import Sealing

@Suite("HKDF-SHA-512")
struct HKDFSHA512Tests {
    struct Vector: Decodable {
        let tcId: Int
        let ikm: String
        let salt: String
        let info: String
        let size: Int
        let okm: String
        let result: String
    }

    @Test("every published vector gives its output, and sizes beyond the limit are refused")
    func vectors() throws {
        let vectors = try PublishedVectors<Vector>.read("hkdf_sha512_test.json")
        #expect(vectors.count == 83)
        for vector in vectors {
            let prk = try extract(salt: #require([UInt8](hex: vector.salt)), ikm: #require([UInt8](hex: vector.ikm)))
            let info = try #require([UInt8](hex: vector.info))
            if vector.result == "valid" {
                let output = try HKDFSHA512.expand(prk, info: info, count: vector.size)
                #expect(output.exposed() == [UInt8](hex: vector.okm), "\(vector.tcId)")
            } else {
                #expect(throws: SealingError.invalidParameters("HKDF output size"), "\(vector.tcId)") {
                    _ = try HKDFSHA512.expand(prk, info: info, count: vector.size)
                }
            }
        }
    }

    @Test("a pseudorandom key is 64 bytes")
    func size() throws {
        #expect(try extract(salt: [1], ikm: [2]).count == 64)
    }

    private func extract(salt: [UInt8], ikm: [UInt8]) throws -> SecretBytes {
        let material = try SecretBytes(copying: ikm)
        let saltBytes = try SecretBytes(copying: salt)
        return try saltBytes.withUnsafeBytes { try HKDFSHA512.extract(salt: $0, keyMaterial: material) }
    }
}
