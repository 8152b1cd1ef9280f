import Bytes
package import Sealing
package import Store

/// What a window shows, to how many, and until when.
package struct WindowTerms: Equatable, Sendable {
    package var name: String
    /// Days since 1970, UTC.
    package var lastDay: UInt32
    /// Browsers that may come; 0 for any number.
    package var mostVisitors: UInt32 = 0
    package var hasPassword = false
    /// Originals may be fetched.
    package var hasOriginals = false
    package var showsPlaces = false
    package var isShut = false

    package init(name: String, lastDay: UInt32) {
        self.name = name
        self.lastDay = lastDay
    }

    package func state(on day: UInt32) -> DoorTerms.State { day > lastDay ? .expired : isShut ? .shut : .open }

    /// - Throws: `windowShut`, `windowOver`.
    package func requireOpen(on day: UInt32) throws(VaultError) {
        switch state(on: day) {
        case .open: break
        case .shut: throw .windowShut(name: name)
        case .expired: throw .windowOver(name: name)
        }
    }

    /// The last day on which the window still says that it is over, as a door's.
    package var keptUntil: UInt32 { UInt32(clamping: UInt64(lastDay) + UInt64(SessionRecord.days)) }

    var flags: UInt8 {
        (hasPassword ? 1 : 0) | (hasOriginals ? 2 : 0) | (showsPlaces ? 4 : 0) | (isShut ? 8 : 0)
    }

    mutating func take(flags: UInt8) {
        (hasPassword, hasOriginals) = (flags & 1 != 0, flags & 2 != 0)
        (showsPlaces, isShut) = (flags & 4 != 0, flags & 8 != 0)
    }
}

/// Where the list of a window lies: an object with one run.
package struct WindowListPlace: Equatable, Sendable {
    static let byteCount = 56

    package var object: ObjectID
    /// Without padding.
    package var byteCount: UInt64
    package var run: PhotoRecord.Run

    package init(object: ObjectID, byteCount: UInt64, run: PhotoRecord.Run) {
        self.object = object
        self.byteCount = byteCount
        self.run = run
    }

    package var storedByteCount: UInt64 { [run].storedByteCount }

    var encoded: [UInt8] { object.bytes + byteCount.bigEndianBytes + run.encoded }

    init(_ bytes: some Collection<UInt8>) throws(VaultError) {
        var reader = ByteReader(Array(bytes))
        guard let id = reader.read(16).flatMap({ ObjectID(bytes: $0) }), let count = reader.readUInt64(),
            let run = reader.read(32)
        else { throw .damaged }
        (object, byteCount, self.run) = (id, count, try PhotoRecord.Run(Array(run)))
    }
}

