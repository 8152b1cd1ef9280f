import Dispatch
import HostSupport
import NIOCore
import Sealing
import TestSupport
import Testing

@testable import Content
@testable import Records
@testable import Store
@testable import Vault
@testable import Vaults

@Suite("Several requests of one guest at the same moment")
struct GuestRaceTests {
    private let text = "violet tram seven"
    let host: TestHost

    init() throws { host = try TestHost() }

    /// Keeps the ledger's writer from going on until `body` returns.
    private func holdingLedger(_ service: VaultService, _ body: () async throws -> Void) async throws {
        let gate = DispatchSemaphore(value: 0)
        let (begun, began) = AsyncStream.makeStream(of: Void.self)
        let ledger = service.store.ledger
        async let held: Void = ledger.commit(
            LedgerChange { _, _ in
                began.yield()
                gate.wait()
            })
        for await _ in begun { break }
        do { try await body() } catch {
            gate.signal()
            throw error
        }
        gate.signal()
        try await held
    }

    private func waitForPending(_ count: Int, _ service: VaultService) async {
        while service.store.ledger.pendingCount < count { await Task.yield() }
    }

    @Test("a deletion that comes behind the move takes nothing from the vault")
    func deletionBehindMove() async throws {
        let service = try await host.start()
        let session = try await service.make(text)
        let guest = try await service.guest().session
        try await guest.upload([1, 2, 3], name: "a")
        let status = try await guest.announce(4)
        try await guest.sendCut([1], to: status.id, at: 0)
        // What the other request had found before.
        let space = try guest.requireVault()
        _ = try await service.move(guest, into: session)
        await #expect(throws: VaultError.sessionEnded) { try await service.registry.remove(space) }
        let again: Session = try await host.restart().open(text)
        let photo = try #require(try await again.photos.page(cursor: nil).photos.first)
        #expect(try await again.content(photo.id) == [1, 2, 3])
        let end = try await again.send([2, 3, 4], to: status.id, at: 1)
        #expect(try await again.content(try #require(end.photo).id) == [1, 2, 3, 4])
        #expect(again.damage == nil)
        try await host.stop()
    }

    @Test("a move that comes behind the deletion says that the guest is gone")
    func moveBehindDeletion() async throws {
        let service = try await host.start()
        let session = try await service.make(text)
        let guest = try await service.guest().session
        try await guest.upload([1])
        try await service.registry.remove(try guest.requireVault())
        await #expect(throws: VaultError.sessionEnded) { _ = try await service.move(guest, into: session) }
        #expect(try await session.names().isEmpty)
        #expect(try host.objectFiles().isEmpty)
        try await host.stop()
    }

    @Test("an upload that runs while the guest is deleted leaves nothing")
    func uploadDuringDeletion() async throws {
        let service = try await host.start()
        let guest = try await service.guest().session
        let upload = try await guest.uploads.begin(name: "a", declaredByteCount: nil, lastModified: nil)
        try await upload.append(ByteBuffer(bytes: sampleBytes(1000)))
        let status = try await guest.announce(1000)
        let run = try await guest.uploads.resume(status.id, at: 0)
        try await run.append(ByteBuffer(bytes: sampleBytes(500)))
        try await service.endGuest(guest)
        await #expect(throws: VaultError.sessionEnded) { _ = try await upload.finish() }
        await upload.abandon()
        await #expect(throws: VaultError.self) { _ = try await run.finish() }
        #expect(try service.guestRows() == 0)
        #expect(try await service.store.ledger.read { try $0.metaValue(GuestUploadUsage.metaKey) } == nil)
        #expect(try host.objectFiles().isEmpty)
        #expect(try await host.restart().store.ledger.read { try $0.rowCount(in: .guest(expiresDay: 0)) } == 0)
        #expect(try host.objectFiles().isEmpty)
        try await host.stop()
    }

