import Foundation
import HostSupport
import Media
import Sealing
import Testing

@testable import Records
@testable import Vault
@testable import Vaults

@Suite("Albums and \"Recently deleted\": random steps against a model")
struct AlbumModelTests {
    @Test("what people put together, said and deleted is as they left it", arguments: ModelRun.seeds(10))
    func steps(seed: UInt64) async throws {
        await ModelRun.follow(seed) { run in
            let world = try await AlbumWorld(run)
            try await world.begin()
            for _ in 0..<50 { try await world.step() }
            try await world.restart()
            try await world.end()
        }
    }
}

/// One daemon, one vault in one session, and what must be seen there.
private final class AlbumWorld {
    private enum Step: CaseIterable {
        case upload, uploadAgain, uploadToAlbum, uploadAgainToAlbum
        case make, makeEmpty, rename, add, takeOut, cover, noCover, remove, removeWithPhotos, bringBack
        case heart, unheart, apart, caption, date, shift, rotation
        case delete, deleteMore, restore, restoreMore, deleteForGood
        case twins, moreTwins, farewell, moreFarewells
        case rare
    }

    private enum RareStep: CaseIterable { case empty, lock, restart, crash, rotateKey }

    private static let names = ["Rome", "rome ", "CAFE\u{301}", "caf\u{E9}", "Am Meer", "Summer", "Straße"]

    private let run: ModelRun
    private let text = "violet tram seven"
    private var sample: TestHost
    private var session: Session
    private var model = LibraryModel()
    /// What this session calls photos, those too that are gone.
    private var ids: [Int: String] = [:]
    private var photoCount = 0
    private var albumCount = 0
    private var deletionCount = 0
    private var lastDeletion: UInt64 = 0

    init(_ run: ModelRun) async throws {
        self.run = run
        // Without reading back nothing is a duplicate, until a restart turns it on.
        let isReadBack = !run.once(in: 3)
        sample = try TestHost { $0.limits.quietBeforeReread = isReadBack ? .zero : nil }
        session = try await sample.start().make(text)
    }

    /// Most steps need photos and albums.
    func begin() async throws {
        for name in ["Rome", "Am Meer", "Rome", "Summer"] { try await upload(run.bytes(1...3000), to: name) }
    }

    func end() async throws { try await sample.stop() }

    func step() async throws {
        switch run.pick(Step.allCases) ?? .upload {
        case .upload: try await upload(run.bytes(1...3000), to: nil)
        case .uploadAgain: try await upload(contentOfOne(), to: nil)
        case .uploadToAlbum: try await upload(run.bytes(1...3000), to: run.pick(Self.names))
        case .uploadAgainToAlbum: try await upload(contentOfOne(), to: run.pick(Self.names))
        case .make: try await make(with: targets())
        case .makeEmpty: try await make(with: [])
        case .rename: try await rename()
        case .add: try await add()
        case .takeOut: try await takeOut()
        case .cover: try await choose(aTarget())
        case .noCover: try await choose(nil)
        case .remove: try await removeAlbum(deletesPhotos: false)
        case .removeWithPhotos: try await removeAlbum(deletesPhotos: true)
        case .bringBack: try await bringBack(run.pick(model.removedAlbums))
        case .heart: try await setFavourite(true, targets())
        case .unheart: try await setFavourite(false, targets())
        case .apart: try await setApart()
        case .caption: try await caption(for: aTarget())
        case .date: try await date()
        case .shift: try await shift()
        case .rotation: try await rotate()
        case .delete, .deleteMore: try await delete(targets())
        case .restore, .restoreMore:
            try await restore(run.once(in: 2) ? run.some(of: model.trash, atMost: 3) : targets())
        case .deleteForGood: try await deleteForGood()
        case .twins, .moreTwins: try await meetTwin()
        case .farewell, .moreFarewells: try await removeAndBringBack()
        case .rare: try await takeRareStep()
        }
        try await check()
    }

    private func takeRareStep() async throws {
        switch run.pick(RareStep.allCases) ?? .lock {
        case .empty:
            run.note("empty")
            let count = model.deleteForGood(model.trash)
            try run.expect(try await session.trash.empty().count, count, "how many were emptied")
        case .lock:
            run.note("lock and open")
            try await sample.service().lock(session)
            try await enter(try await sample.service().open(text))
        case .restart: try await restart()
        case .crash: try await crash()
        case .rotateKey:
            run.note("rotate key")
            let isFinished = try await sample.service().rotateKey(session, password: password(text), client: .here)
            try run.expect(isFinished, true, "whether the rotation is finished")
        }
    }

