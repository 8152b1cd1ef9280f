import NIOCore
import Testing
import Threads

@testable import Content
@testable import Records
@testable import Uploads
@testable import Vaults

@Suite("Waiting for events")
struct EventTests {
    @Test("all who wait are woken, and so is whoever comes later")
    func happening() async {
        let event = OneTimeEvent()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { await event.wait() } }
            while event.waitingCount < 10 { await Task.yield() }
            event.happen()
        }
        #expect(event.waitingCount == 0)
        await event.wait()
        event.happen()
    }

    @Test("whoever is cancelled stops waiting, and nothing is left of it")
    func cancellation() async {
        let event = OneTimeEvent()
        let waiting = Task { await event.wait() }
        while event.waitingCount < 1 { await Task.yield() }
        waiting.cancel()
        await waiting.value
        #expect(event.waitingCount == 0)
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await event.wait()
        }
        await late.value
        #expect(event.waitingCount == 0)
    }

    @Test("an event that happens while others begin to wait, or stop, loses nobody")
    func race() async {
        for _ in 0..<300 {
            let event = OneTimeEvent()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<6 {
                    group.addTask {
                        let waiting = Task { await event.wait() }
                        if number.isMultiple(of: 3) { waiting.cancel() }
                        await waiting.value
                    }
                }
                group.addTask { event.happen() }
            }
            #expect(event.waitingCount == 0)
        }
    }

    @Test("a cancelled request leaves the line at once; one that must have its turn gets it")
    func line() async {
        let lock = AsyncLock()
        await lock.acquire()
        let leaving = Task { await lock.acquire(within: .seconds(3600)) }
        let staying = Task { await lock.acquireDespiteCancellation(within: .seconds(3600)) }
        while lock.waitingCount < 2 { await Task.yield() }
        leaving.cancel()
        staying.cancel()
        #expect(await !leaving.value)
        #expect(lock.waitingCount == 1)
        lock.release()
        #expect(await staying.value)
        #expect(lock.waitingCount == 0)
        lock.release()
        #expect(lock.acquireIfFree())
        #expect(!lock.acquireIfFree())
    }
}

@Suite("A request that waits for bytes")
struct EndedRunTests {
    private let text = "violet tram seven"
    let sample: SampleService

    init() throws { sample = try SampleService() }

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
        let session = try await sample.start().make(text)
        let id = try await session.announce(1000).id
        let (run, woken) = try await waiting(session, id)
        switch wish {
        case "where": #expect(try await session.uploads.status(of: id).offset == 400)
        case "on": await #expect(throws: VaultError.offsetMismatch(400)) { try await session.send([1], to: id, at: 0) }
        case "elsewhere": #expect(try await (try sample.service()).open(text).uploads.status(of: id).offset == 400)
        default: try await session.uploads.remove(id)
        }
        await woken.value
        await #expect(throws: VaultError.uploadBusy) { _ = try await run.finish() }
        try await sample.stop()
    }

    @Test("is woken when its vault is locked, and when the daemon stops")
    func ended() async throws {
        let service = try await sample.start()
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
        try await sample.stop()
    }

    @Test("is woken when it ends by itself, and a finished one does not wait at all")
    func itself() async throws {
        let session = try await sample.start().make(text)
        let id = try await session.announce(400).id
        let (run, woken) = try await waiting(session, id)
        #expect(try await run.finish().photo != nil)
        await woken.value
        await (try await session.uploads.resume(id, at: 400)).waitUntilEnded()
        let broken = try await session.announce(1000).id
        let abandoned = try await waiting(session, broken)
        await abandoned.run.abandon()
        await abandoned.woken.value
        try await sample.stop()
    }

    @Test("ends behind the step that runs, if the disk takes longer than a newer one waits")
    func slowDisk() async throws {
        sample.configuration.limits.takeoverPatience = .milliseconds(50)
        let session = try await sample.start().make(text)
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
        try await sample.stop()
    }

    @Test("a removed upload's last bytes are thrown away, even if they were all that was missing")
    func removal() async throws {
        let session = try await sample.start().make(text)
        let id = try await session.announce(400).id
        let (run, woken) = try await waiting(session, id)
        try await session.uploads.remove(id)
        await woken.value
        await #expect(throws: VaultError.uploadBusy) { _ = try await run.finish() }
        await #expect(throws: VaultError.noSuchUpload) { _ = try await session.uploads.status(of: id) }
        #expect(try await session.names() == [])
        #expect(try sample.objectFiles() == [])
        try await sample.stop()
    }
}