    @Test("an empty space that gives way stays, where a photo has come before its end", arguments: [true, false])
    func uploadBeforeEnd(isUploadFirst: Bool) async throws {
        let service = try await host.start()
        let guest = try await service.guest()
        let space = try guest.session.requireVault()
        #expect(space.isEmptyGuest)
        let steps: [@Sendable () async throws -> Void] = [
            { try await guest.session.upload([1, 2, 3], name: "a") },
            // As somebody goes on who had seen that it is empty.
            { _ = try await service.registry.alone { _ in try space.eraseEmptyBlocking() } },
        ]
        var tasks: [Task<Void, any Error>] = []
        try await holdingLedger(service) {
            for step in isUploadFirst ? steps : steps.reversed() {
                tasks.append(Task { try await step() })
                await waitForPending(tasks.count, service)
            }
        }
        let results = await [tasks[0].result, tasks[1].result]
        if isUploadFirst {
            for result in results { try result.get() }
            #expect(try await guest.session.names() == ["a"])
            let again = try await host.restart()
            #expect(try await again.session(token: guest.token, .guest)?.names() == ["a"])
        } else {
            #expect(throws: VaultError.sessionEnded) { try results[1].get() }
            #expect(space.hasEnded)
            #expect(try service.guestRows() == 0)
        }
        try await host.stop()
    }

    @Test("of two vaults that are opened at once the first takes the guest in, and what runs ends there")
    func twoVaults() async throws {
        let service = try await host.start()
        let (first, second) = (try await service.make(text), try await service.make("seven violet trams"))
        let guest = try await service.guest().session
        let bytes = sampleBytes(1_200_000)
        let upload = try await guest.uploads.begin(name: "a", declaredByteCount: nil, lastModified: nil)
        try await upload.append(ByteBuffer(bytes: bytes[..<700_000]))
        var moves: [Task<Migration, any Error>] = []
        try await holdingLedger(service) {
            moves.append(Task { try await service.move(guest, into: first) })
            await waitForPending(1, service)
            moves.append(Task { try await service.move(guest, into: second) })
            // It waits for the first move; what it must not do until then leaves no trace that could be awaited.
            for _ in 0..<1000 { await Task.yield() }
        }
        #expect(try await moves[0].value == Migration())
        await #expect(throws: VaultError.sessionEnded) { _ = try await moves[1].value }
        try await upload.append(ByteBuffer(bytes: bytes[700_000...]))
        let photo = try await upload.finish()
        #expect(try await first.content(photo.id) == bytes)
        #expect(try await second.names().isEmpty)
        try await host.stop()
    }

    @Test(
        "a photo that the vault reads back in the transaction of the move is dropped for it", arguments: [true, false])
    func verifiedTogether(isMoveFirst: Bool) async throws {
        let service = try await host.start()
        let session = try await service.make(text)
        let guest = try await service.guest().session
        let bytes = sampleBytes(1000)
        let digests = ContentDigests(sha256: try SHA256Hasher.hash(bytes))
        try await session.upload(bytes, name: "vault")
        try await guest.upload(bytes, name: "guest")
        let (vault, space) = (try session.requireVault(), try guest.requireVault())
        let (own, others) = (
            try #require(try vault.library.allBlocking().first), try #require(try space.library.allBlocking().first)
        )
        _ = try await space.noteVerified(others, digests)
        let steps: [@Sendable () async throws -> Void] = [
            { _ = try await service.move(guest, into: session) },
            { _ = try await vault.noteVerified(own, digests) },
        ]
        var tasks: [Task<Void, any Error>] = []
        try await holdingLedger(service) {
            for step in isMoveFirst ? steps : steps.reversed() {
                tasks.append(Task { try await step() })
                await waitForPending(tasks.count, service)
            }
        }
        for task in tasks { try await task.value }
        #expect(try await session.names() == ["vault"])
        #expect(try host.objectFiles().count == 1)
        let again: Session = try await host.restart().open(text)
        #expect(again.damage == nil)
        #expect(try await again.names() == ["vault"])
        try await host.stop()
    }
}
