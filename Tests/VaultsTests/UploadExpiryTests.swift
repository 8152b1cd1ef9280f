import Foundation
import HostSupport
import NIOCore
import Store
import Synchronization
import TestSupport
import Testing

@testable import Records
@testable import Vault
@testable import Vaults

@Suite("Uploads that are left alone")
struct UploadExpiryTests {
    private let text = "violet tram seven"
    private let day = Day()
    let host: TestHost

    init() throws {
        host = try TestHost { [day] in $0.today = { day.today } }
    }

    /// The daily work, so many days on.
    private func pass(_ days: Int) async throws {
        for _ in 0..<days {
            day.advance()
            await (try host.service()).runDailyWork()
        }
    }

    @Test("are kept for seven days since their last step, and then go with their bytes, in an open vault too")
    func expiry() async throws {
        let session = try await host.start().make(text)
        let status = try await session.announce(1000, clientID: "one")
        #expect(status.expires.timeIntervalSince1970 == (Double(day.today) + 8) * 86_400)
        try await session.send(sampleBytes(10), to: status.id, at: 0)
        try await pass(7)
        #expect(try await session.send(sampleBytes(10), to: status.id, at: 10).offset == 20)
        try await pass(7)
        #expect(try await session.uploads.status(of: status.id).offset == 20)
        try await pass(1)
        #expect(try host.objectFiles() == [])
        // It keeps no room any longer, though nobody asked for it.
        #expect(try session.requireVault().uploads.count == 0)
        await #expect(throws: VaultError.noSuchUpload) { _ = try await session.uploads.status(of: status.id) }
        #expect(try await session.announce(1000, clientID: "one").id != status.id)
        try await host.stop()
    }

    @Test("outlive the moment when a clock that was behind is set right")
    func clockBehind() async throws {
        _ = try await host.start().make(text)
        try await host.stop()
        day.advance(by: -400)
        let behind = try await host.start()
        let status = try await (try await behind.open(text) as Opening).session.announce(1000)
        try await host.stop()
        day.advance(by: 400)
        let right = try await host.start()
        await right.runDailyWork()
        let session: Session = try await right.open(text)
        #expect(try await session.uploads.status(of: status.id).offset == 0)
        try await host.stop()
    }

    @Test("a request that writes while the sweep takes its upload is told so, and leaves nothing")
    func sweptWhileWriting() async throws {
        let session = try await host.start().make(text)
        let status = try await session.announce(1000)
        try await session.send(sampleBytes(10), to: status.id, at: 0)
        let run = try await session.uploads.resume(status.id, at: 10)
        try await run.append(ByteBuffer(bytes: sampleBytes(100)))
        try await pass(8)
        await #expect(throws: VaultError.uploadGone) { _ = try await run.finish() }
        #expect(try host.objectFiles() == [])
        #expect(try session.requireVault().uploads.count == 0)
        try await host.stop()
    }

    @Test("a finished one is remembered for seven days; its photo stays")
    func finished() async throws {
        let session = try await host.start().make(text)
        let status = try await session.announce(3, clientID: "one")
        try await session.send([1, 2, 3], to: status.id, at: 0)
        try await pass(7)
        #expect(try await session.announce(3, clientID: "one").photo != nil)
        try await pass(1)
        await #expect(throws: VaultError.noSuchUpload) { _ = try await session.uploads.status(of: status.id) }
        #expect(try await session.announce(3, clientID: "one").photo == nil)
        #expect(try await session.names().count == 1)
        try await host.stop()
    }

    @Test("a batch is known for seven days, and its row is free afterwards")
    func batches() async throws {
        host.configuration.limits.quietBeforeReread = .zero
        let session = try await host.start().make(text)
        let batch = try await session.batches.create()
        try await session.resume([1, 2, 3], in: 3, batch: batch)
        try await pass(7)
        #expect(try await session.batches.status(of: batch).saved == 1)
        try await pass(1)
        await #expect(throws: VaultError.noSuchBatch) { _ = try await session.batches.status(of: batch) }
        let next = try await host.restart().open(text)
        let vault = try next.requireVault()
        await vault.verifier.pause()
        #expect(try vault.library.expiredBatches(today: day.today).isEmpty)
        #expect(next.damage == nil)
        #expect(try await host.restart().open(text).damage == nil)
        try await host.stop()
    }
}
