import Foundation
import HostSupport
import NIOCore
import Sealing
import TestSupport
import Testing

@testable import Content
@testable import Records
@testable import Vault
@testable import Vaults

@Suite("A batch of uploads")
struct BatchTests {
    private let text = "violet tram seven"
    let host: TestHost

    init() throws {
        host = try TestHost { $0.limits.quietBeforeReread = .zero }
    }

    private func session() async throws -> Session { try await host.start().make(text) }

    private func upload(_ bytes: [UInt8], name: String, batch: String, _ session: Session) async throws {
        let upload = try await session.uploads.begin(
            name: name, declaredByteCount: UInt64(bytes.count), lastModified: nil, batch: batch)
        try await upload.append(ByteBuffer(bytes: bytes))
        _ = try await upload.finish()
    }

    @Test("is done when it is finished and every photo was read back; the receipt lists them")
    func receipt() async throws {
        let session = try await session()
        let batch = try await session.batches.create()
        try await upload(sampleBytes(1000), name: "one", batch: batch, session)
        try await session.resume(sampleBytes(2000, seed: 2), in: 700, name: "two", batch: batch)
        try await upload(sampleBytes(10), name: "elsewhere", batch: try await session.batches.create(), session)
        try await session.settle()
        let open = try await session.batches.status(of: batch)
        #expect((open.total, open.saved, open.verified, open.isDone) == (2, 2, 2, false))
        let done = try await session.batches.finish(batch)
        #expect(done.isDone && done.isFinished)
        let expected = try [("one", sampleBytes(1000)), ("two", sampleBytes(2000, seed: 2))].map { name, bytes in
            ReceiptLine(name: name, byteCount: UInt64(bytes.count), sha256: try SHA256Hasher.hash(bytes))
        }
        #expect(try await session.receipt(of: batch) == expected)
        let next = try await host.restart().open(text)
        #expect(try await next.receipt(of: batch) == expected)
        #expect(try await next.batches.finish(batch).isDone)
        try await host.stop()
    }

    @Test("of which nothing came gives way when there are many, and one with photos or an upload under way never")
    func crowd() async throws {
        host.configuration.limits.emptyBatches = 3
        let session = try await session()
        let used = try await session.batches.create()
        try await upload(sampleBytes(10), name: "one", batch: used, session)
        let awaited = try await session.batches.create()
        _ = try await session.announce(10, batch: awaited)
        let rows = try session.requireVault().head.rowCount
        var last = ""
        for _ in 0..<20 { last = try await session.batches.create() }
        #expect(try session.requireVault().head.rowCount <= rows + 3)
        for batch in [used, awaited, last] { _ = try await session.batches.status(of: batch) }
        try await host.stop()
    }

    @Test("is not done before its photos were read back")
    func notDone() async throws {
        host.configuration.limits.quietBeforeReread = nil
        let session = try await session()
        let batch = try await session.batches.create()
        try await upload(sampleBytes(1000), name: "one", batch: batch, session)
        let status = try await session.batches.finish(batch)
        #expect((status.total, status.saved, status.verified, status.isDone) == (1, 1, 0, false))
        try await host.stop()
    }

    @Test("counts uploads under way, and as failed once it is finished; they may still come")
    func underWay() async throws {
        let session = try await session()
        let batch = try await session.batches.create()
        let status = try await session.announce(100, batch: batch)
        #expect(try await session.batches.status(of: batch).total == 1)
        #expect(try await session.batches.finish(batch).failed == 1)
        try await session.send(sampleBytes(100), to: status.id, at: 0)
        try await session.settle()
        let end = try await session.batches.status(of: batch)
        #expect((end.total, end.saved, end.failed, end.isDone) == (1, 1, 0, true))
        try await host.stop()
    }