    // MARK: Choice

    /// Some photos that this session has named; they may be deleted, dropped for another, or gone.
    private func targets() -> [Int] { run.some(of: ids.keys.sorted(), atMost: 4) }

    private func aTarget() -> Int? { run.pick(ids.keys.sorted()) }

    private func names(_ numbers: [Int]) -> [String] { numbers.compactMap { ids[$0] } }

    private func contentOfOne() -> [UInt8] {
        run.pick(model.photos.sorted { $0.key < $1.key })?.value.content ?? run.bytes(1...3000)
    }

    private func anAlbum() -> (number: Int, album: LibraryModel.Album)? {
        run.pick(model.albums.sorted { $0.key < $1.key }).map { ($0.key, $0.value) }
    }

    private func anAlbum(of photo: Int) -> (number: Int, album: LibraryModel.Album)? {
        let albums = model.albums.filter { model.members(of: $0.key).contains(photo) }
        return run.pick(albums.sorted { $0.key < $1.key }).map { ($0.key, $0.value) }
    }

    // MARK: Photos

    private func upload(_ content: [UInt8], to albumName: String?) async throws {
        let name = "photo \(photoCount + 1)"
        run.note("upload \(name), \(content.count) bytes, to \(albumName ?? "none")")
        let upload = try await session.uploads.begin(
            name: name, declaredByteCount: UInt64(content.count), lastModified: nil, album: albumName)
        try await upload.append(.init(bytes: content))
        let photo = try await upload.finish()
        let duplicate = model.duplicate(of: content)
        try run.expect(photo.isDuplicate ?? false, duplicate != nil, "whether it is a duplicate")
        let album = try await joinedAlbum(albumName)
        if let duplicate {
            try run.expect(photo.name, "photo \(duplicate)", "what it is a duplicate of")
            if let album { _ = model.join([duplicate], to: album) }
        } else {
            let receivedAt = Int64(bitPattern: Milliseconds.from(photo.receivedAt))
            var added = LibraryModel.Photo(
                name: name, content: content, receivedAt: HostZone.wallClock(of: receivedAt))
            if let album { added.keeping.albums = [album] }
            photoCount = model.add(added)
            ids[photoCount] = photo.id
        }
        try await settle()
    }

    /// The album that an upload has joined, which may have been made for it.
    private func joinedAlbum(_ text: String?) async throws -> Int? {
        guard let name = try text.map({ text throws(VaultError) in try AlbumName(text) }) else { return nil }
        if let album = model.album(named: name) {
            model.noteUse(of: album)
            return album
        }
        let known = Set(model.albums.values.map(\.id) + [Album.favourites])
        let made = try await session.albums.all().filter { !known.contains($0.id) }
        try run.expect(made.map(\.name), [name.text], "the album that was made for it")
        albumCount += 1
        model.make(albumCount, name, id: made[0].id)
        return albumCount
    }

    private func delete(_ numbers: [Int]) async throws {
        run.note("delete \(numbers)")
        let deletion = await nextDeletion()
        let count = model.delete(numbers, as: deletion)
        try run.expect(try await session.trash.move(names(numbers)), count, "how many were deleted")
        lastDeletion = Milliseconds.now
    }

    /// What was deleted at the same moment counts as deleted together.
    private func nextDeletion() async -> Int {
        while Milliseconds.now <= lastDeletion { await Task.yield() }
        deletionCount += 1
        return deletionCount
    }

    private func restore(_ numbers: [Int]) async throws {
        run.note("restore \(numbers)")
        let count = model.restore(numbers.sorted())
        try run.expect(try await session.trash.restore(names(numbers)), count, "how many were restored")
    }

    private func deleteForGood() async throws {
        let numbers = targets()
        run.note("delete for good \(numbers)")
        let count = model.deleteForGood(numbers)
        try run.expect(try await session.trash.delete(names(numbers)).count, count, "how many are gone")
    }

    // MARK: Albums

