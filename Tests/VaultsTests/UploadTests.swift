import Foundation
import HostSupport
import Media
import NIOCore
import Store
import TestSupport
import Testing

@testable import Content
@testable import Records
@testable import Uploads
@testable import Vaults

@Suite("Photos go in and come back")
struct UploadTests {
    let host: TestHost

    init() throws { host = try TestHost() }

    private func session() async throws -> Session { try await host.start().make("violet tram seven") }

    @Test(
        "every byte comes back, at the edges of chunks and segments too",
        arguments: [0, 1, 16_383, 16_384, 16_385, 524_287, 524_288, 524_289, 3_000_000])
    func sizes(count: Int) async throws {
        let session = try await session()
        let bytes = sampleBytes(count)
        let photo = try await session.upload(bytes)
        #expect(photo.byteCount == UInt64(count))
        #expect(try await session.content(photo.id) == bytes)
        let undeclared = try await session.upload(bytes, declared: false)
        #expect(try await session.content(undeclared.id) == bytes)
        try await host.stop()
    }

    @Test("what was written keeps no memory, though the sender pauses")
    func memory() async throws {
        let session = try await session()
        let engine = try host.service().engine
        let upload = try await session.uploads.begin(name: "slow.jpg", declaredByteCount: nil, lastModified: nil)
        try await upload.append(ByteBuffer(bytes: sampleBytes(SegmentSize.small.plaintextByteCount)))
        await engine.threads.semaphore.waitUntilIdle()
        #expect(engine.threads.buffers.spareCount == 1)
        await upload.abandon()
        try await host.stop()
    }

    @Test(
        "beside another one, and where it is large, nobody waits for what the disk has not taken yet",
        .timeLimit(.minutes(10)), arguments: [(true, 98_305), (false, 9 << 20)])
    func ledgerIsFree(isBesideAnother: Bool, byteCount: Int) async throws {
        let session = try await session()
        let (engine, ledger) = (try host.service().engine, try host.service().store.ledger)
        let other =
            isBesideAnother
            ? try await session.uploads.begin(name: "other.jpg", declaredByteCount: nil, lastModified: nil) : nil
        let upload = try await session.uploads.begin(name: "one.jpg", declaredByteCount: nil, lastModified: nil)
        try await upload.append(ByteBuffer(bytes: sampleBytes(byteCount)))
        await engine.threads.semaphore.waitUntilIdle()
        // The last segment is held back.
        let mayGoOn = await engine.holdWrites()
        let finishing = Task { try await upload.finish() }
        // One of them would come behind the rows.
        for _ in 0..<200 { try await ledger.settle() }
        mayGoOn.signal()
        #expect(try await finishing.value.byteCount == UInt64(byteCount))
        await other?.abandon()
        try await host.stop()
    }

    @Test("any range is exactly that range, and padding is never served")
    func ranges() async throws {
        let session = try await session()
        let bytes = sampleBytes(1_200_000)
        let photo = try await session.upload(bytes)
        let original = try await session.photos.original(photo.id)
        #expect(original.byteCount == 1_200_000)
        let edges = [0, 1, 16_383, 16_384, 16_385, 524_287, 524_288, 1_199_999]
        for start in edges {
            for count in [1, 16_384, 16_385, 524_288] {
                let part = try await original.read(at: UInt64(start), atMost: count)
                let expected = bytes[start..<min(start + count, bytes.count)]
                #expect(part.readableBytesView.elementsEqual(expected), "\(start) + \(count)")
            }
        }
        for end in [1_200_000, 1_200_001, UInt64.max] {
            #expect(try await original.read(at: end, atMost: 10).readableBytes == 0)
        }
        try await host.stop()
    }

    @Test("what the disk holds is sealed and padded: the content stands nowhere, and sizes are rounded")
    func atRest() async throws {
        let session = try await session()
        let bytes = Array("a sentence that must not stand on any disk in the clear".utf8)
        try await session.upload(bytes, name: "a name that must not stand on any disk.jpg")
        try await host.stop()
        for name in try FileManager.default.subpathsOfDirectory(atPath: host.dataPath) {
            guard let data = try? host.read(name) else { continue }
            #expect(data.range(of: Data(bytes)) == nil, "\(name)")
            #expect(data.range(of: Data("a name that must".utf8)) == nil, "\(name)")
        }
        let object = try #require(try host.objectFiles().first)
        #expect(try host.read("objects/" + object).count == 4096)
    }

