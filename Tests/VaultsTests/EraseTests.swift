import Foundation
import HostSupport
import Sealing
import Store
import TestSupport
import Testing

@testable import Records
@testable import Unlocking
@testable import Vaults

@Suite("Erasing a vault")
struct EraseTests {
    private let text = "violet tram seven"
    let host: TestHost

    init() throws { host = try TestHost() }

    private func session() async throws -> Session {
        let session = try await host.start().make(text)
        try await session.upload(sampleBytes(100), name: "one")
        let two = try await session.upload(sampleBytes(100, seed: 2), name: String(repeating: "long", count: 200))
        _ = try await session.trash.move([two.id])
        return session
    }

    @Test("nothing of it is left: slots, rows, objects, in the copies neither; another vault is untouched")
    func erase() async throws {
        let session = try await session()
        let service = try host.service()
        let other = try await service.make("seven violet trams")
        let photo = try await other.upload([7])
        let vault = try session.requireVault()
        let ids = try (0..<vault.head.rowCount).map { try session.rowID(.item($0)) } + [session.rowID(.head)]
        try service.store.ledger.renewCopies()
        let second = try await service.open(text)

        await #expect(throws: VaultError.noSuchVault) {
            try await service.erase(session, password: password("seven violet trams"), client: .here)
        }
        try await service.erase(session, password: password(text), client: .here)
        #expect(session.isEnded && second.isEnded)
        #expect(try await !service.opens(text))
        for id in ids {
            #expect(try await service.row(id) == nil)
            #expect(try service.store.ledger.rowsInCopies(id) == [])
        }
        #expect(try host.objectFiles().count == 1)
        #expect(try await other.content(photo.id) == [7])
        try await service.make(text)
        try await host.stop()
    }

    @Test("what a power cut leaves after the transaction is finished at the next start, without a password")
    func interrupted() async throws {
        let session = try await session()
        let service = try host.service()
        let vault = try session.requireVault()
        try vault.eraseBlocking(slots: vault.head.slotSets.flatMap(\.pairs))
        #expect(try await service.standing(text) == 12)
        let next = try await host.restart()
        #expect(try await next.standing(text) == 0)
        #expect(try host.objectFiles() == [])
        #expect(try await !next.opens(text))
        try await host.stop()
    }

    @Test("older slots of the same password, left by a power cut amid healing, go too")
    func olderReplicas() async throws {
        let session = try await session()
        let service = try host.service()
        let vault = try session.requireVault()
        let root = try await service.root(text)
        let payload = SlotPayload(
            type: 0, flags: 0, epoch: 0, vaultKey: try vault.duplicateVaultKey(), vaultUID: vault.uid, generation: 9,
            createdDay: 1)
        let sealed = try service.directory.seal(payload, for: root)
        let set = try sealed.slotSet(.live)
        try vault.changeBlocking { $0.draft.head.slotSets = [set] }
        try service.store.slots.write(Array(sealed.writes.prefix(5)))
        try await service.erase(session, password: password(text), client: .here)
        #expect(try await !service.opens(text))
        try await host.stop()
    }

    @Test("an upload that is under way ends with the vault, and leaves nothing")
    func uploads() async throws {
        let session = try await session()
        let service = try host.service()
        let upload = try await session.uploads.begin(name: "late", declaredByteCount: nil, lastModified: nil)
        try await service.erase(session, password: password(text), client: .here)
        await #expect(throws: VaultError.sessionEnded) { _ = try await upload.finish() }
        await upload.abandon()
        #expect(try host.objectFiles() == [])
        try await host.stop()
    }

    @Test("a vault that lost its head is still read-only after an erase that failed")
    func failedErase() async throws {
        let session = try await session()
        let service = try host.service()
        let head = try session.rowID(.head)
        try await service.lock(session)
        try await service.tamper { try $0.deleteRow(head) }
        let vault = try await service.open(text).requireVault()
        #expect(vault.isReadOnly)
        // From now on every commit fails.
        try service.store.close()
        #expect(throws: (any Error).self) { try vault.eraseBlocking(slots: []) }
        #expect(vault.isReadOnly)
    }
}