    private func make(with numbers: [Int]) async throws {
        let name = try AlbumName(run.pick(Self.names) ?? "Rome")
        run.note("make \(name.text) with \(numbers)")
        if let other = model.album(named: name).flatMap({ model.albums[$0] }) {
            try await run.expect(.failure(.albumNameTaken(album: other.id)), "making it") {
                try await session.albums.make(name.text, with: names(numbers)).id
            }
            return
        }
        let made = try await session.albums.make(" \(name.text)\n", with: names(numbers))
        albumCount += 1
        model.make(albumCount, name, id: made.id)
        _ = model.join(numbers, to: albumCount)
    }

    private func rename() async throws {
        guard let (number, album) = anAlbum() else { return }
        let name = try AlbumName(run.pick(Self.names) ?? "Rome")
        run.note("rename album \(number) to \(name.text)")
        if let other = model.album(named: name), other != number {
            let id = model.albums[other]?.id ?? ""
            try await run.expect(.failure(.albumNameTaken(album: id)), "renaming it") {
                try await session.albums.change(album.id, name: name.text).id
            }
            return
        }
        model.rename(number, to: name)
        try run.expect(try await session.albums.change(album.id, name: name.text).name, name.text, "its name")
    }

    private func add() async throws {
        guard let (number, album) = anAlbum() else { return }
        let numbers = targets()
        run.note("add \(numbers) to album \(number)")
        let count = model.join(numbers, to: number)
        try run.expect(try await session.albums.add(names(numbers), to: album.id), count, "how many have joined")
    }

    private func takeOut() async throws {
        guard let (number, album) = anAlbum() else { return }
        let numbers = targets()
        run.note("take \(numbers) out of album \(number)")
        let count = model.leave(numbers, from: number)
        try run.expect(try await session.albums.takeOut(names(numbers), of: album.id), count, "how many have left")
    }

    private func choose(_ photo: Int?) async throws {
        guard let (number, album) = anAlbum() else { return }
        // Else one that is not in it would be chosen most of the time.
        let photo = photo.map { run.once(in: 4) ? $0 : run.pick(model.members(of: number)) ?? $0 }
        try await choose(photo, for: number, album)
    }

    private func choose(_ photo: Int?, for number: Int, _ album: LibraryModel.Album) async throws {
        run.note("cover of album \(number): \(photo.map(String.init) ?? "none")")
        let isIn = model.setCover(of: number, to: photo)
        let cover: PhotoCorrection.Word<String> = photo.flatMap { ids[$0] }.map { .said($0) } ?? .none
        try await run.expect(isIn ? .success(album.id) : .failure(.noSuchPhoto), "choosing a cover") {
            try await session.albums.change(album.id, cover: .some(cover)).id
        }
    }

    private func removeAlbum(deletesPhotos: Bool) async throws {
        guard let (number, album) = anAlbum() else { return }
        run.note("remove album \(number)\(deletesPhotos ? " with its photos" : "")")
        let deletion = await nextDeletion()
        let count = model.remove(number, deletingPhotosAs: deletesPhotos ? deletion : nil)
        try run.expect(
            try await session.albums.remove(album.id, deletesPhotos: deletesPhotos), count, "how many went with it")
        lastDeletion = Milliseconds.now
        if model.albums[number] == nil {
            try await run.expect(.failure(.noSuchAlbum), "looking at it") {
                try await session.albums.album(album.id).id
            }
        }
    }

    private func bringBack(_ removed: LibraryModel.RemovedAlbum?) async throws {
        guard let removed, let last = model.removedAlbums.last(where: { $0.number == removed.number }) else { return }
        run.note("bring album \(removed.number) back")
        let expected = Result { () throws(VaultError) in
            try model.bringBack(last)
            return last.album.id
        }
        try await run.expect(expected, "bringing it back") { try await session.albums.bringBack(last.album.id).id }
    }

    // MARK: Steps that belong together, which chance alone would seldom bring

    /// A photo comes again while it is deleted, joins albums of its own, and meets the older one once that is restored.
    private func meetTwin() async throws {
        guard let older = run.pick(model.live), let content = model.photos[older]?.content else { return }
        try await delete([older])
        try await upload(content, to: run.pick(Self.names))
        let twin = photoCount
        if let (album, present) = anAlbum(of: twin), run.once(in: 2) { try await choose(twin, for: album, present) }
        if run.once(in: 2) { try await caption(for: twin) }
        if run.once(in: 2) { try await setFavourite(true, [twin]) }
        try await check()
        if !run.once(in: 4) { try await restore([older]) }
    }

