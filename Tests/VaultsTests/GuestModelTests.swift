import Foundation
import HostSupport
import NIOCore
import Sealing
import Testing

@testable import Content
@testable import Records
@testable import Uploads
@testable import Vault
@testable import Vaults

@Suite("Guests and their move: random steps against a model")
struct GuestModelTests {
    @Test("what guests bring is theirs, then the vault's, once and whole, for its days", arguments: ModelRun.seeds(10))
    func steps(seed: UInt64) async throws {
        await ModelRun.follow(seed) { run in
            let world = try await GuestWorld(run)
            for _ in 0..<45 { try await world.step() }
            try await world.restart()
            try await world.end()
        }
    }
}

/// A guest's space or a vault that is open, and what must be in it.
private final class Place {
    struct Upload {
        let id: String
        let name: String
        let content: [UInt8]
        var offset: Int
        /// The last day on which it can be gone on with.
        var lastDay: UInt32
    }

    let name: String
    var session: Session
    /// Of a guest's cookie; nil for a vault.
    let token: String?
    let lastDay: UInt32
    var library: LibraryModel
    var uploads: [Upload] = []
    var ids: [Int: String] = [:]

    init(vault name: String, _ session: Session) {
        (self.name, self.session, token, lastDay) = (name, session, nil, .max)
        library = LibraryModel()
    }

    init(guest name: String, _ opening: GuestOpening, lastDay: UInt32) {
        (self.name, session, token, self.lastDay) = (name, opening.session, opening.token, lastDay)
        library = LibraryModel(isGuest: true)
    }

    var isGuest: Bool { token != nil }

    /// Some of its photos, deleted ones too.
    func targets(_ run: ModelRun) -> [Int] { run.some(of: library.photos.keys.sorted(), atMost: 3) }

    func names(_ numbers: [Int]) -> [String] { numbers.compactMap { ids[$0] } }
}

/// One daemon with a few guests and two vaults, all of them open.
private final class GuestWorld {
    private enum Step: CaseIterable {
        case begin, upload, uploadMore, uploadEvenMore, uploadPart, goOn, finish
        case delete, deleteMore, restore, deleteForGood, caption, heart, album
        case visit, anotherVisit, move, moveWhileSending, rare
    }

    private enum RareStep: CaseIterable { case end, restart, crash, days, moreDays }

    private static let vaultNames = ["violet tram seven", "seven violet trams"]

    private let run: ModelRun
    private let day = Day()
    private var sample: TestHost
    private var guests: [Place] = []
    private var vaults: [Place] = []
    /// Unfinished uploads of guests whose days are over: nobody can go on with them, and their bytes go on their own day.
    private var orphans: [Place.Upload] = []
    private var nameCount = 0
    private let firstDay: UInt32
    private var deletionCount = 0
    private var lastDeletion: UInt64 = 0

    init(_ run: ModelRun) async throws {
        self.run = run
        firstDay = day.today
        // Without reading back nothing is a duplicate, until a restart turns it on.
        let isReadBack = !run.once(in: 3)
        sample = try TestHost { [day] configuration in
            configuration.limits.quietBeforeReread = isReadBack ? .zero : nil
            configuration.today = { day.today }
        }
        try await sample.start()
    }

    func end() async throws { try await sample.stop() }

    private var places: [Place] { vaults + guests }

    func step() async throws {
        let step = run.pick(Step.allCases) ?? .begin
        switch step {
        case .begin: try await begin()
        case .visit, .anotherVisit: try await visit()
        case .move: try await move(run.pick(guests), isSending: false)
        case .moveWhileSending: try await move(run.pick(guests), isSending: true)
        case .rare: try await takeRareStep()
        default: if let place = run.pick(places) { try await take(step, place) }
        }
        for place in places { try await check(place) }
        try await checkDisk()
    }

