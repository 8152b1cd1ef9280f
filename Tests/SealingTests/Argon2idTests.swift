import Testing

@testable import Sealing

@Suite("Argon2id")
struct Argon2idTests {
    @Test("the vector of RFC 9106, section 5.3")
    func publishedVector() throws {
        let tag = try Argon2id.derive(
            password: SecretBytes(copying: [UInt8](repeating: 1, count: 32)), salt: [UInt8](repeating: 2, count: 16),
            iterations: 3, memoryKiB: 32, byteCount: 32,
            additions: Argon2id.Additions(
                parallelism: 4, secret: [UInt8](repeating: 3, count: 8),
                associatedData: [UInt8](repeating: 4, count: 12)))
        #expect(tag.exposed() == [UInt8](hex: "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659"))
    }

    @Test("password, salt, iterations and memory each change the result; the same inputs do not")
    func inputs() throws {
        let results = try [
            derive([1], .pattern(16), 1, 8), derive([2], .pattern(16), 1, 8), derive([1], .pattern(16, seed: 1), 1, 8),
            derive([1], .pattern(16), 2, 8), derive([1], .pattern(16), 1, 16), derive([], .pattern(16), 1, 8),
        ]
        #expect(Set(results).count == 6)
        #expect(try derive([1], .pattern(16), 1, 8) == results[0])
    }

    @Test("parameters out of range are refused")
    func outOfRange() throws {
        #expect(throws: SealingError.self) { _ = try derive([1], .pattern(7), 1, 8) }
        #expect(throws: SealingError.self) { _ = try derive([1], .pattern(16), 0, 8) }
        #expect(throws: SealingError.self) { _ = try derive([1], .pattern(16), 1, 7) }
    }

    @Test("the working memory stays out of dumps and of forked children")
    func workingMemory() throws {
        var place: UnsafeMutablePointer<UInt8>?
        #expect(Argon2Memory.allocate(&place, 1 << 20) == 0)
        defer { Argon2Memory.release(place, 1 << 20) }
        let flags = try KernelMemory.flags(ofMappingAt: UInt(bitPattern: place))
        #expect(flags.isSuperset(of: ["dd", "wf"]), "flags \(flags.sorted())")
    }

    private func derive(
        _ password: [UInt8], _ salt: [UInt8], _ iterations: UInt32, _ memory: UInt32
    ) throws -> [UInt8] {
        try Argon2id.derive(
            password: SecretBytes(copying: password), salt: salt, iterations: iterations, memoryKiB: memory
        ).exposed()
    }
}