    private func removeAndBringBack() async throws {
        let count = model.removedAlbums.count
        try await removeAlbum(deletesPhotos: run.once(in: 2))
        guard model.removedAlbums.count > count, let removed = model.removedAlbums.last else { return }
        try await check()
        if run.once(in: 3) { try await restore(run.some(of: model.trash, atMost: 2)) }
        if run.once(in: 3) { try await delete(run.some(of: model.live.sorted(), atMost: 2)) }
        try await bringBack(removed)
    }

    // MARK: What people do with photos

    private func setFavourite(_ isFavourite: Bool, _ numbers: [Int]) async throws {
        run.note("\(isFavourite ? "heart" : "no heart") for \(numbers)")
        let count = model.setFavourite(numbers, isFavourite)
        let changed =
            if run.once(in: 2) {
                try await session.photos.setFavourite(names(numbers), isFavourite)
            } else if isFavourite {
                try await session.albums.add(names(numbers), to: Album.favourites)
            } else {
                try await session.albums.takeOut(names(numbers), of: Album.favourites)
            }
        try run.expect(changed, count, "how many changed")
    }

    private func setApart() async throws {
        let (numbers, isApart) = (targets(), !run.once(in: 3))
        run.note("apart, \(isApart): \(numbers)")
        let count = model.setApart(numbers, isApart)
        try run.expect(try await session.photos.setApart(names(numbers), isApart), count, "how many changed")
    }

    private func shift() async throws {
        let (numbers, minutes) = (targets(), -run.number(in: 1...100_000))
        run.note("shift \(numbers) by \(minutes)")
        let count = model.shift(numbers, minutes: minutes)
        try run.expect(try await session.photos.shift(names(numbers), minutes: minutes), count, "how many moved")
    }

    private func caption(for number: Int?) async throws {
        let caption = run.once(in: 4) ? nil : ["Am Meer", "海", "words"][run.number(below: 3)]
        var correction = PhotoCorrection()
        correction.caption = caption.map { .said($0) } ?? .some(.none)
        try await correct(number, correction, "caption \(caption ?? "none")") { $0.caption = caption }
    }

    private func date() async throws {
        let said = run.once(in: 4) ? nil : "19\(run.number(in: 60...69))-06-30T14:\(run.number(in: 10...59))"
        let time = said.flatMap { CaptureTime(said: $0) }
        var correction = PhotoCorrection()
        correction.takenAt = time.map { .said($0) } ?? .some(.none)
        try await correct(aTarget(), correction, "date \(said ?? "none")") { $0.saidTime = time?.milliseconds }
    }

    private func rotate() async throws {
        var correction = PhotoCorrection()
        let rotation = run.number(below: 4) * 90
        correction.rotation = rotation
        let angle = run.number(below: 4)
        let edit = angle == 0 ? nil : PhotoEdit(left: 0, top: 0.5, right: 0.25, bottom: 1, angle: Double(angle))
        correction.edit = edit.map { .said($0) } ?? .some(.none)
        try await correct(aTarget(), correction, "rotation \(rotation), crop \(angle)") { keeping in
            keeping.rotation = rotation
            keeping.edit = edit
        }
    }

    private func correct(
        _ number: Int?, _ correction: PhotoCorrection, _ what: String,
        _ change: (inout LibraryModel.Keeping) -> Void
    ) async throws {
        guard let number, let id = ids[number] else { return }
        run.note("\(what) for \(number)")
        model.correct(number, change)
        let expected = model.standing(number).map { Result<String, VaultError>.success("photo \($0)") }
        try await run.expect(expected ?? .failure(.noSuchPhoto), "what was changed") {
            try await session.photos.correct(id, correction).name
        }
    }

    // MARK: The daemon

    func restart() async throws {
        let isReadBack = sample.configuration.limits.quietBeforeReread != nil || run.once(in: 3)
        run.note("restart\(isReadBack ? "" : ", nothing is read back")")
        try await sample.stop()
        sample.configuration.limits.quietBeforeReread = isReadBack ? .zero : nil
        try await enter(try await sample.start().open(text))
        try await checkBytes()
    }