    private func take(_ step: Step, _ place: Place) async throws {
        switch step {
        case .uploadPart: try await uploadPart(place)
        case .goOn: try await goOn(place, isWhole: false)
        case .finish: try await goOn(place, isWhole: true)
        case .delete, .deleteMore: try await delete(place)
        case .restore: try await restore(place)
        case .deleteForGood: try await deleteForGood(place)
        case .caption: try await caption(place)
        case .heart: try await heart(place)
        case .album: try await joinAlbum(place)
        default: try await upload(place)
        }
    }

    private func takeRareStep() async throws {
        switch run.pick(RareStep.allCases) ?? .days {
        case .end: try await endGuest()
        case .restart: try await restart()
        case .crash: try await crash()
        case .days, .moreDays: try await passDays()
        }
    }

    // MARK: Guests

    private func begin() async throws {
        guard guests.count < 3 else { return }
        nameCount += 1
        let name = "guest \(nameCount)"
        run.note("\(name) begins")
        let opening = try await sample.service().guest()
        guests.append(Place(guest: name, opening, lastDay: day.today + SessionRecord.days))
    }

    /// Somebody comes with a few photos, and as a rule opens a vault then. Chance alone would seldom bring as much.
    private func visit() async throws {
        if guests.count == 3 { try await move(guests[0], isSending: false) }
        try await begin()
        guard let guest = guests.last else { return }
        for _ in 0..<3 { try await upload(guest) }
        if run.once(in: 2) { try await uploadPart(guest) }
        if run.once(in: 2) { try await delete(guest) }
        for vault in vaults { try await run.once(in: 2) ? caption(vault) : joinAlbum(vault) }
        try await check(guest)
        if !run.once(in: 4) { try await move(guest, isSending: run.once(in: 3)) }
    }

    private func endGuest() async throws {
        guard let guest = run.pick(guests) else { return }
        run.note("\(guest.name) deletes everything")
        try await sample.service().endGuest(guest.session)
        try await expectGone(guest)
    }

    private func expectGone(_ guest: Place) async throws {
        guests.removeAll { $0 === guest }
        try run.expect(guest.session.isEnded, true, "whether the session of \(guest.name) has ended")
        let session = try await sample.service().session(token: guest.token ?? "", .guest)
        try run.expect(session == nil, true, "whether \(guest.name) is gone")
    }

    // MARK: Photos

    private func content() -> [UInt8] {
        let known = places.flatMap { place in place.library.photos.sorted { $0.key < $1.key }.map(\.value.content) }
        return (run.once(in: 2) ? run.pick(known) : nil) ?? run.bytes(2...3000)
    }

    private func newName() -> String {
        nameCount += 1
        return "photo \(nameCount)"
    }

    private func upload(_ place: Place) async throws {
        let (content, name) = (content(), newName())
        run.note("\(place.name) uploads \(name), \(content.count) bytes")
        let photo = try await place.session.upload(content, name: name)
        let duplicate = place.library.duplicate(of: content)
        try run.expect(photo.isDuplicate ?? false, duplicate != nil, "whether it is a duplicate")
        if duplicate == nil { add(name, content, photo.id, to: place) }
        try await settle(place)
    }

    private func add(_ name: String, _ content: [UInt8], _ id: String?, to place: Place) {
        let number = place.library.add(LibraryModel.Photo(name: name, content: content, receivedAt: 0))
        place.ids[number] = id
    }

    private func uploadPart(_ place: Place) async throws {
        let (content, name) = (content(), newName())
        let part = run.number(in: 1...content.count - 1)
        run.note("\(place.name) uploads \(part) of \(content.count) bytes of \(name)")
        let status = try await place.session.announce(content.count, name: name)
        try await place.session.sendCut(content.prefix(part), to: status.id, at: 0)
        place.uploads.append(
            Place.Upload(
                id: status.id, name: name, content: content, offset: part, lastDay: day.today + UploadRecord.days))
    }