/// The row of the table `door` that is a window: what it says to whoever has its token.
///
/// | offset | size | field |
/// | --- | --- | --- |
/// | 0 | 1 | version, 1 |
/// | 1 | 1 | flags: bit 0: there is a password; bit 1: originals may be fetched; bit 2: places are shown; bit 3: shut |
/// | 2 | 2 | bytes of the name |
/// | 4 | 4 | last day, since 1970 |
/// | 8 | 4 | visitors at most, 0: any number |
/// | 12 | 4 | visitors so far |
/// | 16 | 4 | the day on which the last of them came, 0: nobody yet |
/// | 20 | 4 | zeros |
/// | 24 | 8 | version of the list |
/// | 32 | 240 | name, then zeros |
/// | 272 | 1,216 | a bit for each number of the list: the photo is not shown any more |
/// | 1,488 | 56 | where the list lies |
/// | 1,544 | 104 | the list's key, sealed |
/// | 1,648 | 16 | the token of a door whose code visitors are shown, else zeros |
/// | 1,664 | 32 | a random key for the tickets of browsers that were counted, drawn with the row |
/// | 1,696 | 24 | zeros |
package struct WindowNotice: Sendable {
    package var terms: WindowTerms
    package var visitorCount: UInt32 = 0
    /// Days since 1970; 0 where nobody came yet.
    package var lastSeen: UInt32 = 0
    /// Grows with each list.
    package var version: UInt64
    package var list: WindowListPlace
    /// As `WindowLock` gives it.
    package var lock: [UInt8]
    package var door: DoorToken?
    private let ticketKey: SharedSecret
    private var gone = [UInt8](repeating: 0, count: Self.goneRange.count)

    private static let nameRange = 32..<272
    private static let goneRange = 272..<1488
    private static let version: UInt8 = 1
    /// Numbers that photos of a list can have.
    package static let mostNumbers = goneRange.count * 8

    /// - Parameter ticketKey: 32 random bytes.
    package init(
        terms: WindowTerms, version: UInt64, list: WindowListPlace, lock: [UInt8], door: DoorToken?,
        ticketKey: SharedSecret
    ) {
        self.terms = terms
        self.version = version
        self.list = list
        self.lock = lock
        self.door = door
        self.ticketKey = ticketKey
    }

    /// Whether a photo that stands in the list is not shown any more.
    package func isGone(_ number: Int) -> Bool { gone[number / 8] & 1 << (number % 8) != 0 }

    package var hasGone: Bool { gone.contains { $0 != 0 } }

    package mutating func takeAway(_ number: Int) { gone[number / 8] |= 1 << (number % 8) }

    /// A new list has nothing that is not shown.
    package mutating func showAll() { gone = [UInt8](repeating: 0, count: gone.count) }

    /// - Throws: `windowFull` when one more must not come.
    package mutating func count(visitorOn day: UInt32) throws(VaultError) {
        guard terms.mostVisitors == 0 || visitorCount < terms.mostVisitors else { throw .windowFull }
        visitorCount += visitorCount < .max ? 1 : 0
        lastSeen = day
    }

    /// Says that a browser was counted.
    package func ticket(on day: UInt32) throws -> [UInt8] { try WindowSecret.ticket(under: ticketKey.bytes, on: day) }

    /// Whether one of these says that the browser was counted here in the last 30 days. One of a later day was made while
    /// the clock was ahead, for nobody but the window makes any.
    package func isAmong(_ tickets: [[UInt8]], on today: UInt32) throws -> Bool {
        try tickets.contains { ticket in
            let day = try WindowSecret.day(ofTicket: ticket, under: ticketKey.bytes)
            return day.map { $0 >= today || today - $0 < SessionRecord.days } ?? false
        }
    }

    package func sealed(under token: WindowToken) throws -> [UInt8] {
        let name = Array(terms.name.utf8)
        guard name.count <= Self.nameRange.count, lock.count == WindowLock.sealedByteCount else {
            throw VaultError.internalFailure("a window that does not fit")
        }
        var plain = [Self.version, terms.flags] + UInt16(name.count).bigEndianBytes + terms.lastDay.bigEndianBytes
        plain += terms.mostVisitors.bigEndianBytes + visitorCount.bigEndianBytes + lastSeen.bigEndianBytes
        plain += UInt32(0).bigEndianBytes + version.bigEndianBytes
        plain += name + [UInt8](repeating: 0, count: Self.nameRange.count - name.count) + gone
        plain += list.encoded + lock
        plain += door?.bytes.withUnsafeBytes { Array($0) } ?? [UInt8](repeating: 0, count: DoorToken.byteCount)
        plain += ticketKey.bytes.withUnsafeBytes { Array($0) }
        plain += [UInt8](repeating: 0, count: NoticeSeal.byteCount - plain.count)
        return try NoticeSeal.seal(&plain, under: try token.noticeKey(), .window(token.id.bytes))
    }

    /// Nil for a row that the token does not open, or that is damaged.
    package static func opened(_ body: [UInt8], token: WindowToken) throws -> WindowNotice? {
        try NoticeSeal.open(body, under: try token.noticeKey(), .window(token.id.bytes), WindowNotice.init)
    }

    private init(_ plain: [UInt8]) throws {
        var reader = ByteReader(plain)
        guard plain.count == NoticeSeal.byteCount, reader.readUInt8() == Self.version, let flags = reader.readUInt8(),
            let nameCount = reader.readUInt16(), let lastDay = reader.readUInt32(), let most = reader.readUInt32(),
            let visitors = reader.readUInt32(), let lastSeen = reader.readUInt32(), reader.readUInt32() != nil,
            let version = reader.readUInt64(), let room = reader.read(Self.nameRange.count),
            Int(nameCount) <= room.count,
            let name = String(validating: room.prefix(Int(nameCount)), as: UTF8.self),
            let gone = reader.read(Self.goneRange.count), let place = reader.read(WindowListPlace.byteCount),
            let lock = reader.read(WindowLock.sealedByteCount), let door = reader.read(DoorToken.byteCount),
            let ticketKey = reader.read(WindowSecret.ticketKeyByteCount), ticketKey.contains(where: { $0 != 0 })
        else { throw VaultError.damaged }
        terms = WindowTerms(name: name, lastDay: lastDay)
        terms.mostVisitors = most
        terms.take(flags: flags)
        visitorCount = visitors
        self.lastSeen = lastSeen
        self.version = version
        self.gone = Array(gone)
        list = try WindowListPlace(place)
        self.lock = Array(lock)
        self.ticketKey = SharedSecret(try SecretBytes(copying: Array(ticketKey)))
        guard door.contains(where: { $0 != 0 }) else { return }
        self.door = try DoorToken(try SecretBytes(copying: Array(door)))
    }
}

/// Seals the key of a window's list so that token and password together open it.
package enum WindowLock {
    package static let sealedByteCount = MessageCipher.sealedByteCount(WindowSecret.byteCount)

    package static func seal(
        _ listKey: borrowing SecretBytes, under lockKey: borrowing SecretBytes, of token: WindowToken
    ) throws -> [UInt8] {
        var cipher = try MessageCipher(key: lockKey)
        return try [UInt8](unsafeUninitializedCapacity: sealedByteCount) { buffer, count in
            let message = UnsafeMutableRawBufferPointer(
                rebasing: UnsafeMutableRawBufferPointer(buffer)[..<sealedByteCount])
            try listKey.withUnsafeBytes { try cipher.seal($0, context: .window(token.id.bytes), into: message) }
            count = sealedByteCount
        }
    }

    /// Nil where it does not open: the password is another one.
    package static func open(
        _ lock: [UInt8], under lockKey: borrowing SecretBytes, of token: WindowToken
    ) throws -> SharedSecret? {
        do {
            var cipher = try MessageCipher(key: lockKey)
            return SharedSecret(
                try SecretBytes(count: WindowSecret.byteCount) { key in
                    _ = try lock.withUnsafeBytes { try cipher.open($0, context: .window(token.id.bytes), into: key) }
                })
        } catch SealingError.wrongKey, SealingError.damaged {
            return nil
        }
    }
}