    /// The data directory as it is at this moment, opened by another daemon: what a killed one leaves.
    private func crash() async throws {
        run.note("crash")
        let next = try await sample.killed()
        try await sample.stop()
        sample = next
        try await enter(try await sample.start().open(text))
    }

    private func enter(_ next: Session) async throws {
        session = next
        model.forgetSession()
        try await settle()
        let photos = try await session.photos.page(cursor: nil).photos + session.trash.all()
        ids = [:]
        for photo in photos { ids[try number(photo)] = photo.id }
    }

    private func settle() async throws {
        guard sample.configuration.limits.quietBeforeReread != nil else { return }
        try await session.settle()
        model.readBack()
    }

    private func number(_ photo: Photo) throws -> Int {
        guard let number = Int(photo.name.dropFirst("photo ".count)) else {
            throw Difference(description: "a photo is called \(photo.name)")
        }
        return number
    }

    // MARK: Expectations

    private func check() async throws {
        try run.expect(session.damage == nil, true, "whether all is whole")
        let photos = try await session.photos.page(cursor: nil).photos
        try run.expect(try photos.map(number), model.live, "the photos")
        try run.expect(try await session.trash.all().map(number), model.trash, "\"Recently deleted\"")
        for photo in photos { try check(photo) }
        try await checkAlbums()
    }

    private func check(_ photo: Photo) throws {
        let (number, found) = (try number(photo), photo.details.keeping)
        guard let expected = model.photos[number]?.keeping else { return }
        var seen = LibraryModel.Keeping()
        seen.albums = found.albums.compactMap { id in model.albums.first { $0.value.id == id.text }?.key }
        (seen.isFavourite, seen.isApart, seen.rotation) = (found.isFavourite, found.isApart, found.rotation)
        seen.caption = found.caption
        seen.edit = found.edit
        seen.saidTime = photo.details.takenAt.flatMap { $0.source == .person ? $0.milliseconds : nil }
        var standing = expected
        standing.albums = expected.albums.filter { model.albums[$0] != nil }
        try run.expect(seen, standing, "what is kept of photo \(number)")
    }

    private func checkAlbums() async throws {
        let listed = try await session.albums.all()
        let favourites = listed.first { $0.id == Album.favourites }
        try run.expect(favourites?.count ?? 0, model.favourites.count, "how many hearts there are")
        try run.expect(favourites?.cover, model.favourites.first.flatMap { ids[$0] }, "the cover of the hearts")
        let albums = listed.filter { $0.id != Album.favourites }
        try run.expect(Set(albums.map(\.id)), Set(model.albums.values.map(\.id)), "the albums")
        for (number, expected) in model.albums {
            guard let found = albums.first(where: { $0.id == expected.id }) else { continue }
            try run.expect(found.name, expected.name.text, "the name of album \(number)")
            let members = try await session.albums.photos(of: found.id)
            try run.expect(members, model.members(of: number).compactMap { ids[$0] }, "what is in album \(number)")
            try run.expect(found.count, members.count, "how many are in album \(number)")
            try run.expect(found.cover, model.cover(of: number).flatMap { ids[$0] }, "the cover of album \(number)")
            let isChosen = model.chosenCover(of: number) != nil
            try run.expect(found.isCoverChosen, isChosen, "whether the cover of album \(number) was chosen")
        }
        try checkOrder(albums)
    }

    /// What was used last comes first. Of albums that were used in the same millisecond either may.
    private func checkOrder(_ albums: [Album]) throws {
        let uses = Dictionary(uniqueKeysWithValues: model.albums.values.map { ($0.id, $0.use) })
        for (one, next) in zip(albums, albums.dropFirst()) where one.usedAt != next.usedAt {
            try run.expect((uses[one.id] ?? 0) > (uses[next.id] ?? 0), true, "whether \(one.name ?? "") comes first")
        }
    }

    private func checkBytes() async throws {
        for (number, photo) in model.photos {
            guard let id = ids[number] else { throw Difference(description: "photo \(number) has no id") }
            try run.expect(content: try await session.content(id), photo.content, "photo \(number)")
        }
        try run.expect(try sample.objectFiles().count, model.photos.count, "how many files there are")
    }
}
