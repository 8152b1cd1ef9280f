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

    static let published = VectorFile.published("hkdf_sha512_test.json")
    /// Those that are here.
    static let files = [VectorFile.own("hkdf-sha512.json")] + (published.isThere ? [published] : [])

    @Test("all 83 published vectors are there", .enabled(if: published.isThere, "../shared/vectors is not here"))
    func count() throws {
        #expect(try Self.published.read(Vector.self).count == 83)
    }

    @Test("every vector gives its output, and sizes beyond the limit are refused", arguments: files)
    func vectors(file: VectorFile) throws {
        let vectors = try file.read(Vector.self)
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
