import Sealing
import Store
import TestSupport
import Testing

@testable import Records

@Suite("What the row of a session says")
struct SessionRecordTests {
    @Test("its row has the size of a guest's and of one that nobody holds, and opens under its token only")
    func rows() throws {
        let (token, other) = (try SessionToken(), try SessionToken())
        for kind in [SessionRecord.Kind.guest, .vault] {
            let key = try SecretBytes(random: 32)
            let record = SessionRecord(
                kind: kind, uid: sampleBytes(16), key: try key.duplicate(), mark: sampleBytes(16, seed: 2),
                today: 20_000)
            let body = try record.sealed(under: token)
            #expect(body.count == LedgerTransaction.sessionByteCount)
            let opened = try SessionRecord(body, token: token)
            #expect(opened.kind == kind && opened.uid == record.uid && opened.key.bytes.equals(key))
            #expect(opened.mark == record.mark)
            #expect(try SessionRecord.opened(body, token: other) == nil)
            #expect(opened.createdDay == 20_000 && opened.lastDay == 20_030)
            #expect(throws: SealingError.wrongKey) { _ = try SessionRecord(body, token: other) }
        }
        #expect(SessionToken(text: token.text)?.hash == token.hash)
    }
}
