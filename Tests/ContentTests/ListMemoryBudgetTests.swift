import Testing

@testable import Content
@testable import Records

@Suite("The memory that lists may take")
struct ListMemoryBudgetTests {
    @Test("what is too large for its share is there for whoever is alone")
    func largeArchive() throws {
        let room = ListMemoryBudget(most: 100)
        let claim = room.claim(for: [1])
        try claim.grow(by: 1000, mayBeAlone: true)
        #expect(throws: VaultError.self) { try room.claim(for: [2]).grow(by: 1, mayBeAlone: true) }
        let list = room.claim(for: [1])
        #expect(throws: VaultError.self) { try list.grow(by: 1, mayBeAlone: true) }
        // A download is made of its archive, which nobody is besides.
        for _ in 0..<2 { try list.grow(by: 500, mayBeAlone: true, with: claim) }
        #expect(room.byteCount == 2000)
    }
}
