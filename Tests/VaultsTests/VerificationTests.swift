import Foundation
import HostSupport
import NIOCore
import Sealing
import Store
import TestSupport
import Testing

@testable import Content
@testable import Records
@testable import Vault
@testable import Vaults

@Suite("Photos are read back from disk")
struct VerificationTests {
    private let text = "violet tram seven"
    let host: TestHost

    init() throws {
        host = try TestHost { $0.limits.quietBeforeReread = .zero }
    }

    private func session() async throws -> Session { try await host.start().make(text) }

    @Test("then their digest is known, and when it was", arguments: [0, 1, 16_384, 524_289, (8 << 20), (8 << 20) + 1])
    func digests(count: Int) async throws {
        let session = try await session()
        let bytes = sampleBytes(count)
        let id = try await session.upload(bytes).id
        try await session.settle()
        let photo = try await session.photos.photo(id)
        #expect(photo.sha256 == (try SHA256Hasher.hash(bytes)))
        #expect(photo.verifiedAt.map { abs($0.timeIntervalSinceNow) < 600 } == true)
        #expect(!photo.isDamaged)
        try await host.stop()
    }

    @Test("of more than 8 MiB the tree digest and that of both ends are kept too, over a restart")
    func tree() async throws {
        let session = try await session()
        let bytes = sampleBytes((16 << 20) + 5)
        try await session.upload(bytes)
        try await session.settle()
        let pieces = try stride(from: 0, to: bytes.count, by: 8 << 20).map { start in
            try SHA256Hasher.hash(Array(bytes[start..<min(start + (8 << 20), bytes.count)]))
        }
        let (count, tree) = (UInt64(bytes.count), try SHA256Hasher.hash(pieces.flatMap { $0 }))
        let next = try await host.restart().open(text)
        let answers = try await next.uploads.answers(to: [
            .whole(byteCount: count, sha256: try SHA256Hasher.hash(bytes)), .tree(byteCount: count, digest: tree),
            .ends(byteCount: count, first: pieces[0], last: pieces[2]),
            .ends(byteCount: count, first: pieces[0], last: pieces[1]), .tree(byteCount: count - 1, digest: tree),
        ])
        #expect(answers == [.known, .known, .maybe, .new, .new])
        try await host.stop()
    }

    @Test("what is not verified, or lies in the trash, is not known")
    func unknown() async throws {
        host.configuration.limits.quietBeforeReread = nil
        let session = try await session()
        let bytes = sampleBytes(1000)
        let digest = try SHA256Hasher.hash(bytes)
        let question = ContentQuestion.whole(byteCount: 1000, sha256: digest)
        let ends = ContentQuestion.ends(byteCount: 1000, first: digest, last: digest)
        let status = try await session.announce(1000)
        try await session.send(bytes, to: status.id, at: 0, digest: .sha256(digest))
        #expect(try await session.uploads.answers(to: [question, ends]) == [.new, .new])
        host.configuration.limits.quietBeforeReread = .zero
        let next = try await host.restart().open(text)
        try await next.settle()
        #expect(try await next.uploads.answers(to: [question, ends]) == [.known, .maybe])
        _ = try await next.trash.move([try await next.photos.page(cursor: nil).photos[0].id])
        #expect(try await next.uploads.answers(to: [question, ends]) == [.new, .new])
        try await host.stop()
    }

    @Test("one that was never read back is not vouched for when it is to be read again, and not called damaged for it")
    func readAgain() async throws {
        host.configuration.limits.quietBeforeReread = nil
        let session = try await session()
        let id = try await session.upload(sampleBytes(1000)).id
        let answers = try await session.imports.readAgain([id])
        #expect(answers.count == 1 && answers.allSatisfy { $0 == nil })
        let isDamaged = try await session.photos.photo(id).isDamaged
        #expect(!isDamaged)
        try await host.stop()
    }

    @Test("those that were there before are caught up at the next opening, the newest first")
    func catchingUp() async throws {
        host.configuration.limits.quietBeforeReread = nil
        let session = try await session()
        for seed in 1...5 { try await session.upload(sampleBytes(2000, seed: UInt64(seed))) }
        #expect(try await session.photos.page(cursor: nil).photos.allSatisfy { $0.sha256 == nil })
        host.configuration.limits.quietBeforeReread = .zero
        let next = try await host.restart().open(text)
        try await next.settle()
        let photos = try await next.photos.page(cursor: nil).photos
        #expect(photos.allSatisfy { $0.sha256 != nil })
        let times = photos.compactMap(\.verifiedAt)
        #expect(times == times.sorted())
        try await host.stop()
    }

