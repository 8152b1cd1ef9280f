import Media
import Sealing
import Store
import TestSupport
import Testing

@testable import Records

@Suite("What is kept of a window")
struct WindowRecordTests {
    private let place = WindowListPlace(
        object: ObjectID(high: 1, low: 2), byteCount: 700,
        run: PhotoRecord.Run(plaintextByteCount: 4016, salt: Array(repeating: 9, count: 24)))

    private func token() throws -> WindowToken { try WindowToken(try SecretBytes(random: 16)) }

    private var terms: WindowTerms {
        var terms = WindowTerms(name: "Rome, for Grandma", lastDay: 20_000)
        (terms.mostVisitors, terms.hasOriginals, terms.isShut) = (20, true, true)
        return terms
    }

    private func record(_ serials: [UInt64]) throws -> WindowRecord {
        WindowRecord(
            id: try WindowName(), terms: terms, now: 5, album: try AlbumID(), door: try DoorName(), serials: serials,
            list: place, digest: sampleBytes(16), lock: sampleBytes(WindowLock.sealedByteCount))
    }

    @Test("a record comes back as it was written, with as many photos as there can be", arguments: [0, 1, 9728])
    func coding(count: Int) throws {
        let record = try record((0..<count).map { UInt64($0) * 3 })
        #expect(try WindowRecord(record.encoded) == record)
        // Its first row has the secret where others have a file key.
        #expect(record.encoded.starts(with: [1, 0, 32] + [UInt8](repeating: 0, count: 32)))
    }

    @Test("what is missing makes a record damaged")
    func damaged() throws {
        let whole = try record([1]).encoded
        for count in [0, 34, 35, whole.count - 1] {
            #expect(throws: VaultError.damaged) { try WindowRecord(Array(whole.prefix(count))) }
        }
    }

    @Test("a row has the size of a door's, and opens with its own token alone")
    func notice() throws {
        let (token, door) = (try token(), try DoorToken(try SecretBytes(random: 16)))
        var notice = WindowNotice(
            terms: terms, version: 7, list: place, lock: sampleBytes(WindowLock.sealedByteCount), door: door,
            ticketKey: try ticketKey())
        notice.takeAway(0)
        notice.takeAway(WindowNotice.mostNumbers - 1)
        try notice.count(visitorOn: 19_000)
        let body = try notice.sealed(under: token)
        #expect(body.count == DoorNotice.sealedByteCount)
        let opened = try #require(try WindowNotice.opened(body, token: token))
        #expect(opened.terms == terms && opened.version == 7 && opened.list == place && opened.lock == notice.lock)
        #expect(opened.visitorCount == 1 && opened.lastSeen == 19_000 && opened.door?.id == door.id)
        #expect(try opened.ticket(on: 19_000) == notice.ticket(on: 19_000))
        #expect((0..<WindowNotice.mostNumbers).filter(opened.isGone) == [0, WindowNotice.mostNumbers - 1])
        #expect(try WindowNotice.opened(body, token: self.token()) == nil)
        let asDoor = try DoorToken(try token.bytes.duplicate())
        #expect(try DoorNotice.opened(body, token: asDoor) == nil)
    }

    @Test("no more are counted than may come")
    func full() throws {
        var notice = try emptyNotice()
        for _ in 0..<20 { try notice.count(visitorOn: 1) }
        #expect(throws: VaultError.windowFull) { try notice.count(visitorOn: 1) }
    }

    private func ticketKey() throws -> SharedSecret {
        SharedSecret(try SecretBytes(random: WindowSecret.ticketKeyByteCount))
    }

    private func emptyNotice() throws -> WindowNotice {
        WindowNotice(terms: terms, version: 1, list: place, lock: [], door: nil, ticketKey: try ticketKey())
    }

    @Test("a ticket holds for thirty days, at its own window, and after a clock that was ahead")
    func tickets() throws {
        let notice = try emptyNotice()
        let ticket = try notice.ticket(on: 1000)
        #expect(try notice.isAmong([[], [1], ticket], on: 1000))
        #expect(try notice.isAmong([ticket], on: 1029))
        #expect(try !notice.isAmong([ticket], on: 1030))
        #expect(try notice.isAmong([ticket], on: 980))
        #expect(try !emptyNotice().isAmong([ticket], on: 1000))
        var changed = ticket
        changed[3] += 1
        #expect(try !notice.isAmong([changed], on: 1001))
    }

    @Test("a row without a key for tickets is damaged, since anybody could make them")
    func noTicketKey() throws {
        let token = try token()
        let zeros = [UInt8](repeating: 0, count: WindowSecret.ticketKeyByteCount)
        let notice = WindowNotice(
            terms: terms, version: 1, list: place, lock: sampleBytes(WindowLock.sealedByteCount), door: nil,
            ticketKey: SharedSecret(try SecretBytes(copying: zeros)))
        #expect(try WindowNotice.opened(notice.sealed(under: token), token: token) == nil)
    }

    @Test("a cookie comes back with the tickets that fit into it")
    func cookies() throws {
        let tickets = (0..<12).map { sampleBytes(16, seed: $0) }
        let cookie = try ViewerCookie(tickets: tickets)
        let again = try #require(ViewerCookie(text: cookie.text))
        #expect(again.token.hash == cookie.token.hash)
        #expect(again.tickets == Array(tickets.prefix(8)))
        #expect(cookie.text.utf8.count <= 256)
        for text in ["", "a", String(cookie.text.dropLast()), cookie.text + "AA"] {
            #expect(ViewerCookie(text: text) == nil)
        }
    }