    private func goOn(_ place: Place, isWhole: Bool) async throws {
        guard let index = run.pick(place.uploads.indices) else { return }
        let upload = place.uploads[index]
        let rest = upload.content.dropFirst(upload.offset)
        if !isWhole, rest.count > 1 {
            let part = rest.prefix(run.number(in: 1...rest.count - 1))
            run.note("\(place.name) sends \(part.count) bytes more of \(upload.name)")
            try await place.session.sendCut(part, to: upload.id, at: upload.offset)
            place.uploads[index].offset += part.count
            place.uploads[index].lastDay = day.today + UploadRecord.days
            return
        }
        run.note("\(place.name) finishes \(upload.name)")
        let status = try await place.session.send(rest, to: upload.id, at: upload.offset)
        place.uploads.remove(at: index)
        add(upload.name, upload.content, status.photo?.id, to: place)
        try await settle(place)
    }

    private func delete(_ place: Place) async throws {
        let numbers = place.targets(run)
        run.note("\(place.name) deletes \(numbers)")
        let count = place.library.delete(numbers, as: await nextDeletion())
        try run.expect(try await place.session.trash.move(place.names(numbers)), count, "how many were deleted")
        lastDeletion = Milliseconds.now
    }

    /// A photo is deleted no earlier than on the last day that was sure: here that is ahead of this machine's clock once
    /// days have passed, and all that is deleted on one of them is deleted at its beginning.
    private func nextDeletion() async -> Int {
        while Milliseconds.now <= lastDeletion { await Task.yield() }
        deletionCount += 1
        return day.today == firstDay ? deletionCount : Int(day.today) * 1_000_000
    }

    private func restore(_ place: Place) async throws {
        let numbers = run.some(of: place.library.trash, atMost: 3)
        run.note("\(place.name) restores \(numbers)")
        let count = place.library.restore(numbers.sorted())
        try run.expect(try await place.session.trash.restore(place.names(numbers)), count, "how many were restored")
    }

    private func deleteForGood(_ place: Place) async throws {
        let numbers = place.targets(run)
        run.note("\(place.name) deletes \(numbers) for good")
        let count = place.library.deleteForGood(numbers)
        try run.expect(try await place.session.trash.delete(place.names(numbers)).count, count, "how many are gone")
    }

    // MARK: What a guest may not do

    private func caption(_ place: Place) async throws {
        guard let number = place.targets(run).first, let id = place.ids[number] else { return }
        let words = "words \(run.number(below: 4))"
        run.note("\(place.name) says \(words) of \(number)")
        var correction = PhotoCorrection()
        correction.caption = .said(words)
        let photo = place.library.photos[number]
        if !place.isGuest { place.library.correct(number) { $0.caption = words } }
        try await run.expect(place.isGuest ? .failure(.vaultNeeded) : .success(photo?.name), "the caption") {
            try await place.session.photos.correct(id, correction).name
        }
    }

    private func heart(_ place: Place) async throws {
        let numbers = place.targets(run)
        run.note("\(place.name) gives a heart to \(numbers)")
        let count = place.isGuest ? 0 : place.library.setFavourite(numbers, true)
        try await run.expect(place.isGuest ? .failure(.vaultNeeded) : .success(count), "the heart") {
            try await place.session.photos.setFavourite(place.names(numbers), true)
        }
    }

    /// A vault has one.
    private func joinAlbum(_ place: Place) async throws {
        let numbers = place.targets(run)
        run.note("\(place.name) puts \(numbers) into an album")
        guard !place.isGuest else {
            try await run.expect(.failure(.vaultNeeded), "the album") {
                try await place.session.albums.make("Rome", with: place.names(numbers)).id
            }
            try run.expect(try await place.session.albums.all().isEmpty, true, "whether a guest has no albums")
            return
        }
        if place.library.albums.isEmpty {
            place.library.make(1, try AlbumName("Rome"), id: try await place.session.albums.make("Rome").id)
        }
        let count = place.library.join(numbers, to: 1)
        let id = place.library.albums[1]?.id ?? ""
        try run.expect(try await place.session.albums.add(place.names(numbers), to: id), count, "how many have joined")
    }

    // MARK: The move