    @Test("locking ends it, the keys go, and the next opening goes on", .timeLimit(.minutes(10)))
    func lock() async throws {
        let session = try await session()
        for seed in 1...20 { try await session.upload(sampleBytes(600_000, seed: UInt64(seed))) }
        weak let vault = try session.requireVault()
        let verifier = try session.requireVault().verifier
        try await host.service().lock(session)
        await verifier.pause()
        // What else works for it in the background may be about to let go.
        while vault != nil { await Task.yield() }
        let next = try await (try host.service()).open(text)
        try await next.settle()
        #expect(try await next.photos.page(cursor: nil).photos.allSatisfy { $0.verifiedAt != nil })
        try await host.stop()
    }

    // MARK: Damage

    @Test("one that fails is marked and named, over restarts, until it verifies again")
    func damage() async throws {
        host.configuration.limits.quietBeforeReread = nil
        let session = try await session()
        let good = try await session.upload(sampleBytes(1000), name: "good")
        let file = try host.file("objects/" + #require(try host.objectFiles().first))
        try await session.upload(sampleBytes(40_000, seed: 2), name: "bad")
        let other = try host.objectFiles().map { host.file("objects/" + $0) }.first { $0 != file }
        let bad = try #require(other)
        let sealed = try Data(contentsOf: bad)
        var changed = sealed
        changed[sealed.count - 1] ^= 1
        try changed.write(to: bad)
        host.configuration.limits.quietBeforeReread = .zero
        for _ in 0..<2 {
            let next = try await host.restart().open(text)
            try await next.settle()
            #expect(next.damage?.unreadable == ["bad"])
            let photos = try await next.photos.page(cursor: nil).photos
            #expect(photos.map(\.isDamaged) == [true, false])
            #expect(photos.map { $0.verifiedAt == nil } == [true, false])
            #expect(photos[1].name == good.name)
        }
        try sealed.write(to: bad)
        let next = try await host.restart().open(text)
        try await next.settle()
        #expect(next.damage == nil)
        #expect(try await next.photos.page(cursor: nil).photos.allSatisfy { !$0.isDamaged && $0.verifiedAt != nil })
        try await host.stop()
    }

    @Test("a changed padding or end mark is found too", arguments: [1, 17, 500])
    func paddingChanged(fromEnd: Int) async throws {
        host.configuration.limits.quietBeforeReread = nil
        let session = try await session()
        // Padded by 320 bytes and more, in the last chunk.
        try await session.upload(sampleBytes(32_769), name: "one")
        let file = try host.file("objects/" + #require(try host.objectFiles().first))
        var sealed = try Data(contentsOf: file)
        sealed[sealed.count - fromEnd] ^= 1
        try sealed.write(to: file)
        host.configuration.limits.quietBeforeReread = .zero
        let next = try await host.restart().open(text)
        try await next.settle()
        #expect(next.damage?.unreadable == ["one"])
        try await host.stop()
    }

    @Test("deleting a damaged photo ends the complaint")
    func damagedDeleted() async throws {
        host.configuration.limits.quietBeforeReread = nil
        let session = try await session()
        let photo = try await session.upload(sampleBytes(1000), name: "bad")
        let file = try host.file("objects/" + #require(try host.objectFiles().first))
        try Data(count: try Data(contentsOf: file).count).write(to: file)
        host.configuration.limits.quietBeforeReread = .zero
        let next = try await host.restart().open(text)
        try await next.settle()
        #expect(next.damage?.unreadable == [photo.name])
        _ = try await next.trash.move([try await next.photos.page(cursor: nil).photos[0].id])
        #expect(try await next.trash.empty().count == 1)
        #expect(try await host.restart().open(text).damage == nil)
        try await host.stop()
    }

    @Test("content that comes again is not thrown away for a photo that is lost", arguments: [false, true])
    func lostAgain(isGone: Bool) async throws {
        let session = try await session()
        let bytes = sampleBytes(50_000)
        let question = ContentQuestion.whole(byteCount: 50_000, sha256: try SHA256Hasher.hash(bytes))
        try await session.upload(bytes, name: "lost")
        try await session.settle()
        #expect(try await session.uploads.answers(to: [question]) == [.known])
        let file = try host.file("objects/" + #require(try host.objectFiles().first))
        try await host.stop()
        if isGone {
            try FileManager.default.removeItem(at: file)
        } else {
            var sealed = try Data(contentsOf: file)
            sealed[20_000] ^= 1
            try sealed.write(to: file)
        }
        let next = try await host.start().open(text)
        let id = try await next.photos.page(cursor: nil).photos[0].id
        await #expect(throws: VaultError.damaged) { _ = try await next.content(id) }
        try await next.settle()
        #expect(try await next.photos.photo(id).isDamaged)
        #expect(next.damage?.unreadable == ["lost"])
        #expect(try await next.uploads.answers(to: [question]) == [.new])
        // A change of its row does not bring it back.
        #expect(try await next.trash.move([id]) == 1)
        #expect(try await next.trash.restore([id]) == 1)
        #expect(try await next.photos.photo(id).isDamaged)
        let again = try await next.upload(bytes, name: "again")
        #expect(again.isDuplicate == nil)
        try await next.settle()
        #expect(try await next.content(again.id) == bytes)
        #expect(try await next.uploads.answers(to: [question]) == [.known])
        #expect(next.damage == nil)
        let third = try await host.restart().open(text)
        #expect(third.damage == nil)
        #expect(try await third.names() == ["lost"])
        try await host.stop()
    }

    @Test("what came anew takes the place of what is damaged, with all that people did with it", arguments: [1, 3])
    func mended(copies: Int) async throws {
        let bytes = sampleBytes(50_000)
        host.configuration.limits.quietBeforeReread = nil
        var session = try await session()
        try await session.upload([1], name: "older")
        // Of three that came before any was read back, all are damaged.
        let digest = try SHA256Hasher.hash(bytes)
        for copy in 0..<copies {
            let status = try await session.announce(bytes.count, name: "beach \(copy)")
            try await session.send(bytes, to: status.id, at: 0, digest: .sha256(digest))
        }
        let damaged = try await session.photos.page(cursor: nil).photos.filter { $0.name.hasPrefix("beach") }
        let first = try #require(damaged.last)
        try await session.upload([2], name: "newer")
        let album = try await session.albums.make("Rome", with: [first.id])
        _ = try await session.photos.setFavourite([try #require(damaged.first).id], true)
        let objects = try host.objectFiles().map { host.file("objects/" + $0) }
        let sealed = try objects.filter { try Data(contentsOf: $0).count > 40_000 }
        #expect(sealed.count == copies)
        for file in sealed {
            var content = try Data(contentsOf: file)
            content[20_000] ^= 1
            try content.write(to: file)
        }
        host.configuration.limits.quietBeforeReread = .zero
        session = try await host.restart().open(text)
        try await session.settle()
        #expect(session.damage?.unreadable.count == copies)

        try await session.upload(bytes, name: "again")
        try await session.settle()
        for _ in 0..<2 {
            #expect(session.damage == nil)
            #expect(try await session.names() == ["newer", "beach 0", "older"])
            let photo = try await session.photos.page(cursor: nil).photos[1]
            #expect(!photo.isDamaged && photo.verifiedAt != nil)
            #expect(try await session.content(photo.id) == bytes)
            #expect(try await session.albums.album(Album.favourites).count == 1)
            #expect(try await session.albums.album(album.id).count == 1)
            let files = try host.objectFiles().map { try Data(contentsOf: host.file("objects/" + $0)).count }
            #expect(files.count == 3)
            #expect(try session.requireVault().head.storedByteCount == UInt64(files.reduce(0, +)))
            session = try await host.restart().open(text)
            try await session.settle()
        }
        try await host.stop()
    }

    // MARK: Duplicates

    @Test("content that is there, read back, is answered with the photo that is there", arguments: [false, true])
    func duplicates(resumable: Bool) async throws {
        let session = try await session()
        let bytes = sampleBytes(50_000)
        let first = try await session.upload(bytes, name: "first")
        try await session.settle()
        let second: Photo
        if resumable {
            let status = try await session.resume(bytes, in: bytes.count, name: "second")
            #expect(status.isDuplicate)
            second = try #require(status.photo)
            let again = try await session.uploads.status(of: status.id)
            #expect(again.isDuplicate && again.photo?.id == first.id)
        } else {
            second = try await session.upload(bytes, name: "second")
        }
        #expect(second.id == first.id && second.name == "first" && second.isDuplicate == true)
        #expect(try await session.names() == ["first"])
        #expect(try host.objectFiles().count == 1)
        let object = try session.requireVault().library.allBlocking()[0].object
        let stored = try host.service().store.objects.byteCount(of: object)
        #expect(try session.requireVault().head.storedByteCount == stored)
        let next = try await host.restart().open(text)
        #expect(try await next.upload(bytes, name: "third").isDuplicate == true)
        try await host.stop()
    }

    @Test(
        "sidecars that say the same of two photos are two, found at once or by the re-read", arguments: [false, true])
    func sidecars(isLate: Bool) async throws {
        if isLate { host.configuration.limits.quietBeforeReread = nil }
        var session = try await session()
        let bytes = sampleBytes(500)
        for name in ["IMG_1.xmp", "IMG_2.xmp", "IMG_1.xmp", "IMG_2.xmp"] {
            try await session.upload(bytes, name: name)
            if !isLate { try await session.settle() }
        }
        if isLate {
            host.configuration.limits.quietBeforeReread = .zero
            session = try await host.restart().open(text)
            try await session.settle()
        }
        #expect(try await session.names().sorted() == ["IMG_1.xmp", "IMG_2.xmp"])
        try await host.stop()
    }

    /// What happens to the first of two photos, after which the second has to stay.
    enum Loss: CaseIterable {
        case file, row
    }

    @Test("content is not thrown away for a photo whose file or row is gone by then", arguments: Loss.allCases)
    func lostOriginal(_ loss: Loss) async throws {
        let session = try await session()
        let bytes = sampleBytes(50_000)
        let first = try await session.upload(bytes, name: "first")
        try await session.settle()
        let vault = try session.requireVault()
        switch loss {
        case .file: try host.removeObjects()
        case .row: try await host.service().damageRow(of: "first", in: vault)
        }
        let second = try await session.upload(bytes, name: "second")
        #expect(second.isDuplicate == nil && second.id != first.id)
        try await session.settle()
        #expect(try await session.content(second.id) == bytes)
        switch loss {
        case .file:
            #expect(try await session.names() == ["first"])
            #expect(try await session.content(first.id) == bytes)
            #expect(session.damage == nil)
        case .row:
            // Nobody can write into what cannot be read.
            #expect(try await session.names() == ["second", "first"])
            #expect(try await session.photos.photo(first.id).isDamaged)
            #expect(session.damage?.unreadable == ["first"])
        }
        #expect(try await session.upload(bytes, name: "third").isDuplicate == true)
        try await host.stop()
    }

    @Test("a damaged row keeps no other photo from being read back, and is named")
    func damagedRow() async throws {
        // However long the uploads take.
        host.configuration.limits.patienceBeforeReread = .seconds(86_400)
        let session = try await session()
        let vault = try session.requireVault()
        // The re-read waits until nobody seals.
        await vault.engine.threads.semaphore.acquire(FairSemaphore.Visitor(ObjectIdentifier(vault)))
        for seed in 1...3 { try await session.upload(sampleBytes(50_000, seed: UInt64(seed)), name: "\(seed)") }
        let second = try vault.rowID(.item(try vault.library.allBlocking()[1].rowNumber))
        try await host.service().tamper { try $0.replaceBody(of: second, sampleBytes(512), in: .vault) }
        vault.engine.threads.semaphore.release(FairSemaphore.Visitor(ObjectIdentifier(vault)))
        try await session.settle()
        let photos = try vault.library.allBlocking()
        #expect(photos.map { $0.verifiedAt != nil } == [true, false, true])
        #expect(photos.map { $0.damagedAt != nil } == [false, true, false])
        #expect(session.damage?.unreadable == ["2"])
        try await host.stop()
    }

    @Test("what failed by what changed meanwhile is done again, what fails each time waits", arguments: [0, 2, 9])
    func failedRounds(failures: Int) async throws {
        let session = try await session()
        let work = IdleWork(engine: session.engine)
        let vault = try session.requireVault()
        work.start(vault)
        let rounds = Counter()
        work.wake { _ in
            rounds.add()
            if rounds.count <= failures { throw VaultError.noSuchPhoto }
        }
        await work.pause()
        #expect(rounds.count == min(failures + 1, 3))
        try await host.stop()
    }

    @Test("a photo whose file was gone at the opening does not win over a whole one that is put back with it")
    func restoredWithLost() async throws {
        var session = try await session()
        let bytes = sampleBytes(50_000)
        for name in ["first", "second"] {
            let photo = try await session.upload(bytes, name: name)
            try await session.settle()
            #expect(try await session.trash.move([photo.id]) == 1)
        }
        let vault = try session.requireVault()
        let lost = try #require(try vault.library.allBlocking().first { $0.name == "first" }).object.hex
        try await host.stop()
        try host.removeObjects(except: try host.objectFiles().filter { !$0.hasSuffix(lost) })
        session = try await host.start().open(text)
        let ids = try await session.trash.all().map(\.id)
        #expect(try await session.trash.restore(ids.reversed()) == 2)
        #expect(try await session.names() == ["second", "first"])
        let second = try #require(try await session.photos.page(cursor: nil).photos.first)
        #expect(try await session.content(second.id) == bytes)
        try await host.stop()
    }

    @Test("duplicates that came before any was read back are settled by the re-read: the oldest stays")
    func settled() async throws {
        host.configuration.limits.quietBeforeReread = nil
        let session = try await session()
        let bytes = sampleBytes(50_000)
        for name in ["one", "two", "three"] { try await session.upload(bytes, name: name) }
        let upload = try await session.resume(bytes, in: 20_000, name: "four").id
        try await session.upload([1], name: "other")
        host.configuration.limits.quietBeforeReread = .zero
        let next = try await host.restart().open(text)
        try await next.settle()
        #expect(try await next.names() == ["other", "one"])
        #expect(try host.objectFiles().count == 2)
        let found = try await next.uploads.status(of: upload)
        #expect(found.isDuplicate && found.photo?.name == "one")
        #expect(try await host.restart().open(text).damage == nil)
        try await host.stop()
    }

    @Test("the id of one that was dropped leads to the photo that was kept, as long as that is there")
    func dropped() async throws {
        let session = try await session()
        let bytes = sampleBytes(50_000)
        let kept = try await session.upload(bytes, name: "kept").id
        try await session.settle()
        let upload = try await session.resume(bytes, in: 20_000, name: "dropped")
        let id = try #require(upload.photo).id
        try await session.settle()
        #expect(try await session.names() == ["kept"])
        #expect(try await session.photos.photo(id).id == kept)
        #expect(try await session.content(id) == bytes)
        #expect(try await session.uploads.status(of: upload.id).photo?.id == kept)
        // Of two, one was to go.
        #expect(try await session.trash.move([id]) == 0)
        #expect(try await session.names() == ["kept"])
        #expect(try await session.trash.move([kept]) == 1)
        #expect(try await session.photos.photo(id).deletedAt != nil)
        #expect(try await session.trash.empty().count == 1)
        await #expect(throws: VaultError.noSuchPhoto) { _ = try await session.photos.photo(id) }
        await #expect(throws: VaultError.noSuchPhoto) { _ = try await session.photos.original(id) }
        try await host.stop()
    }

    @Test("one that is dropped while it is fetched is fetched all the same")
    func droppedMeanwhile() async throws {
        let session = try await session()
        let bytes = sampleBytes(5000)
        try await session.upload(bytes, name: "kept")
        try await session.settle()
        for _ in 0..<40 {
            let id = try #require(try await session.resume(bytes, in: 2500).photo).id
            while try await session.photos.photo(id).name != "kept" {
                #expect(try await session.content(id) == bytes)
            }
            #expect(try await session.content(id) == bytes)
        }
        try await host.stop()
    }

    @Test("however often content comes again, its record stays readable")
    func often() async throws {
        let session = try await session()
        let id = try await session.upload(sampleBytes(1000), name: "kept").id
        let batch = try #require(BatchID(text: try await session.batches.create()))
        try await session.settle()
        let vault = try session.requireVault()
        let kept = try vault.library.allBlocking()[0]
        let today = vault.store.today
        for round in 0..<3 {
            var again = PhotoRecord(
                serial: 0, object: .random(), byteCount: 1000, runs: [], name: String(repeating: "n", count: 1024),
                type: "", receivedAt: 0)
            again.memberships = (0..<200).map { _ in BatchMembership(batch: batch, isDuplicate: false) }
            again.origins = try (0..<200).map { _ in
                PhotoOrigin(upload: try UploadID(), creation: nil, expiresDay: today + 7, isDuplicate: false)
            }
            let last = again.origins[199].upload
            try await vault.change { [again] in try $0.takeOver(from: again, at: kept.rowNumber, today: today) }
            #expect(try await vault.library.finished(last, today: today)?.photo.serial == kept.serial)
            #expect(try await session.batches.status(of: batch.text).duplicates == min(256, 200 * (round + 1)))
        }
        #expect(try await session.content(id) == sampleBytes(1000))
        let next = try await host.restart().open(text)
        #expect(next.damage == nil)
        #expect(try await next.batches.status(of: batch.text).duplicates == 256)
        try await host.stop()
    }

    @Test("a record that could not be read again is not written")
    func tooLong() async throws {
        let session = try await session()
        try await session.upload(sampleBytes(1000), name: "kept")
        let vault = try session.requireVault()
        let kept = try vault.library.allBlocking()[0]
        await #expect(throws: VaultError.self) {
            try await vault.change { change in
                try change.update(at: kept.rowNumber) { record in
                    record.unknown = (0..<20).map {
                        TaggedFields.Field(tag: $0 + 200, value: [UInt8](repeating: 1, count: 60_000))
                    }
                }
            }
        }
        #expect(try await session.names() == ["kept"])
        #expect(try await host.restart().open(text).damage == nil)
        try await host.stop()
    }

    @Test("a deleted photo is no reason to throw a new one away, nor one of another vault")
    func notDuplicates() async throws {
        let session = try await session()
        let bytes = sampleBytes(50_000)
        let first = try await session.upload(bytes)
        try await session.settle()
        _ = try await session.trash.move([first.id])
        let second = try await session.upload(bytes)
        #expect(second.id != first.id)
        try await session.settle()
        #expect(try await session.trash.all().count == 1)
        let other = try await (try host.service()).make("seven violet trams")
        #expect(try await other.upload(bytes).isDuplicate == nil)
        try await other.settle()
        #expect(try await other.names().count == 1)
        #expect(try host.objectFiles().count == 3)
        try await host.stop()
    }

    @Test("files without content are names, and none is another's duplicate")
    func empty() async throws {
        let session = try await session()
        for name in ["a", "b"] { try await session.upload([], name: name) }
        try await session.settle()
        #expect(try await session.upload([], name: "c").isDuplicate == nil)
        try await session.settle()
        #expect(try await session.names() == ["c", "b", "a"])
        try await host.stop()
    }

    // MARK: Many runs

    @Test("a photo of more than 256 runs is sealed again in one, and its bytes stay")
    func resealed() async throws {
        host.configuration.limits.quietBeforeReread = nil
        let session = try await session()
        let part = 66_000
        let bytes = [UInt8](repeatElement(Array(0..<250), count: 260 * part / 250).joined())
        let id = try await session.resume(bytes, in: part).id
        let before = try session.requireVault().library.allBlocking()[0]
        #expect(before.runCount == 260)
        host.configuration.limits.quietBeforeReread = .zero
        let next = try await host.restart().open(text)
        try await next.settle()
        let after = try next.requireVault().library.allBlocking()[0]
        #expect(after.runCount == 1 && after.verifiedAt != nil && after.object != before.object)
        #expect(after.sha256 == (try SHA256Hasher.hash(bytes)))
        #expect(try await next.content(try #require(try await next.uploads.status(of: id).photo).id) == bytes)
        #expect(try host.objectFiles().count == 1)
        let stored = try host.service().store.objects.byteCount(of: after.object)
        #expect(try next.requireVault().head.storedByteCount == stored)
        #expect(stored == ObjectSize.ofOneRun(content: UInt64(bytes.count)))
        #expect(try await host.restart().open(text).damage == nil)
        try await host.stop()
    }
}
