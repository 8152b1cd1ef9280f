import Bytes
import Foundation
import HostSupport
import Media
import TestSupport
import Testing

@testable import Content
@testable import Records
@testable import Sealing
@testable import Store
@testable import Unlocking
@testable import Vault
@testable import Vaults

@Suite("Windows, through which others look at photos of a vault")
struct WindowTests {
    private let text = "violet tram seven"
    let host: TestHost

    init() throws {
        let making = PictureMaking(maker: SampleMaker())
        host = try TestHost {
            $0.pictures = making
            $0.limits.windowPause = .zero
        }
    }

    private func owner(_ names: String...) async throws -> Session {
        let session = try await host.start().make(text)
        for (index, name) in names.enumerated() {
            try await session.upload(photoBytes(UInt8(index + 1)), name: name)
        }
        try await settle(session)
        return session
    }

    /// Returns when pictures are made, and the lists say what the vault does.
    private func settle(_ session: Session) async throws {
        let vault = try session.requireVault()
        await vault.verifier.pause()
        await vault.pictures.pause()
        await vault.windowKeeper.pause()
    }

    private func id(of name: String, _ session: Session) async throws -> String {
        try #require(try await session.photos.page(cursor: nil).photos.first { $0.name == name }).id
    }

    private func make(
        _ session: Session, _ adjust: (inout WindowChange) -> Void = { _ in }
    ) async throws -> Window {
        var wanted = WindowChange()
        wanted.name = "Rome"
        wanted.lastDay = try host.service().store.today + 30
        wanted.photos = try await session.photos.page(cursor: nil).photos.map(\.id)
        adjust(&wanted)
        return try await host.service().makeWindow(wanted, of: session, client: .here)
    }

    private func change(
        _ window: Window, _ session: Session, _ adjust: (inout WindowChange) -> Void
    ) async throws -> Window {
        var wanted = WindowChange()
        adjust(&wanted)
        return try await host.service().changeWindow(window.record.id.text, wanted, of: session, client: .here)
    }

    private func enter(
        _ window: Window, _ typed: String? = nil, cookie: ViewerCookie? = nil, at other: TestHost? = nil
    ) async throws -> (session: Session, cookie: ViewerCookie) {
        let code = try #require(Array(window.code.utf8).withUnsafeBytes { WindowCode(typed: $0) })
        return try await (other ?? host).service().enterWindow(
            code, password: try typed.map { try password($0) }, cookie: cookie, client: .stranger)
    }

    private func names(_ session: Session) async throws -> [String] { try await session.names().sorted() }

    private func isPicture(_ answer: PictureAnswer) -> Bool { if case .made = answer { true } else { false } }

    private func stored(_ session: Session) throws -> UInt64 { try session.requireVault().head.storedByteCount }

    @Test("are looked through while the vault is locked, also after a restart, and give pictures, not originals")
    func looking() async throws {
        let owner = try await owner("a.jpg", "b.jpg")
        let window = try await make(owner)
        #expect(window.count == 2 && window.visitorCount == 0)
        try await host.service().lock(owner)
        for isRestarted in [false, true] {
            if isRestarted { _ = try await host.restart() }
            let (session, _) = try await enter(window)
            #expect(try await names(session) == ["a.jpg", "b.jpg"])
            for photo in try await session.photos.page(cursor: nil).photos {
                #expect(isPicture(try await session.pictures.thumbnail(photo.id)))
                #expect(isPicture(try await session.pictures.preview(photo.id)))
                #expect(photo.byteCount == 0 && photo.sha256 == nil && photo.verifiedAt == nil)
                await #expect(throws: VaultError.windowLooksOnly) { try await session.content(photo.id) }
            }
            #expect(try host.service().registry.openVaults.isEmpty)
        }
        try await host.stop()
    }