    private func move(_ guest: Place?, isSending: Bool) async throws {
        guard let guest, let name = run.pick(Self.vaultNames) else { return }
        run.note("\(guest.name) moves to \(name)\(isSending ? " while it sends" : "")")
        let sending = isSending ? try await Sending(guest, content(), newName(), run) : nil
        let opening = try await open(name, taking: guest)
        try run.expect(opening.migrationRefusal, nil, "why it cannot move")
        let vault = vaults.first { $0.name == name } ?? Place(vault: name, opening.session)
        try await enter(vault, opening.session)
        let (migration, numbers) = vault.library.takeIn(guest.library)
        vault.uploads += guest.uploads
        try run.expect(opening.migration, migration, "what moved")
        try await expectGone(guest)
        if let sending {
            let photo = try await sending.finish()
            add(sending.name, sending.content, photo, to: vault)
        }
        try await settle(vault)
        try await nameAnew(vault)
        try await expectIDs(of: guest, numbers, in: vault)
    }

    /// A vault that is not there is made for the guest.
    private func open(_ name: String, taking guest: Place) async throws -> Opening {
        let service = try sample.service()
        if vaults.contains(where: { $0.name == name }) {
            return try await service.open(name, keep: run.once(in: 2), guest: guest.session)
        }
        return try await service.create(
            password: password(name), confirmation: password(name), code: nil, client: .here,
            options: OpeningOptions(guest: guest.session))
    }

    /// The session that was open before is locked, as that of another device would be some time.
    private func enter(_ vault: Place, _ session: Session) async throws {
        if vault.session !== session { try await sample.service().lock(vault.session) }
        vault.session = session
        vault.library.forgetSession()
        if !vaults.contains(where: { $0 === vault }) { vaults.append(vault) }
    }

    /// What the guest's page called its photos names them in the vault.
    private func expectIDs(of guest: Place, _ numbers: [Int: Int], in vault: Place) async throws {
        for (former, number) in numbers {
            guard let id = guest.ids[former], let expected = vault.library.standing(number) else { continue }
            let photo = try await vault.session.photos.photo(id)
            try run.expect(photo.name, vault.library.photos[expected]?.name, "photo \(former) of the guest")
            try run.expect(photo.id, vault.ids[expected], "the id of photo \(former) of the guest")
        }
    }

    // MARK: The daemon

    func restart() async throws {
        run.note("restart")
        try await sample.stop()
        if run.once(in: 2) { sample.configuration.limits.quietBeforeReread = .zero }
        try await sample.start()
        try await reopen()
    }

    /// The data directory as it is at this moment, opened by another daemon: what a killed one leaves.
    private func crash() async throws {
        run.note("crash")
        let next = try await sample.killed()
        try await sample.stop()
        sample = next
        try await sample.start()
        try await reopen()
    }

    private func reopen() async throws {
        let service = try sample.service()
        for vault in vaults {
            try await enter(vault, try await service.open(vault.name))
            try await settle(vault)
            try await nameAnew(vault)
        }
        for guest in guests {
            let found = try await service.session(token: guest.token ?? "", .guest)
            guard let session = found else { throw Difference(description: "\(guest.name) is not found again") }
            guest.session = session
            try await settle(guest)
            // A page that was open meanwhile goes on with the ids that it has.
            let ids = guest.ids.filter { guest.library.photos[$0.key] != nil }
            try await nameAnew(guest)
            try run.expect(guest.ids, ids, "what \(guest.name) calls its photos")
        }
        for place in places { try await checkBytes(place) }
    }

    private func passDays() async throws {
        let count = run.number(in: 4...14)
        run.note("\(count) days pass")
        let service = try sample.service()
        for _ in 0..<count {
            day.advance()
            await service.runDailyWork()
        }
        for place in places {
            for upload in place.uploads where upload.lastDay < day.today { try await expectGone(upload, of: place) }
            place.uploads.removeAll { $0.lastDay < day.today }
        }
        for guest in guests where guest.lastDay < day.today {
            orphans += guest.uploads
            try await expectGone(guest)
        }
        orphans.removeAll { $0.lastDay < day.today }
    }

    private func expectGone(_ upload: Place.Upload, of place: Place) async throws {
        guard place.lastDay >= day.today else { return }
        do {
            _ = try await place.session.uploads.status(of: upload.id)
        } catch VaultError.noSuchUpload {
            return
        } catch VaultError.uploadGone {
            return
        }
        throw Difference(description: "\(upload.name) can be gone on with beyond its last day")
    }

