import HostSupport
import NIOCore
import TestSupport
import Testing

@testable import Content
@testable import Records
@testable import Uploads
@testable import Vaults

@Suite("A request that waits for bytes")
struct EndedRunTests {
    private let text = "violet tram seven"
    let host: TestHost

    init() throws { host = try TestHost() }

    /// A run that has got some bytes, and a task that ends with it.
    private func waiting(
        _ session: Session, _ id: String
    ) async throws -> (run: UploadRun, woken: Task<Void, Never>) {
        let run = try await session.uploads.resume(id, at: 0)
        try await run.append(ByteBuffer(bytes: sampleBytes(400)))
        return (run, Task { await run.waitUntilEnded() })
    }

    @Test(
        "is woken when a newer one comes, whatever that wants",
        arguments: ["where", "on", "elsewhere", "away"])
    func takenOver(wish: String) async throws {
        let session = try await host.start().make(text)
        let id = try await session.announce(1000).id
        let (run, woken) = try await waiting(session, id)
        switch wish {
        case "where": #expect(try await session.uploads.status(of: id).offset == 400)
        case "on": await #expect(throws: VaultError.offsetMismatch(400)) { try await session.send([1], to: id, at: 0) }
        case "elsewhere": #expect(try await (try host.service()).open(text).uploads.status(of: id).offset == 400)
        default: try await session.uploads.remove(id)
        }
        await woken.value
        await #expect(throws: VaultError.uploadBusy) { _ = try await run.finish() }
        try await host.stop()
    }

    @Test("is woken when its vault is locked, and when the daemon stops")
    func ended() async throws {
        let service = try await host.start()
        let session = try await service.make(text)
        let (first, second) = (try await session.announce(1000).id, try await session.announce(1000).id)
        let locked = try await waiting(session, first)
        try await service.lock(session)
        await locked.woken.value
        await #expect(throws: VaultError.sessionEnded) { _ = try await locked.run.finish() }
        let next = try await service.open(text)
        let stopped = try await waiting(next, second)
        await service.beginDraining()
        await stopped.woken.value
        await #expect(throws: VaultError.draining) { _ = try await stopped.run.finish() }
        await #expect(throws: VaultError.draining) { _ = try await next.uploads.resume(second, at: 400) }
        #expect(try await next.uploads.status(of: second).offset == 400)
        #expect(try await next.uploads.status(of: first).offset == 400)
        try await host.stop()
    }

    @Test("is woken when it ends by itself, and a finished one does not wait at all")
    func itself() async throws {
        let session = try await host.start().make(text)
        let id = try await session.announce(400).id
        let (run, woken) = try await waiting(session, id)
        #expect(try await run.finish().photo != nil)
        await woken.value
        await (try await session.uploads.resume(id, at: 400)).waitUntilEnded()
        let broken = try await session.announce(1000).id
        let abandoned = try await waiting(session, broken)
        await abandoned.run.abandon()
        await abandoned.woken.value
        try await host.stop()
    }

    @Test("ends behind the step that runs, if the disk takes longer than a newer one waits")
    func slowDisk() async throws {
        host.configuration.limits.takeoverPatience = .milliseconds(50)
        let session = try await host.start().make(text)
        let id = try await session.announce(3_000_000).id
        let (run, woken) = try await waiting(session, id)
        let semaphore = session.engine.threads.semaphore
        // Nothing is sealed any more.
        for _ in 0..<8 { await semaphore.acquire(FairSemaphore.Visitor(ObjectIdentifier(semaphore))) }
        let step = Task { try await run.append(ByteBuffer(bytes: sampleBytes(2_000_000))) }
        while semaphore.waitingCount == 0 { await Task.yield() }
        await #expect(throws: VaultError.uploadBusy) { _ = try await session.uploads.status(of: id) }
        for _ in 0..<8 { semaphore.release(FairSemaphore.Visitor(ObjectIdentifier(semaphore))) }
        await #expect(throws: VaultError.uploadBusy) { try await step.value }
        await woken.value
        #expect(try await session.uploads.status(of: id).offset == 2_000_400)
        try await host.stop()
    }

    @Test("a removed upload's last bytes are thrown away, even if they were all that was missing")
    func removal() async throws {
        let session = try await host.start().make(text)
        let id = try await session.announce(400).id
        let (run, woken) = try await waiting(session, id)
        try await session.uploads.remove(id)
        await woken.value
        await #expect(throws: VaultError.uploadBusy) { _ = try await run.finish() }
        await #expect(throws: VaultError.noSuchUpload) { _ = try await session.uploads.status(of: id) }
        #expect(try await session.names() == [])
        #expect(try host.objectFiles() == [])
        try await host.stop()
    }
}
