import Foundation
import HostSupport
import NIOCore
import Sealing
import Store
import TestSupport
import Testing

@testable import Content
@testable import Records
@testable import Uploads
@testable import Vault
@testable import Vaults

@Suite("An upload can be cut and goes on")
struct ResumableUploadTests {
    private let text = "violet tram seven"
    let host: TestHost

    init() throws { host = try TestHost() }

    private func session() async throws -> Session { try await host.start().make(text) }

    @Test(
        "whatever the size of its requests, the bytes are equal",
        arguments: [
            (700, 1), (20_000, 1000), (100_000, 16_383), (100_000, 16_384), (100_000, 16_385), (1_200_000, 524_288),
            (1_200_000, 1_200_000), (5000, 4096), (4097, 4096),
        ])
    func parts(count: Int, part: Int) async throws {
        let session = try await session()
        let bytes = [0xFF, 0xD8, 0xFF, 0xE0] + sampleBytes(count - 4)
        let status = try await session.resume(bytes, in: part)
        let photo = try #require(status.photo)
        #expect(status.offset == UInt64(count))
        #expect(photo.type == "image/jpeg")
        #expect(try await session.content(photo.id) == bytes)
        let again = try await session.uploads.status(of: status.id)
        #expect(again.photo?.byteCount == UInt64(count))
        #expect(try await session.names() == ["photo.jpg"])
        #expect(try host.objectFiles().count == 1)
        let next = try await host.restart().open(text)
        #expect(next.damage == nil)
        #expect(try await next.content(try await next.photos.page(cursor: nil).photos[0].id) == bytes)
        try await host.stop()
    }

    @Test("one of no bytes is a photo at once")
    func empty() async throws {
        let session = try await session()
        let status = try await session.announce(0)
        let photo = try #require(status.photo)
        #expect(try await session.content(photo.id) == [])
        try await host.stop()
    }

    @Test("what arrived before a cut is kept, over lock and restart, and nothing of it is listed")
    func cut() async throws {
        let session = try await session()
        let bytes = sampleBytes(700_000)
        let status = try await session.announce(bytes.count)
        #expect(status.offset == 0)
        try await session.sendCut(bytes[..<300_001], to: status.id, at: 0)
        #expect(try await session.uploads.status(of: status.id).offset == 300_001)
        #expect(try await session.names() == [])
        let next = try await host.restart().open(text)
        #expect(try await next.uploads.status(of: status.id).offset == 300_001)
        try await next.sendCut(bytes[300_001..<300_002], to: status.id, at: 300_001)
        try await host.service().lock(next)
        let third = try await (try host.service()).open(text)
        let end = try await third.send(bytes[300_002...], to: status.id, at: 300_002)
        #expect(try await third.content(try #require(end.photo).id) == bytes)
        #expect(try host.objectFiles().count == 1)
        try await host.stop()
    }

    @Test("what arrived before its task was cancelled is kept, in the first request and in one that goes on")
    func cancelled() async throws {
        let session = try await session()
        let bytes = sampleBytes(900_000)
        let status = try await session.announce(bytes.count)
        for (start, end) in [(0, 300_000), (300_000, 600_000)] {
            try await session.sendCancelled(bytes[start..<end], to: status.id, at: start)
            #expect(try await session.uploads.status(of: status.id).offset == UInt64(end))
        }
        let last = try await session.send(bytes[600_000...], to: status.id, at: 600_000)
        #expect(try await session.content(try #require(last.photo).id) == bytes)
        try await host.stop()
    }

    @Test("one whose address is told first is on the disk before its first byte")
    func toldFirst() async throws {
        let session = try await session()
        let status = try await session.beginToldFirst(5000).status
        let next = try await host.restart().open(text)
        #expect(try await next.uploads.status(of: status.id).offset == 0)
        let bytes = sampleBytes(5000)
        #expect(try await next.send(bytes, to: status.id, at: 0).photo != nil)
        try await host.stop()
    }