    @Test("names are kept byte for byte, from one byte to 1,024; a path is only a name")
    func names() async throws {
        let session = try await session()
        let long = String(repeating: "ü", count: 512)
        for name in ["a", "../../etc/passwd", "C:\\photo.jpg", "emoji 📷.heic", "line\nbreak", long] {
            let photo = try await session.upload([1], name: name)
            #expect(photo.name == name)
            #expect(try await session.photos.photo(photo.id).name == name)
        }
        for name in ["", long + "x", "nul\0.jpg"] {
            await #expect(throws: VaultError.nameInvalid) {
                _ = try await session.uploads.begin(name: name, declaredByteCount: 1, lastModified: nil)
            }
        }
        try await host.stop()
    }

    @Test("a photo has its facts when it is saved, before anybody makes a picture of it")
    func factsAtOnce() async throws {
        let session = try await session()
        // Without a maker of pictures; the name is what a file without a date inside is known by.
        let photo = try await session.upload(sampleBytes(200_000), name: "IMG_19840131_123456.jpg")
        #expect(photo.details.picture == .pending)
        #expect(photo.details.takenAt?.source == .name)
        #expect(try await session.photos.months().map(\.month.text) == ["1984-01"])
        try await host.stop()
    }

    @Test("what a file says at its end is known when it is saved, too")
    func factsAtTheEnd() async throws {
        let session = try await session()
        // A movie whose index lies behind more than passes by at once: made in 2019.
        let seconds: [UInt8] = [0xD9, 0x72, 0xD1, 0xC0]
        let header: [UInt8] =
            [0, 0, 0, 108, 0x6D, 0x76, 0x68, 0x64, 0, 0, 0, 0] + seconds + seconds + [0, 0, 3, 0xE8, 0, 0, 7, 0xD0]
            + [UInt8](repeating: 0, count: 80)
        let count = 300_000
        let media: [UInt8] = [0, 4, 0x93, 0xE8, 0x6D, 0x64, 0x61, 0x74] + sampleBytes(count)
        let movie: [UInt8] = [0, 0, 0, 116, 0x6D, 0x6F, 0x6F, 0x76] + header
        let start: [UInt8] = [0, 0, 0, 16, 0x66, 0x74, 0x79, 0x70] + Array("isom".utf8) + [0, 0, 0, 0]
        let photo = try await session.upload(start + media + movie, name: "clip.mp4")
        #expect(photo.details.takenAt?.source == .container)
        #expect(photo.details.facts.duration == .seconds(2))
        try await host.stop()
    }

    @Test("times and type are kept")
    func facts() async throws {
        let session = try await session()
        let taken = Date(timeIntervalSince1970: -457_000_000)
        let upload = try await session.uploads.begin(name: "x.txt", declaredByteCount: nil, lastModified: taken)
        try await upload.append(ByteBuffer(bytes: [0xFF, 0xD8, 0xFF, 0xE0] + sampleBytes(100)))
        let photo = try await upload.finish()
        #expect(photo.modifiedAt == taken)
        #expect(photo.type == "image/jpeg")
        #expect(photo.servedInline)
        #expect(abs(photo.receivedAt.timeIntervalSinceNow) < 60)
        try await host.stop()
    }

    @Test("a body longer or shorter than announced is no photo")
    func lengthMismatch() async throws {
        let session = try await session()
        let short = try await session.uploads.begin(name: "a", declaredByteCount: 3, lastModified: nil)
        try await short.append(ByteBuffer(bytes: [1, 2]))
        await #expect(throws: VaultError.lengthMismatch) { try await short.finish() }
        let long = try await session.uploads.begin(name: "a", declaredByteCount: 3, lastModified: nil)
        await #expect(throws: VaultError.lengthMismatch) { try await long.append(ByteBuffer(bytes: [1, 2, 3, 4])) }
        #expect(try await session.names() == [])
        #expect(try host.objectFiles() == [])
        try await host.stop()
    }

    @Test("an upload that failed once cannot be finished")
    func errorsStick() async throws {
        host.configuration.limits.fileByteCount = 1000
        let session = try await session()
        let upload = try await session.uploads.begin(name: "a", declaredByteCount: nil, lastModified: nil)
        try await upload.append(ByteBuffer(bytes: sampleBytes(900)))
        let tooLarge = VaultError.fileTooLarge(limit: 1000)
        await #expect(throws: tooLarge) { try await upload.append(ByteBuffer(bytes: sampleBytes(200))) }
        await #expect(throws: tooLarge) { try await upload.append(ByteBuffer(bytes: [1])) }
        await #expect(throws: tooLarge) { try await upload.finish() }
        #expect(try await session.names() == [])
        try await host.stop()
    }

    @Test("files above the limit are refused, announced or not")
    func fileTooLarge() async throws {
        host.configuration.limits.fileByteCount = 1000
        let session = try await session()
        await #expect(throws: VaultError.fileTooLarge(limit: 1000)) {
            _ = try await session.uploads.begin(name: "a", declaredByteCount: 1001, lastModified: nil)
        }
        try await session.upload(sampleBytes(1000))
        await #expect(throws: VaultError.fileTooLarge(limit: 1000)) {
            try await session.upload(sampleBytes(1001), declared: false)
        }
        try await host.stop()
    }

    @Test("a full vault takes nothing, announced or not, and deleting makes room again")
    func vaultFull() async throws {
        let total = Double(try DiskSpace.totalByteCount(host.folder.path))
        host.configuration.limits.vaultShareOfDisk = 200_000 / total
        let session = try await session()
        let first = try await session.upload(sampleBytes(150_000))
        await #expect(throws: VaultError.vaultFull) { try await session.upload(sampleBytes(100_000)) }
        await #expect(throws: VaultError.vaultFull) { try await session.upload(sampleBytes(100_000), declared: false) }
        #expect(try await session.trash.move([first.id]) == 1)
        await #expect(throws: VaultError.vaultFull) { try await session.upload(sampleBytes(100_000)) }
        #expect(try await session.trash.empty().count == 1)
        try await session.upload(sampleBytes(100_000))
        #expect(try host.objectFiles().count == 1)
        try await host.stop()
    }

    @Test("uploads side by side cannot fill a vault beyond its share together")
    func vaultFullTogether() async throws {
        let total = Double(try DiskSpace.totalByteCount(host.folder.path))
        host.configuration.limits.vaultShareOfDisk = 200_000 / total
        let session = try await session()
        let one = try await session.uploads.begin(name: "1", declaredByteCount: 150_000, lastModified: nil)
        let two = try await session.uploads.begin(name: "2", declaredByteCount: nil, lastModified: nil)
        await #expect(throws: VaultError.vaultFull) {
            _ = try await session.uploads.begin(name: "3", declaredByteCount: 150_000, lastModified: nil)
        }
        try await two.append(ByteBuffer(bytes: sampleBytes(20_000)))
        try await one.append(ByteBuffer(bytes: sampleBytes(150_000)))
        await #expect(throws: VaultError.vaultFull) { try await two.append(ByteBuffer(bytes: sampleBytes(130_000))) }
        _ = try await one.finish()
        await two.abandon()
        #expect(try await session.names() == ["1"])
        #expect(try host.objectFiles().count == 1)
        try await host.stop()
    }

    @Test("more uploads than may run at once are told to come again, and a place is free when one ends")
    func busy() async throws {
        host.configuration.limits.uploadsInFlight = 1
        let session = try await session()
        do {
            let upload = try await session.uploads.begin(name: "a", declaredByteCount: nil, lastModified: nil)
            let refused = await #expect(throws: VaultError.self) {
                _ = try await session.uploads.begin(name: "b", declaredByteCount: nil, lastModified: nil)
            }
            #expect(refused?.code == "busy")
            await upload.abandon()
        }
        try await session.upload([1])
        try await host.stop()
    }

    @Test("an abandoned upload leaves nothing")
    func abandoned() async throws {
        let session = try await session()
        let upload = try await session.uploads.begin(name: "a", declaredByteCount: nil, lastModified: nil)
        try await upload.append(ByteBuffer(bytes: sampleBytes(2_000_000)))
        await upload.abandon()
        await #expect(throws: VaultError.self) { try await upload.finish() }
        #expect(try await session.names() == [])
        #expect(try host.objectFiles() == [])
        try await host.stop()
    }

    @Test("a photo whose vault is locked while its last bytes go to the disk is refused, and nothing of it stays")
    func lockedAtTheEnd() async throws {
        let session = try await session()
        let (engine, ledger) = (try host.service().engine, try host.service().store.ledger)
        let upload = try await session.uploads.begin(name: "a", declaredByteCount: nil, lastModified: nil)
        // Its rows are not made while the disk is still at it.
        try await upload.append(ByteBuffer(bytes: sampleBytes(9 << 20)))
        await engine.threads.semaphore.waitUntilIdle()
        let mayGoOn = await engine.holdWrites()
        let finishing = Task { try await upload.finish() }
        for _ in 0..<20 { try await ledger.settle() }
        await session.end()
        mayGoOn.signal()
        await #expect(throws: VaultError.sessionEnded) { try await finishing.value }
        #expect(engine.reservations.byteCount == 0 && engine.uploadsInFlight == 0)
        #expect(try host.objectFiles() == [])
        try await host.stop()
    }

    @Test("a task that was cancelled finishes no upload, for the end that it saw may be none")
    func cancelled() async throws {
        let session = try await session()
        let task = Task {
            let upload = try await session.uploads.begin(name: "a", declaredByteCount: nil, lastModified: nil)
            try await upload.append(ByteBuffer(bytes: sampleBytes(50_000)))
            withUnsafeCurrentTask { $0?.cancel() }
            do {
                _ = try await upload.finish()
            } catch {
                await upload.abandon()
                throw error
            }
        }
        await #expect(throws: VaultError.sessionEnded) { try await task.value }
        #expect(try await session.names() == [])
        #expect(try host.objectFiles() == [])
        try await host.stop()
    }

    @Test("locking stops uploads and downloads at their next step")
    func lockStops() async throws {
        let service = try await host.start()
        let session = try await service.make("violet tram seven")
        let photo = try await session.upload([1, 2, 3])
        let original = try await session.photos.original(photo.id)
        let upload = try await session.uploads.begin(name: "a", declaredByteCount: nil, lastModified: nil)
        try await service.lock(session)
        await #expect(throws: VaultError.sessionEnded) { try await original.read(at: 0, atMost: 1) }
        await #expect(throws: VaultError.sessionEnded) { try await upload.append(ByteBuffer(bytes: [1])) }
        await #expect(throws: VaultError.sessionEnded) { try await upload.finish() }
        try await host.stop()
    }

    @Test("a changed byte of a photo's file is never served")
    func changedObject() async throws {
        let session = try await session()
        let photo = try await session.upload(sampleBytes(40_000))
        let name = try "objects/" + #require(try host.objectFiles().first)
        let sealed = try host.read(name)
        for offset in [0, 8, 40, 70, 17_000, sealed.count - 1] {
            var changed = sealed
            changed[offset] ^= 1
            try changed.write(to: host.file(name))
            await #expect(throws: VaultError.damaged, "offset \(offset)") { try await session.content(photo.id) }
        }
        try sealed.dropLast().write(to: host.file(name))
        await #expect(throws: VaultError.damaged) { try await session.content(photo.id) }
        try sealed.write(to: host.file(name))
        #expect(try await session.content(photo.id) == sampleBytes(40_000))
        try await host.stop()
    }

    @Test(
        "another vault gets in beside one that has taken all; a resumable upload keeps what it has, a plain one says so"
    )
    func service() async throws {
        let host = try TestHost { $0.limits.uploadsInFlight = 2 }
        let service = try await host.start()
        let (greedy, modest) = (
            try await service.make("violet tram seven"), try await service.make("seven violet trams")
        )
        let status = try await greedy.announce(100)
        let run = try await greedy.uploads.resume(status.id, at: 0)
        try await run.append(ByteBuffer(bytes: [1, 2, 3]))
        let plain = try await greedy.uploads.begin(name: "b", declaredByteCount: 100, lastModified: nil)
        // More, and later begun: however long anything takes, the other one is slower.
        try await plain.append(ByteBuffer(repeating: 1, count: 50))
        await #expect(throws: VaultError.busy(retryAfter: .seconds(2))) { try await greedy.upload([1]) }
        try await modest.upload([1, 2])
        await run.waitUntilEnded()
        #expect(try await greedy.uploads.status(of: status.id).offset == 3)
        // The place that is free again goes back, and then the plain one has to go.
        let next = try await greedy.uploads.resume(status.id, at: 3)
        try await next.append(ByteBuffer(repeating: 4, count: 90))
        let first = try await modest.uploads.begin(name: "c", declaredByteCount: 1, lastModified: nil)
        await #expect(throws: VaultError.busy(retryAfter: UploadPermit.patience)) {
            try await plain.append(ByteBuffer(bytes: [2]))
        }
        try await first.append(ByteBuffer(bytes: [1]))
        _ = try await first.finish()
        await plain.abandon()
        await next.abandon()
        #expect(try await modest.names().count == 2)
        try await host.stop()
    }
}