    @Test("counts duplicates apart, found at once or by the re-read")
    func duplicates() async throws {
        let session = try await session()
        let bytes = sampleBytes(1000)
        try await session.upload(bytes, name: "there")
        try await session.settle()
        let batch = try await session.batches.create()
        try await upload(bytes, name: "again", batch: batch, session)
        try await session.resume(bytes, in: 300, name: "in parts", batch: batch)
        try await session.settle()
        let done = try await session.batches.finish(batch)
        #expect((done.total, done.saved, done.duplicates, done.verified, done.isDone) == (2, 0, 2, 2, true))
        // Of each what was sent; the bytes that were read back are those of the photo that was there.
        let receipt = try await session.receipt(of: batch)
        #expect(receipt.map(\.name) == ["again", "in parts"])
        #expect(receipt.map(\.sha256) == Array(repeating: try SHA256Hasher.hash(bytes), count: 2))
        #expect(try await session.names() == ["there"])
        let next = try await host.restart().open(text)
        #expect(try await next.receipt(of: batch) == receipt)
        try await host.stop()
    }

    @Test("whose photo is dropped for an older one, after it was done, keeps its receipt")
    func droppedLater() async throws {
        host.configuration.limits.quietBeforeReread = nil
        let session = try await session()
        let bytes = sampleBytes(1000)
        try await session.upload(bytes, name: "old")
        let batch = try await session.batches.create()
        try await upload(bytes, name: "new", batch: batch, session)
        let vault = try session.requireVault()
        let photos = try vault.library.allBlocking()
        let digests = ContentDigests(sha256: try SHA256Hasher.hash(bytes), tree: nil, ends: nil)
        // The newest first, as the re-read has it.
        #expect(try await vault.noteVerified(photos[1], digests))
        let before = try await session.batches.finish(batch)
        #expect(before.isDone && before.saved == 1)
        let receipt = try await session.receipt(of: batch)
        #expect(try await vault.noteVerified(photos[0], digests))
        let after = try await session.batches.status(of: batch)
        #expect((after.isDone, after.total, after.saved, after.duplicates) == (true, 1, 0, 1))
        #expect(try await session.receipt(of: batch) == receipt)
        #expect(receipt.map(\.name) == ["new"])
        try await host.stop()
    }

    @Test("counts a photo that fails its verification as failed, and is done all the same")
    func damaged() async throws {
        host.configuration.limits.quietBeforeReread = nil
        let session = try await session()
        let batch = try await session.batches.create()
        try await upload(sampleBytes(1000), name: "bad", batch: batch, session)
        let file = try host.file("objects/" + #require(try host.objectFiles().first))
        var sealed = try host.read("objects/" + #require(try host.objectFiles().first))
        sealed[100] ^= 1
        try sealed.write(to: file)
        host.configuration.limits.quietBeforeReread = .zero
        let next = try await host.restart().open(text)
        try await next.settle()
        let done = try await next.batches.finish(batch)
        #expect((done.saved, done.failed, done.verified, done.isDone) == (1, 1, 0, true))
        #expect(try await next.receipt(of: batch) == [])
        try await host.stop()
    }

    @Test("is known in its vault only, by its own id only")
    func unknown() async throws {
        let session = try await session()
        let batch = try await session.batches.create()
        let other = try await (try host.service()).make("seven violet trams")
        for id in [batch, "", "x", String(repeating: "A", count: 22)] {
            await #expect(throws: VaultError.noSuchBatch) { _ = try await other.batches.status(of: id) }
            await #expect(throws: VaultError.noSuchBatch) { _ = try await other.batches.finish(id) }
            await #expect(throws: VaultError.noSuchBatch) { _ = try await other.announce(1, batch: id) }
            await #expect(throws: VaultError.noSuchBatch) {
                _ = try await other.uploads.begin(name: "a", declaredByteCount: 1, lastModified: nil, batch: id)
            }
        }
        try await host.stop()
    }
}

extension Session {
    /// All parts together.
    func receipt(of batch: String) async throws -> [ReceiptLine] {
        var lines: [ReceiptLine] = []
        try await batches.receipt(of: batch) { lines += $0 }
        return lines
    }
}