    @Test("a client that has lost the address it was told begins again, and what it left goes with its bytes")
    func beginsAgain() async throws {
        let session = try await session()
        let bytes = sampleBytes(700_000)
        var (lost, running) = ([String](), [UploadRun]())
        for name in ["photo.jpg", "photo.jpg", "other.jpg"] {
            let creation = try await session.beginToldFirst(bytes.count, name: name)
            let run = try #require(creation.run)
            try await run.append(ByteBuffer(bytes: bytes[..<300_000]))
            await run.abandon()
            lost.append(creation.status.id)
        }
        // Of another protocol, which names its uploads itself; and one that is being sent.
        let tus = try await session.announce(bytes.count)
        let creation = try await session.beginToldFirst(bytes.count)
        running.append(try #require(creation.run))
        running.append(try #require(try await session.beginToldFirst(bytes.count).run))
        for id in lost[..<2] {
            await #expect(throws: VaultError.noSuchUpload) { _ = try await session.uploads.status(of: id) }
        }
        #expect(try await session.uploads.status(of: lost[2]).offset == 300_000)
        #expect(try await session.uploads.status(of: tus.id).offset == 0)
        #expect(try host.objectFiles().count == 1)
        for run in running {
            try await run.append(ByteBuffer(bytes: bytes))
            #expect(try await run.finish().photo != nil)
        }
        try await host.stop()
    }

    @Test("the last bytes are kept in a cancelled task, too, when the first request was too short to tell what it is")
    func cancelledAtTheEnd() async throws {
        let session = try await session()
        let bytes = sampleBytes(9000)
        let status = try await session.announce(bytes.count)
        try await session.send(bytes[..<100], to: status.id, at: 0)
        try await session.sendCancelled(bytes[100...], to: status.id, at: 100)
        let photo = try #require(try await session.uploads.status(of: status.id).photo)
        #expect(try await session.content(photo.id) == bytes)
        try await host.stop()
    }

    @Test("a request from elsewhere than where it stands is told the right offset")
    func wrongOffset() async throws {
        let session = try await session()
        let status = try await session.announce(100)
        try await session.send(sampleBytes(10), to: status.id, at: 0)
        for offset in [0, 9, 11, 100] {
            await #expect(throws: VaultError.offsetMismatch(10)) {
                try await session.send([1], to: status.id, at: offset)
            }
        }
        try await session.send(sampleBytes(90), to: status.id, at: 10)
        await #expect(throws: VaultError.offsetMismatch(100)) { try await session.send([1], to: status.id, at: 10) }
        #expect(try await session.send([], to: status.id, at: 100).photo != nil)
        await #expect(throws: VaultError.lengthMismatch) { try await session.send([1], to: status.id, at: 100) }
        try await host.stop()
    }

    @Test("more bytes than announced are refused, and those of the same request are not kept")
    func tooMany() async throws {
        let session = try await session()
        let status = try await session.announce(100)
        await #expect(throws: VaultError.lengthMismatch) {
            _ = try await session.uploads.resume(status.id, at: 0, body: UploadBody(byteCount: 101))
        }
        let run = try await session.uploads.resume(status.id, at: 0)
        try await run.append(ByteBuffer(bytes: sampleBytes(60)))
        await #expect(throws: VaultError.lengthMismatch) { try await run.append(ByteBuffer(bytes: sampleBytes(60))) }
        await #expect(throws: VaultError.lengthMismatch) { _ = try await run.finish() }
        await run.abandon()
        #expect(try await session.uploads.status(of: status.id).offset == 0)
        try await host.stop()
    }

    // MARK: Digests