    @Test("that only show have no file key in their lists")
    func keysOfLists() async throws {
        let owner = try await owner("a.jpg", "b.jpg", "c.jpg")
        let window = try await make(owner)
        let vault = try owner.requireVault()
        let fileKeys = try vault.library.allBlocking().map { try vault.fileKey(of: $0) }
        #expect(try listHolds(fileKeys, of: window, in: vault) == 0)
        let open = try await change(window, owner) { $0.hasOriginals = true }
        #expect(try listHolds(fileKeys, of: open, in: vault) == 3)
        let shut = try await change(open, owner) { $0.hasOriginals = false }
        #expect(try listHolds(fileKeys, of: shut, in: vault) == 0)
        // No former list is left behind.
        #expect(try host.objectFiles().count == 4)
        try await host.stop()
    }

    /// How many of these keys stand in what the list says, wherever that is.
    private func listHolds(_ keys: [SharedSecret], of window: Window, in vault: OpenVault) throws -> Int {
        let place = window.record.list
        let record = PhotoRecord(
            serial: 0, object: place.object, byteCount: place.byteCount, runs: [place.run], name: "", type: "",
            receivedAt: 0)
        let listKey = try WindowSecret.listKey(
            of: vault.secret(of: window.record.id).bytes, generation: window.record.generation)
        let reader = try ObjectReader(record: record, fileKey: listKey, store: vault.store)
        let plain = Array(try reader.read(0..<place.run.plaintextByteCount).readableBytesView)
        return keys.count { key in
            let key = key.bytes.withUnsafeBytes { Array($0) }
            return plain.indices.contains { plain[$0...].starts(with: key) }
        }
    }

    @Test("give originals where their owner allows that")
    func originals() async throws {
        let owner = try await owner("a.jpg")
        let window = try await make(owner) { ($0.hasOriginals, $0.showsPlaces) = (true, true) }
        try await host.service().lock(owner)
        let (session, _) = try await enter(window)
        let photo = try #require(try await session.photos.page(cursor: nil).photos.first)
        #expect(try await session.content(photo.id) == photoBytes(1))
        try await host.stop()
    }

    @Test("with a password open by it alone, and wrong ones keep nobody of the house waiting")
    func passwords() async throws {
        let owner = try await owner("a.jpg")
        var window = try await make(owner) { $0.password = try? password("nine amber kettles") }
        await #expect(throws: VaultError.windowPassword(isWrong: false)) { try await enter(window) }
        #expect(try await names(enter(window, "nine amber kettles").session) == ["a.jpg"])
        for _ in 0..<6 {
            await #expect(throws: VaultError.windowPassword(isWrong: true)) { try await enter(window, "another one") }
        }
        await #expect(throws: VaultError.self) { try await enter(window, "nine amber kettles") }
        // Who shares its address with all of them opens a vault.
        #expect(try await host.service().open(text, from: .stranger).isEnded == false)
        #expect(try host.service().throttle.wrongCount == 0)
        window = try await change(window, owner) { $0.password = try? password("") }
        #expect(window.record.terms.hasPassword == false)
        try await host.stop()
    }

