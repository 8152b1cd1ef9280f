import Testing

@testable import Records
@testable import Uploads

@Suite("When what came in many pieces is sealed again")
struct CompactionTests {
    private func isDue(_ count: Int, piecesOf byteCount: UInt64) throws -> Bool {
        let run = PhotoRecord.Run(plaintextByteCount: byteCount, salt: [UInt8](repeating: 1, count: 24))
        let runs = Array(repeating: run, count: count)
        return Compaction.isDue(UploadRecord(id: try UploadID(), byteCount: .max, name: "a", runs: runs))
    }

    @Test("small pieces are, once they are many, and large ones only where the row would get too long")
    func due() throws {
        #expect(try !isDue(255, piecesOf: 1))
        #expect(try isDue(256, piecesOf: 1))
        #expect(try isDue(256, piecesOf: 65_535))
        #expect(try !isDue(256, piecesOf: 65_536))
        #expect(try !isDue(16_383, piecesOf: 65_536))
        #expect(try isDue(16_384, piecesOf: 65_536))
    }
}