    @Test("a request with a digest is taken whole if it matches, else not at all")
    func digests() async throws {
        let session = try await session()
        let bytes = sampleBytes(200_000)
        let status = try await session.announce(bytes.count)
        let first = Array(bytes[..<100_000])
        let right = ExpectedDigest.sha256(try SHA256Hasher.hash(first))
        let wrong = ExpectedDigest.sha256(try SHA256Hasher.hash([1]))
        await #expect(throws: VaultError.checksumMismatch) {
            try await session.send(first, to: status.id, at: 0, digest: wrong)
        }
        #expect(try await session.uploads.status(of: status.id).offset == 0)
        try await session.sendCut(first, to: status.id, at: 0, digest: right)
        #expect(try await session.uploads.status(of: status.id).offset == 0)
        #expect(try await session.send(first, to: status.id, at: 0, digest: right).offset == 100_000)
        await #expect(throws: VaultError.checksumMismatch) {
            try await session.send(bytes[100_000...], to: status.id, at: 100_000, digest: right)
        }
        var sha1 = try AnnouncedHasher.sha1()
        try bytes[100_000...].withUnsafeBytes { try sha1.update($0) }
        let last = ExpectedDigest.sha1(try sha1.current())
        let end = try await session.send(bytes[100_000...], to: status.id, at: 100_000, digest: last)
        #expect(try await session.content(try #require(end.photo).id) == bytes)
        try await host.stop()
    }

    @Test("a digest over the whole content becomes the photo's own")
    func contentDigest() async throws {
        let session = try await session()
        let bytes = sampleBytes(50_000)
        let digest = try SHA256Hasher.hash(bytes)
        let status = try await session.announce(bytes.count)
        let end = try await session.send(bytes, to: status.id, at: 0, digest: .sha256(digest))
        #expect(end.photo?.sha256 == digest)
        try await host.stop()
    }

    @Test("a request with a digest carries 64 MiB at most")
    func digestTooLong() async throws {
        let session = try await session()
        let status = try await session.announce(100 << 20)
        let digest = ExpectedDigest.sha256([UInt8](repeating: 0, count: 32))
        await #expect(throws: VaultError.checksumTooLong) {
            _ = try await session.uploads.resume(
                status.id, at: 0, body: UploadBody(byteCount: (64 << 20) + 1, digest: digest))
        }
        let run = try await session.uploads.resume(status.id, at: 0, body: UploadBody(digest: digest))
        let piece = ByteBuffer(bytes: [UInt8](repeating: 1, count: 1 << 20))
        for _ in 0..<64 { try await run.append(piece) }
        await #expect(throws: VaultError.checksumTooLong) { try await run.append(ByteBuffer(bytes: [1])) }
        #expect(try await session.uploads.status(of: status.id).offset == 0)
        try await host.stop()
    }

    // MARK: Creation

    @Test("the same client id, name and size name the same upload, finished or not, over restarts")
    func idempotent() async throws {
        let session = try await session()
        let bytes = sampleBytes(1000)
        let first = try await session.announce(1000, clientID: "one")
        #expect(try await session.announce(1000, clientID: "one").id == first.id)
        #expect(try await session.announce(1001, clientID: "one").id != first.id)
        #expect(try await session.announce(1000, name: "b", clientID: "one").id != first.id)
        #expect(try await session.announce(1000, clientID: "two").id != first.id)
        #expect(try await session.announce(1000).id != session.announce(1000).id)
        try await session.send(bytes[..<10], to: first.id, at: 0)
        let next = try await host.restart().open(text)
        let again = try await next.uploads.create(UploadRequest(name: "photo.jpg", byteCount: 1000, clientID: "one"))
        #expect((again.status.id, again.status.offset, again.isNew) == (first.id, 10, false))
        try await next.send(bytes[10...], to: first.id, at: 10)
        let third = try await host.restart().open(text)
        let finished = try await third.uploads.create(
            UploadRequest(name: "photo.jpg", byteCount: 1000, clientID: "one"))
        #expect(finished.status.id == first.id && finished.status.photo != nil && !finished.isNew)
        #expect(try await third.names() == ["photo.jpg"])
        try await host.stop()
    }

    @Test("what the client said of its file is given back as it was, over requests and restarts, until it is a photo")
    func metadata() async throws {
        let session = try await session()
        let said = "filename YS5qcGc=,  colour cmVk ,empty"
        let request = UploadRequest(name: "a.jpg", byteCount: 1000, clientID: "one", metadata: said)
        let id = try await session.uploads.create(request).status.id
        #expect(try await session.uploads.status(of: id).metadata == said)
        try await session.send(sampleBytes(10), to: id, at: 0)
        let next = try await host.restart().open(text)
        #expect(try await next.uploads.status(of: id).metadata == said)
        var other = request
        other.metadata = "filename YS5qcGc="
        #expect(try await next.uploads.create(other).status.metadata == said)
        try await next.send(sampleBytes(990), to: id, at: 10)
        #expect(try await next.uploads.status(of: id).metadata == nil)
        try await host.stop()
    }

    @Test("it may say 4,096 bytes, and nothing, and rows that say nothing open")
    func metadataLength() async throws {
        let session = try await session()
        let longest = String(repeating: "x", count: 4096)
        var request = UploadRequest(name: "a.jpg", byteCount: 1000, metadata: longest)
        let id = try await session.uploads.create(request).status.id
        request.metadata = longest + "x"
        await #expect(throws: VaultError.metadataTooLong) { _ = try await session.uploads.create(request) }
        request.metadata = nil
        let silent = try await session.uploads.create(request).status.id
        let next = try await host.restart().open(text)
        #expect(try await next.uploads.status(of: id).metadata == longest)
        #expect(try await next.uploads.status(of: silent).metadata == nil)
        #expect(try next.requireVault().uploads.count == 2)
        try await host.stop()
    }

    @Test("with a body it is one step, and the answer is durable")
    func creationWithBody() async throws {
        let session = try await session()
        let bytes = sampleBytes(40_000)
        let request = UploadRequest(name: "a", byteCount: 40_000, clientID: "one")
        let creation = try await session.uploads.create(request, body: UploadBody(byteCount: 40_000))
        let run = try #require(creation.run)
        try await run.append(ByteBuffer(bytes: bytes))
        let status = try await run.finish()
        #expect(status.id == creation.status.id)
        #expect(try await session.content(try #require(status.photo).id) == bytes)
        let again = try await session.uploads.create(request, body: UploadBody(byteCount: 40_000))
        #expect(again.run == nil && !again.isNew && again.status.photo != nil)
        try await host.stop()
    }

    @Test("with a body that is cut it goes on from there; with a digest nothing of it stays")
    func creationCut() async throws {
        let session = try await session()
        let bytes = sampleBytes(40_000)
        let request = UploadRequest(name: "a", byteCount: 40_000, clientID: "one")
        let creation = try await session.uploads.create(request, body: UploadBody())
        try await creation.run?.append(ByteBuffer(bytes: bytes[..<100]))
        await creation.run?.abandon()
        let next = try await host.restart().open(text)
        let again = try await next.uploads.create(request, body: UploadBody())
        #expect(again.status.id == creation.status.id && again.status.offset == 100 && again.run == nil)
        try await next.send(bytes[100...], to: again.status.id, at: 100)

        let other = UploadRequest(name: "b", byteCount: 40_000, clientID: "one")
        let digest = ExpectedDigest.sha256(try SHA256Hasher.hash(bytes))
        let checked = try await next.uploads.create(other, body: UploadBody(digest: digest))
        try await checked.run?.append(ByteBuffer(bytes: bytes[..<100]))
        await checked.run?.abandon()
        await #expect(throws: VaultError.noSuchUpload) { _ = try await next.uploads.status(of: checked.status.id) }
        #expect(try await next.uploads.create(other).isNew)
        #expect(try await next.names() == ["a"])
        try await host.stop()
    }

    @Test("a creation whose run is never used leaves nothing")
    func unusedRun() async throws {
        let session = try await session()
        let request = UploadRequest(name: "a", byteCount: 40_000, clientID: "one")
        let id = try await session.uploads.create(request, body: UploadBody()).status.id
        await #expect(throws: VaultError.noSuchUpload) { _ = try await session.uploads.status(of: id) }
        #expect(try session.requireVault().uploads.count == 0)
        try await host.stop()
    }

    @Test("what cannot be is refused before the first byte")
    func refused() async throws {
        host.configuration.limits.fileByteCount = 1000
        let session = try await session()
        await #expect(throws: VaultError.fileTooLarge(limit: 1000)) { _ = try await session.announce(1001) }
        await #expect(throws: VaultError.nameInvalid) { _ = try await session.announce(1, name: "") }
        await #expect(throws: VaultError.clientIDInvalid) { _ = try await session.announce(1, clientID: "") }
        let long = String(repeating: "x", count: 257)
        await #expect(throws: VaultError.clientIDInvalid) { _ = try await session.announce(1, clientID: long) }
        await #expect(throws: VaultError.noSuchBatch) { _ = try await session.announce(1, batch: "x") }
        for id in ["", "x", String(repeating: "A", count: 22)] {
            await #expect(throws: VaultError.noSuchUpload) { _ = try await session.uploads.status(of: id) }
            await #expect(throws: VaultError.noSuchUpload) { _ = try await session.uploads.resume(id, at: 0) }
            await #expect(throws: VaultError.noSuchUpload) { try await session.uploads.remove(id) }
        }
        try await host.stop()
    }

    @Test("another vault does not know it")
    func otherVault() async throws {
        let session = try await session()
        let status = try await session.announce(100, clientID: "one")
        let other = try await (try host.service()).make("seven violet trams")
        await #expect(throws: VaultError.noSuchUpload) { _ = try await other.uploads.status(of: status.id) }
        #expect(try await other.announce(100, clientID: "one").id != status.id)
        try await host.stop()
    }

    // MARK: Taking over

    @Test("the newest request wins: what the older one brought is kept, and its next step fails")
    func takeover() async throws {
        let session = try await session()
        let bytes = sampleBytes(1_000_000)
        let status = try await session.announce(bytes.count)
        let old = try await session.uploads.resume(status.id, at: 0)
        try await old.append(ByteBuffer(bytes: bytes[..<600_000]))
        let second = try await (try host.service()).open(text)
        await #expect(throws: VaultError.offsetMismatch(600_000)) {
            _ = try await second.uploads.resume(status.id, at: 0)
        }
        await #expect(throws: VaultError.uploadBusy) { try await old.append(ByteBuffer(bytes: [1])) }
        await #expect(throws: VaultError.uploadBusy) { _ = try await old.finish() }
        await old.abandon()
        let new = try await second.uploads.resume(status.id, at: 600_000)
        try await new.append(ByteBuffer(bytes: bytes[600_000...]))
        let end = try await new.finish()
        #expect(try await second.content(try #require(end.photo).id) == bytes)
        try await host.stop()
    }

    @Test("asking where it stands ends the request that writes, so that the answer can be used")
    func headEnds() async throws {
        let session = try await session()
        let status = try await session.announce(1000)
        let run = try await session.uploads.resume(status.id, at: 0)
        try await run.append(ByteBuffer(bytes: sampleBytes(1000)[..<400]))
        #expect(try await session.uploads.status(of: status.id).offset == 400)
        await #expect(throws: VaultError.uploadBusy) { _ = try await run.finish() }
        try await host.stop()
    }

    @Test("a request that brought everything and is taken over has finished the upload")
    func takeoverOfWhole() async throws {
        let session = try await session()
        let bytes = sampleBytes(1000)
        let status = try await session.announce(1000)
        let run = try await session.uploads.resume(status.id, at: 0)
        try await run.append(ByteBuffer(bytes: bytes))
        let found = try await session.uploads.status(of: status.id)
        #expect(try await session.content(try #require(found.photo).id) == bytes)
        #expect(try await run.finish().photo != nil)
        try await host.stop()
    }

    @Test("many requests for one upload at once leave it whole")
    func manyAtOnce() async throws {
        let session = try await session()
        let bytes = sampleBytes(300_000)
        let status = try await session.announce(bytes.count)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for _ in 0..<40 {
                        guard let at = try? await session.uploads.status(of: status.id), at.photo == nil else { return }
                        let start = Int(at.offset)
                        let end = min(bytes.count, start + 20_000 + task * 777)
                        _ = try? await session.send(bytes[start..<end], to: status.id, at: start)
                    }
                }
            }
        }
        var end = try await session.uploads.status(of: status.id)
        if end.photo == nil {
            end = try await session.send(bytes[Int(end.offset)...], to: status.id, at: Int(end.offset))
        }
        #expect(try await session.content(try #require(end.photo).id) == bytes)
        #expect(try await session.names().count == 1)
        try await host.stop()
    }

    // MARK: Ends

    @Test("locking closes it at what arrived; the same offset is found at the next opening")
    func lock() async throws {
        let session = try await session()
        let bytes = sampleBytes(900_000)
        let status = try await session.announce(bytes.count)
        let run = try await session.uploads.resume(status.id, at: 0)
        try await run.append(ByteBuffer(bytes: bytes[..<700_000]))
        try await host.service().lock(session)
        await #expect(throws: VaultError.sessionEnded) { try await run.append(ByteBuffer(bytes: [1])) }
        let next = try await (try host.service()).open(text)
        #expect(try await next.uploads.status(of: status.id).offset == 700_000)
        let end = try await next.send(bytes[700_000...], to: status.id, at: 700_000)
        #expect(try await next.content(try #require(end.photo).id) == bytes)
        try await host.stop()
    }

    @Test("stopping the daemon closes it at what arrived")
    func shutdown() async throws {
        let session = try await session()
        let bytes = sampleBytes(100_000)
        let status = try await session.announce(bytes.count)
        let run = try await session.uploads.resume(status.id, at: 0)
        try await run.append(ByteBuffer(bytes: bytes[..<70_000]))
        let next = try await host.restart().open(text)
        #expect(try await next.uploads.status(of: status.id).offset == 70_000)
        await run.abandon()
        try await host.stop()
    }

    @Test("removing it takes row and bytes; removing a finished one leaves the photo")
    func remove() async throws {
        let session = try await session()
        let status = try await session.announce(100_000)
        let run = try await session.uploads.resume(status.id, at: 0)
        try await run.append(ByteBuffer(bytes: sampleBytes(70_000)))
        try await session.uploads.remove(status.id)
        await #expect(throws: VaultError.uploadBusy) { _ = try await run.finish() }
        await #expect(throws: VaultError.noSuchUpload) { _ = try await session.uploads.status(of: status.id) }
        #expect(try host.objectFiles() == [])
        let finished = try await session.resume([1, 2, 3], in: 3)
        try await session.uploads.remove(finished.id)
        await #expect(throws: VaultError.noSuchUpload) { _ = try await session.uploads.status(of: finished.id) }
        #expect(try await session.names().count == 1)
        try await host.stop()
    }

    @Test("erasing the vault takes its unfinished uploads along")
    func erase() async throws {
        let session = try await session()
        let service = try host.service()
        let status = try await session.announce(100_000)
        try await session.sendCut(sampleBytes(70_000), to: status.id, at: 0)
        let run = try await session.uploads.resume(status.id, at: 70_000)
        try await run.append(ByteBuffer(bytes: sampleBytes(10_000)))
        try await service.erase(session, password: password(text), client: .here)
        await #expect(throws: VaultError.sessionEnded) { _ = try await run.finish() }
        #expect(try host.objectFiles() == [])
        let rows = try service.store.ledger.readBlocking { reader in
            var count = 0
            try reader.forEachUpload { _, _, _, _ in count += 1 }
            return count
        }
        #expect(rows == 0)
        try await host.stop()
    }

    @Test("a change of password leaves it as it is")
    func changedPassword() async throws {
        let session = try await session()
        let service = try host.service()
        let status = try await session.announce(100)
        try await session.send(sampleBytes(40), to: status.id, at: 0)
        try await service.change(session, from: text, to: "seven violet trams")
        let next = try await host.restart().open("seven violet trams")
        #expect(try await next.uploads.status(of: status.id).offset == 40)
        try await host.stop()
    }

    @Test("its announced length keeps nothing from others; what has come counts against the vault's share")
    func share() async throws {
        let total = Double(try DiskSpace.totalByteCount(host.folder.path))
        host.configuration.limits.vaultShareOfDisk = 200_000 / total
        let session = try await session()
        await #expect(throws: VaultError.vaultFull) { _ = try await session.announce(210_000) }
        for _ in 0..<100 { _ = try await session.announce(180_000) }
        #expect(try session.engine.reservations.byteCount == 0 && session.requireVault().usedByteCount == 0)
        let other = try await session.announce(150_000, name: "other")
        let bytes = sampleBytes(150_000)
        try await session.sendCut(bytes[..<100_000], to: other.id, at: 0)
        await #expect(throws: VaultError.vaultFull) { _ = try await session.announce(100_000) }
        await #expect(throws: VaultError.vaultFull) { try await session.upload(sampleBytes(100_000)) }
        await #expect(throws: VaultError.vaultFull) { try await session.upload(sampleBytes(100_000), declared: false) }
        let end = try await session.send(bytes[100_000...], to: other.id, at: 100_000)
        #expect(try await session.content(#require(end.photo).id) == bytes)
        await #expect(throws: VaultError.vaultFull) { _ = try await session.announce(100_000) }
        try await session.upload(sampleBytes(20_000))
        try await host.stop()
    }

    @Test("one that no longer fits says so when its bytes come, and keeps what it has for when there is room")
    func roomMissingLater() async throws {
        let total = Double(try DiskSpace.totalByteCount(host.folder.path))
        host.configuration.limits.vaultShareOfDisk = 300_000 / total
        let session = try await session()
        let bytes = sampleBytes(200_000)
        let status = try await session.announce(bytes.count)
        try await session.sendCut(bytes[..<50_000], to: status.id, at: 0)
        let photo = try await session.upload(sampleBytes(40_000), name: "a")
        // It has not moved on for long: others are not kept out by what it may still bring.
        let big = try await session.upload(sampleBytes(100_000, seed: 3), name: "b", declared: false)
        let run = try await session.uploads.resume(status.id, at: 50_000)
        try await run.append(ByteBuffer(bytes: bytes[50_000..<80_000]))
        await #expect(throws: VaultError.vaultFull) { try await run.append(ByteBuffer(bytes: bytes[80_000...])) }
        #expect(try await session.uploads.status(of: status.id).offset == 80_000)
        _ = try await session.trash.move([photo.id, big.id])
        #expect(try await session.trash.empty().count == 2)
        let end = try await session.send(bytes[80_000...], to: status.id, at: 80_000)
        #expect(try await session.content(#require(end.photo).id) == bytes)
        try await host.stop()
    }

    @Test("bytes that a crash left behind the durable ones are no part of the photo, however many they were")
    func tail() async throws {
        let session = try await session()
        let bytes = sampleBytes(70_000)
        let status = try await session.announce(bytes.count)
        try await session.sendCut(bytes[..<60_000], to: status.id, at: 0)
        let file = try host.file("objects/" + #require(try host.objectFiles().first))
        // More than what is still to come.
        try (Data(contentsOf: file) + Data(sampleBytes(200_000, seed: 2))).write(to: file)
        let next = try await host.restart().open(text)
        let end = try await next.send(bytes[60_000...], to: status.id, at: 60_000)
        #expect(try await next.content(try #require(end.photo).id) == bytes)
        let third = try await host.restart().open(text)
        #expect(third.damage == nil)
        #expect(try await third.content(try await third.photos.page(cursor: nil).photos[0].id) == bytes)
        try await host.stop()
    }

    @Test(
        "a file of bytes that is gone or cut makes it begin anew, and says so, also where its runs were to become one",
        arguments: [1, 256])
    func lostPart(runCount: Int) async throws {
        let session = try await session()
        let status = try await session.announce(100_000)
        let part = 70_000 / runCount
        for run in 0..<runCount { try await session.sendCut(sampleBytes(part), to: status.id, at: run * part) }
        let file = try host.file("objects/" + #require(try host.objectFiles().first))
        try Data(contentsOf: file).prefix(1000).write(to: file)
        await #expect(throws: VaultError.uploadGone) { try await session.send([1], to: status.id, at: runCount * part) }
        await #expect(throws: VaultError.noSuchUpload) { _ = try await session.uploads.status(of: status.id) }
        try await host.stop()
    }

    @Test("one whose bytes were all there becomes a photo at the next opening")
    func finishedAtOpening() async throws {
        let session = try await session()
        let bytes = sampleBytes(5000)
        let status = try await session.announce(bytes.count)
        try await session.sendCut(bytes[..<4999], to: status.id, at: 0)
        // As a daemon might leave it that was cut off between the last byte and the photo.
        let vault = try session.requireVault()
        let upload = try #require(vault.uploads.all.first)
        var record = upload.record
        record.byteCount = 4999
        let body = try vault.sealUpload(record, fileKey: upload.fileKey, id: upload.rowID)
        let (row, object) = (upload.rowID, record.object)
        try await (try host.service()).tamper {
            try $0.putUpload(row, body: body, part: object, expiresDay: .max)
        }
        let next = try await host.restart().open(text)
        let found = try await next.uploads.status(of: status.id)
        #expect(try await next.content(try #require(found.photo).id) == Array(bytes[..<4999]))
        try await host.stop()
    }

    @Test("its row and its file say nothing in clear, and the file looks like any other object")
    func atRest() async throws {
        let session = try await session()
        let status = try await session.announce(
            100_000, name: "a name that must not stand there.jpg", clientID: "cid-xyz")
        try await session.sendCut(Array("a sentence of the content".utf8), to: status.id, at: 0)
        try await host.stop()
        let secrets = ["a name that must not", "a sentence of the", "cid-xyz", status.id].map { Data($0.utf8) }
        for name in try FileManager.default.subpathsOfDirectory(atPath: host.dataPath) {
            guard let data = try? host.read(name) else { continue }
            for secret in secrets { #expect(data.range(of: secret) == nil, "\(name)") }
        }
        let path = host.dataPath + "/objects/" + (try #require(try host.objectFiles().first))
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.modificationDate] as? Date == Date(timeIntervalSince1970: 946_684_800))
    }
}