    @Test("show nothing any more of a photo that lies in the trash, and show it again when it is put back")
    func trash() async throws {
        let owner = try await owner("a.jpg", "b.jpg")
        let window = try await make(owner)
        let (session, _) = try await enter(window)
        let seen = try await id(of: "a.jpg", session)
        _ = try await owner.trash.move([try await id(of: "a.jpg", owner)])
        // At once, before any list is written.
        #expect(try await names(session) == ["b.jpg"])
        await #expect(throws: VaultError.noSuchPhoto) { try await session.pictures.thumbnail(seen) }
        #expect(try await names(enter(window).session) == ["b.jpg"])
        try await settle(owner)
        #expect(try await names(session) == ["b.jpg"])
        _ = try await owner.trash.restore([try #require(try await owner.trash.all().first).id])
        try await settle(owner)
        #expect(try await names(enter(window).session) == ["a.jpg", "b.jpg"])
        _ = try await owner.trash.move([try await id(of: "a.jpg", owner)])
        _ = try await owner.trash.empty()
        _ = try await host.restart()
        #expect(try await names(enter(window).session) == ["b.jpg"])
        try await host.stop()
    }

    @Test("of an album follow it")
    func albums() async throws {
        let owner = try await owner("a.jpg", "b.jpg")
        let album = try await owner.albums.make("Rome", with: [try await id(of: "a.jpg", owner)])
        let window = try await make(owner) { ($0.photos, $0.album) = (nil, album.id) }
        let (session, _) = try await enter(window)
        #expect(try await names(session) == ["a.jpg"])
        let seen = try await id(of: "a.jpg", session)
        _ = try await owner.albums.add([try await id(of: "b.jpg", owner)], to: album.id)
        try await settle(owner)
        // The new list is read behind the commit that it came with.
        while try await names(session) != ["a.jpg", "b.jpg"] { await Task.yield() }
        // Whoever looks knows a photo by the same name.
        #expect(try await id(of: "a.jpg", session) == seen)
        _ = try await owner.albums.takeOut([try await id(of: "a.jpg", owner)], of: album.id)
        #expect(try await names(session) == ["b.jpg"])
        _ = try await owner.albums.remove(album.id, deletesPhotos: false)
        #expect(try await names(session) == [])
        try await settle(owner)
        #expect(try await names(enter(window).session) == [])
        try await host.stop()
    }

    @Test("count a browser once, and let in no more than may come")
    func visitors() async throws {
        let owner = try await owner("a.jpg")
        let window = try await make(owner) { $0.mostVisitors = 2 }
        let (_, cookie) = try await enter(window)
        _ = try await enter(window)
        await #expect(throws: VaultError.windowFull) { try await enter(window) }
        _ = try await host.restart()
        #expect(try await enter(window, cookie: cookie).session.isEnded == false)
        let other = try #require(ViewerCookie(text: cookie.text))
        #expect(try await enter(window, cookie: other).session.isEnded == false)
        let again = try await host.service().open(text)
        let shown = try #require(try await host.service().windows(of: again).first)
        let today = try host.service().store.today
        #expect(shown.visitorCount == 2 && shown.lastSeen == today)
        try await host.stop()
    }

    @Test("that are shut, over or closed show nothing, and leave nothing behind")
    func endings() async throws {
        let owner = try await owner("a.jpg")
        let before = try stored(owner)
        var window = try await make(owner)
        #expect(try stored(owner) > before)
        let (_, former) = try await enter(window)
        window = try await change(window, owner) { $0.isShut = true }
        await #expect(throws: VaultError.windowShut(name: "Rome")) { try await enter(window) }
        #expect(try await host.service().viewer(former, isUse: true) == nil)
        window = try await change(window, owner) { $0.isShut = false }
        let (session, _) = try await enter(window, cookie: former)
        try await host.service().closeWindow(window.record.id.text, of: owner)
        #expect(session.isEnded)
        await #expect(throws: VaultError.noSuchWindow) { try await enter(window) }
        #expect(try stored(owner) == before)
        #expect(try host.objectFiles().count == 1)
        _ = try await host.restart()
        let again = try await host.service().open(text)
        #expect(again.damage == nil)
        #expect(try await host.service().windows(of: again).isEmpty)
        try await host.stop()
    }

    @Test("stay as they are when the vault gets another key, and go when it is erased")
    func rotation() async throws {
        let owner = try await owner("a.jpg", "b.jpg")
        let window = try await make(owner)
        #expect(try await host.service().rotateKey(owner, password: password(text), client: .here))
        #expect(try await names(enter(window).session) == ["a.jpg", "b.jpg"])
        _ = try await host.restart()
        let again = try await host.service().open(text)
        #expect(again.damage == nil)
        #expect(try await host.service().windows(of: again).map(\.code) == [window.code])
        _ = try await change(window, again) { $0.name = "Roma" }
        let (session, _) = try await enter(window)
        try await host.service().erase(again, password: password(text), client: .here)
        await #expect(throws: VaultError.noSuchWindow) { try await enter(window) }
        #expect(try await host.service().viewer(try ViewerCookie(tickets: []), isUse: true) == nil)
        #expect(try host.objectFiles().isEmpty)
        _ = session
        try await host.stop()
    }

    @Test("go on showing a photo that became one with another of the same content")
    func duplicates() async throws {
        // Only what was read back takes the place of another.
        host.configuration.limits.quietBeforeReread = .zero
        let owner = try await owner("a.jpg")
        _ = try await owner.trash.move([try await id(of: "a.jpg", owner)])
        try await owner.upload(photoBytes(1), name: "again.jpg")
        try await settle(owner)
        let window = try await make(owner)
        #expect(try await names(enter(window).session) == ["again.jpg"])
        // Of two with one content the older stays.
        _ = try await owner.trash.restore([try #require(try await owner.trash.all().first).id])
        try await settle(owner)
        #expect(try await names(owner) == ["a.jpg"])
        #expect(try await names(enter(window).session) == ["a.jpg"])
        _ = try await host.restart()
        #expect(try await names(enter(window).session) == ["a.jpg"])
        try await host.stop()
    }

    @Test("are rows of doors on the disk: as large, and no others")
    func rows() async throws {
        let owner = try await owner("a.jpg")
        let window = try await make(owner) { $0.password = try? password("nine amber kettles") }
        let token = try #require(
            Array(window.code.utf8).withUnsafeBytes { bytes -> WindowToken? in
                guard let secret = CodeText.window.secret(typed: bytes) else { return nil }
                return try? WindowToken(secret)
            })
        let store = try host.service().store
        let body = try #require(try await store.ledger.read { try $0.door(token.id) })
        #expect(body.count == LedgerTransaction.doorByteCount)
        // Nobody's code is another's: not a door's, not a vault's.
        #expect(Array(window.code.utf8).withUnsafeBytes { DoorToken(ofCredential: $0) } == nil)
        #expect(try password(window.code).recoveryCode == nil)
        await #expect(throws: VaultError.noSuchVault) { try await host.service().open(window.code) }
        try await host.stop()
    }

    @Test("show nothing after a kill that was deleted before, whoever has not come to write the list")
    func killed() async throws {
        let owner = try await owner("a.jpg", "b.jpg")
        let window = try await make(owner)
        let vault = try owner.requireVault()
        await vault.windowing.acquire()
        _ = try await owner.trash.move([try await id(of: "a.jpg", owner)])
        let next = try await host.killed()
        vault.windowing.release()
        _ = try await next.start()
        #expect(try await names(enter(window, at: next).session) == ["b.jpg"])
        let again = try await next.service().open(text)
        try await settle(again)
        #expect(try await next.service().windows(of: again).map(\.count) == [1])
        #expect(try await names(enter(window, at: next).session) == ["b.jpg"])
        #expect(again.damage == nil)
        try await next.stop()
        try await host.stop()
    }

    @Test("whose list is lost or damaged have it again when the vault is opened", arguments: [false, true])
    func lostList(isDamaged: Bool) async throws {
        let owner = try await owner("a.jpg")
        let window = try await make(owner)
        let object = Hexadecimal.encode(window.record.list.object.bytes)
        let file = host.file("objects/\(object.prefix(2))/\(object)")
        var content = try Data(contentsOf: file)
        content[content.count / 2] ^= 1
        try FileManager.default.removeItem(at: file)
        if isDamaged { try content.write(to: file) }
        _ = try await host.restart()
        await #expect(throws: VaultError.damaged) { try await enter(window) }
        let again = try await host.service().open(text)
        try await settle(again)
        #expect(try await names(enter(window).session) == ["a.jpg"])
        try await host.stop()
    }

    @Test("keep no key in memory once the last who looked is gone")
    func memory() async throws {
        let owner = try await owner("a.jpg")
        let window = try await make(owner)
        try await host.service().lock(owner)
        let (one, _) = try await enter(window)
        let (other, _) = try await enter(window)
        weak let vault = try one.requireVault()
        #expect(try other.requireVault() === vault)
        try await host.service().endViewer(one)
        #expect(vault != nil)
        try await host.service().endViewer(other)
        #expect(vault == nil)
        try await host.stop()
    }
}
