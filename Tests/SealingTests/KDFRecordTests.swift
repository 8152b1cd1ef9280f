import Testing

@testable import Sealing

@Suite("KDF records")
struct KDFRecordTests {
    private let plain = KDFRecord(iterations: 3, memoryKiB: 262_144)
    private let peppered = KDFRecord(iterations: 3, memoryKiB: 262_144, pepperCheck: .pattern(8, seed: 1))

    @Test("the encoding has the documented bytes")
    func layout() {
        let front: [UInt8] = [0, 0, 0, 0x13, 0, 0, 0, 3, 0, 4, 0, 0, 0, 0, 0, 1]
        #expect(plain.encoded == front + [UInt8](repeating: 0, count: 16))
        #expect(peppered.encoded == front + [0, 0, 0, 1] + .pattern(8, seed: 1) + [0, 0, 0, 0])
    }

    @Test("decoding gives the record back")
    func roundTrip() throws {
        #expect(try KDFRecord(encoded: plain.encoded) == plain)
        #expect(try KDFRecord(encoded: peppered.encoded) == peppered)
    }

    @Test("records of an unknown kind are refused", arguments: [3, 15, 16, 19, 20, 31])
    func unknown(byte: Int) {
        var changed = plain.encoded
        changed[byte] ^= 2
        #expect(throws: SealingError.self) { try KDFRecord(encoded: changed) }
        #expect(throws: SealingError.self) { try KDFRecord(encoded: Array(plain.encoded.dropLast())) }
    }

    @Test(
        "bounds",
        arguments: [
            (1, 65_536, false, true), (2, 65_535, false, true), (2, 65_536, true, true), (16, 2_097_152, true, true),
            (17, 65_536, false, false), (16, 2_097_153, false, false), (0, 8, false, false), (1, 7, false, false),
        ] as [(UInt32, UInt32, Bool, Bool)])
    func bounds(iterations: UInt32, memoryKiB: UInt32, isSafe: Bool, isPossible: Bool) {
        let record = KDFRecord(iterations: iterations, memoryKiB: memoryKiB)
        #expect(passes(record, allowsWeak: false) == isSafe)
        #expect(passes(record, allowsWeak: true) == isPossible)
    }

    private func passes(_ record: KDFRecord, allowsWeak: Bool) -> Bool {
        (try? record.validate(unsafe: allowsWeak)) != nil
    }

    @Test("a pepper's check value must have 8 bytes")
    func pepperCheckSize() {
        let record = KDFRecord(iterations: 3, memoryKiB: 262_144, pepperCheck: [1])
        #expect(throws: SealingError.invalidParameters("pepper check size")) { try record.validate(unsafe: false) }
    }
}