    private func settle(_ place: Place) async throws {
        guard sample.configuration.limits.quietBeforeReread != nil else { return }
        try await place.session.settle()
        place.library.readBack()
    }

    private func nameAnew(_ place: Place) async throws {
        let photos = try await place.session.photos.page(cursor: nil).photos + place.session.trash.all()
        place.ids = [:]
        for photo in photos {
            guard let number = place.library.photos.first(where: { $0.value.name == photo.name })?.key else {
                throw Difference(description: "\(photo.name) is in \(place.name)")
            }
            place.ids[number] = photo.id
        }
    }

    // MARK: Expectations

    private func check(_ place: Place) async throws {
        let (session, library) = (place.session, place.library)
        try run.expect(session.damage == nil, true, "whether \(place.name) is whole")
        let photos = try await session.photos.page(cursor: nil).photos
        try run.expect(photos.map(\.name), library.live.compactMap { library.photos[$0]?.name }, "\(place.name)")
        try run.expect(
            try await session.trash.all().map(\.name), library.trash.compactMap { library.photos[$0]?.name },
            "\"Recently deleted\" of \(place.name)")
        for (photo, number) in zip(photos, library.live) {
            let (found, expected) = (photo.details.keeping, library.photos[number]?.keeping)
            try run.expect(found.caption, expected?.caption, "the caption of \(photo.name)")
            try run.expect(found.isFavourite, expected?.isFavourite, "the heart of \(photo.name)")
            let albums = expected?.albums.compactMap { library.albums[$0]?.id }
            try run.expect(found.albums.map(\.text), albums, "the albums of \(photo.name)")
        }
        for upload in place.uploads {
            let offset = try await session.uploads.status(of: upload.id).offset
            try run.expect(offset, UInt64(upload.offset), "what came of \(upload.name)")
        }
        guard place.isGuest else { return }
        let end = Double(place.lastDay + 1) * 86_400
        try run.expect(session.end?.timeIntervalSince1970, end, "the end of \(place.name)")
    }

    private func checkDisk() async throws {
        let expected = places.map { $0.library.photos.count + $0.uploads.count }.reduce(orphans.count, +)
        try run.expect(try sample.objectFiles().count, expected, "how many files there are")
        if guests.isEmpty { try run.expect(try sample.service().guestRows(), 0, "how many rows guests have") }
    }

    private func checkBytes(_ place: Place) async throws {
        for (number, photo) in place.library.photos {
            guard let id = place.ids[number] else { throw Difference(description: "\(photo.name) has no id") }
            try run.expect(content: try await place.session.content(id), photo.content, photo.name)
        }
    }
}

/// A photo that a guest is sending when it moves.
private struct Sending {
    private enum Way {
        case onePiece(Upload)
        case resumable(UploadRun)
    }

    let name: String
    let content: [UInt8]
    private let sent: Int
    private let way: Way

    init(_ guest: Place, _ content: [UInt8], _ name: String, _ run: ModelRun) async throws {
        (self.content, self.name) = (content, name)
        sent = run.number(in: 1...content.count - 1)
        let part = ByteBuffer(bytes: content.prefix(sent))
        if run.once(in: 2) {
            let upload = try await guest.session.uploads.begin(name: name, declaredByteCount: nil, lastModified: nil)
            try await upload.append(part)
            way = .onePiece(upload)
        } else {
            let status = try await guest.session.announce(content.count, name: name)
            let writing = try await guest.session.uploads.resume(status.id, at: 0)
            try await writing.append(part)
            way = .resumable(writing)
        }
    }

    /// - Returns: the id of the photo.
    func finish() async throws -> String? {
        let rest = ByteBuffer(bytes: content.dropFirst(sent))
        switch way {
        case .onePiece(let upload):
            try await upload.append(rest)
            return try await upload.finish().id
        case .resumable(let writing):
            try await writing.append(rest)
            return try await writing.finish().photo?.id
        }
    }
}