    @Test("the key of a list opens with its own password alone")
    func lock() throws {
        let token = try token()
        let key = try SecretBytes(random: 32)
        let sealed = try WindowLock.seal(key, under: try WindowSecret.lockKey(of: token.bytes), of: token)
        let opened = try #require(
            try WindowLock.open(sealed, under: try WindowSecret.lockKey(of: token.bytes), of: token))
        let isSame = opened.bytes.equals(key)
        #expect(isSame)
        #expect(try WindowLock.open(sealed, under: try SecretBytes(random: 32), of: token) == nil)
    }

    // MARK: Lists

    private func photo(_ name: String) -> PhotoRecord {
        var facts = MediaFacts()
        (facts.width, facts.height, facts.cameraMake) = (40, 30, "Kodak")
        facts.place = Place(latitude: 41.9, longitude: 12.5)
        var record = PhotoRecord(
            serial: 99, object: ObjectID(high: 3, low: 4), byteCount: 1000,
            runs: [PhotoRecord.Run(plaintextByteCount: 4016, salt: sampleBytes(24))], name: name, type: "image/jpeg",
            receivedAt: 86_400_000 * 5 + 1234, sha256: sampleBytes(32), facts: FactsCoding.encode(facts))
        record.keeping.caption = "A lake"
        record.keeping.isFavourite = true
        record.keeping.rotation = 90
        return record
    }

    private func roundTrip(
        _ terms: WindowTerms
    ) throws -> (plain: [UInt8], photos: [WindowList.Photo], keys: SharedSecret, fileKey: SharedSecret) {
        let fileKey = SharedSecret(try SecretBytes(random: 32))
        let entries = try [3, 8].map { try WindowList.Entry(photo("\($0)"), number: $0, fileKey: fileKey, of: terms) }
        let listKey = try SecretBytes(random: 32)
        let sealed = try #require(try WindowList.seal(entries, under: listKey))
        #expect(try WindowList.seal(entries, under: listKey, unless: sealed.digest) == nil)
        #expect(sealed.bytes.count % 4096 == 0)
        var cipher = try MessageCipher(key: try deriveFileKey(.original, from: listKey))
        var plain = [UInt8](repeating: 0, count: sealed.bytes.count)
        let count = try sealed.bytes.dropFirst(8).withUnsafeBytes { message in
            try plain.withUnsafeMutableBytes {
                try cipher.open(message, context: .original(preamble: PhotoRecord.preamble, run: 0), into: $0)
            }
        }
        #expect(UInt64(count) == sealed.run.plaintextByteCount)
        var said = Array(plain.prefix(Int(sealed.byteCount)))
        let kept = said
        let (photos, keys) = try said.withUnsafeMutableBytes { try WindowList.open($0) }
        #expect(said.allSatisfy { $0 == 0 })
        return (kept, photos, keys, fileKey)
    }

    @Test("a list that only shows has the key of the pictures, and neither size nor place nor camera of the photo")
    func looking() throws {
        var terms = terms
        terms.hasOriginals = false
        let (plain, photos, keys, fileKey) = try roundTrip(terms)
        let bytes = fileKey.bytes.withUnsafeBytes { Array($0) }
        #expect(!plain.indices.contains { plain[$0...].starts(with: bytes) })
        #expect(photos.map(\.record.serial) == [3, 8])
        for photo in photos {
            #expect(photo.record.byteCount == 0 && photo.record.runs.isEmpty && photo.record.sha256 == nil)
            #expect(photo.record.receivedAt == 86_400_000 * 5)
            let facts = FactsCoding.decode(photo.record.facts ?? [])
            #expect(facts.width == 40 && facts.cameraMake == nil && facts.place == nil)
            #expect(photo.record.keeping.caption == "A lake" && photo.record.keeping.rotation == 90)
            #expect(!photo.record.keeping.isFavourite)
            let key = try WindowList.key(at: photo.keyOffset, in: keys)
            let isOfPictures = key.bytes.equals(try deriveFileKey(.preview, from: fileKey.bytes))
            #expect(isOfPictures)
            #expect(
                photo.previews == (try PreviewSize.allCases.map { try PreviewSeal.id(of: $0, fileKey: fileKey.bytes) }))
        }
    }

    @Test("a list for downloads has the file keys, and places where they are shown")
    func downloading() throws {
        var terms = terms
        terms.showsPlaces = true
        let (_, photos, keys, fileKey) = try roundTrip(terms)
        for photo in photos {
            #expect(photo.record.byteCount == 1000 && photo.record.runs.count == 1 && photo.previews == nil)
            #expect(FactsCoding.decode(photo.record.facts ?? []).place?.latitude == 41.9)
            let isSame = try WindowList.key(at: photo.keyOffset, in: keys).bytes.equals(fileKey.bytes)
            #expect(isSame)
        }
    }

    @Test("a list that breaks off is damaged, wherever that is")
    func brokenLists() throws {
        let plain = try roundTrip(terms).plain
        for count in 1..<plain.count where count != plain.count / 2 {
            var cut = Array(plain.prefix(count))
            #expect(throws: VaultError.damaged) { try cut.withUnsafeMutableBytes { _ = try WindowList.open($0) } }
        }
    }
}
