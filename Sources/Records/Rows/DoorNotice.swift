import Bytes
package import Sealing
package import Store

/// What a door may be given, and until when.
package struct DoorTerms: Equatable, Sendable {
    /// Unicode scalars of a name at most.
    package static let longestName = 60
    package static let byteLimit: UInt64 = 20 << 30
    package static let photoLimit: UInt32 = 5000

    package var name: String
    /// Days since 1970, UTC.
    package var lastDay: UInt32
    package var byteLimit: UInt64
    package var photoLimit: UInt32
    package var asksName: Bool
    /// What comes waits until the owner has looked.
    package var looksFirst: Bool
    /// Its owner lets photos come unencrypted, so that no browser warns.
    package var takesUnencrypted: Bool
    package var isShut: Bool

    package init(
        name: String, lastDay: UInt32, byteLimit: UInt64 = DoorTerms.byteLimit,
        photoLimit: UInt32 = DoorTerms.photoLimit, asksName: Bool = false, looksFirst: Bool = false,
        takesUnencrypted: Bool = false, isShut: Bool = false
    ) {
        self.name = name
        self.lastDay = lastDay
        self.byteLimit = byteLimit
        self.photoLimit = photoLimit
        self.asksName = asksName
        self.looksFirst = looksFirst
        self.takesUnencrypted = takesUnencrypted
        self.isShut = isShut
    }

    package enum State: String, Sendable { case open, shut, expired }

    package func state(on day: UInt32) -> State { day > lastDay ? .expired : isShut ? .shut : .open }

    /// - Throws: `doorShut`, `doorExpired`.
    package func requireOpen(on day: UInt32) throws(VaultError) {
        switch state(on: day) {
        case .open: break
        case .shut: throw .doorShut(name: name)
        case .expired: throw .doorExpired(name: name)
        }
    }

    /// The last day on which what was given is kept, and on which the door still says that it is over.
    package var keptUntil: UInt32 { UInt32(clamping: UInt64(lastDay) + UInt64(SessionRecord.days)) }

    var flags: UInt8 {
        (asksName ? 1 : 0) | (looksFirst ? 2 : 0) | (isShut ? 4 : 0) | (takesUnencrypted ? 8 : 0)
    }

    mutating func take(flags: UInt8) {
        (asksName, looksFirst, isShut) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0)
        takesUnencrypted = flags & 8 != 0
    }
}

/// The row of the table `door`: what a door says to whoever has its token. All rows have one size.
///
/// | offset | size | field |
/// | --- | --- | --- |
/// | 0 | 1 | version, 1 |
/// | 1 | 1 | flags: bit 0: givers are asked for their names; bit 1: the owner looks first; bit 2: shut; bit 3: takes what comes unencrypted |
/// | 2 | 2 | bytes of the name |
/// | 4 | 4 | last day, since 1970 |
/// | 8 | 8 | bytes that it may be given |
/// | 16 | 4 | photos that it may be given |
/// | 20 | 4 | photos that it was given |
/// | 24 | 8 | bytes that it was given |
/// | 32 | 240 | name, then zeros |
/// | 272 | 1,216 | public key |
/// | 1,488 | 232 | zeros |
package struct DoorNotice: Equatable, Sendable {
    package var terms: DoorTerms
    package var publicKey: [UInt8]
    package var givenByteCount: UInt64 = 0
    package var givenPhotoCount: UInt32 = 0

    private static let byteCount = NoticeSeal.byteCount
    private static let nameRange = 32..<272
    private static let version: UInt8 = 1
    /// Of a row's body.
    package static let sealedByteCount = NoticeSeal.sealedByteCount

    package init(terms: DoorTerms, publicKey: [UInt8]) {
        self.terms = terms
        self.publicKey = publicKey
    }

    package var bytesLeft: UInt64 { terms.byteLimit - min(terms.byteLimit, givenByteCount) }
    package var photosLeft: UInt32 { terms.photoLimit - min(terms.photoLimit, givenPhotoCount) }

    /// One photo less that it was given.
    package mutating func takeBack(_ byteCount: UInt64) {
        givenPhotoCount -= min(givenPhotoCount, 1)
        givenByteCount -= min(givenByteCount, byteCount)
    }

    package func sealed(under token: DoorToken) throws -> [UInt8] {
        let name = Array(terms.name.utf8)
        guard name.count <= Self.nameRange.count, publicKey.count == DoorSeal.publicKeyByteCount else {
            throw VaultError.internalFailure("a door that does not fit")
        }
        var plain = [Self.version, terms.flags] + UInt16(name.count).bigEndianBytes + terms.lastDay.bigEndianBytes
        plain += terms.byteLimit.bigEndianBytes + terms.photoLimit.bigEndianBytes
        plain += givenPhotoCount.bigEndianBytes + givenByteCount.bigEndianBytes
        plain += name + [UInt8](repeating: 0, count: Self.nameRange.count - name.count) + publicKey
        plain += [UInt8](repeating: 0, count: Self.byteCount - plain.count)
        return try NoticeSeal.seal(&plain, under: try token.noticeKey(), .door(token.id.bytes))
    }

    /// Nil for a row that the token does not open, or that is damaged.
    package static func opened(_ body: [UInt8], token: DoorToken) throws -> DoorNotice? {
        try NoticeSeal.open(body, under: try token.noticeKey(), .door(token.id.bytes), DoorNotice.init)
    }

    private init(_ plain: [UInt8]) throws(VaultError) {
        var reader = ByteReader(plain)
        guard plain.count == Self.byteCount, reader.readUInt8() == Self.version, let flags = reader.readUInt8(),
            let nameCount = reader.readUInt16(), let lastDay = reader.readUInt32(),
            let byteLimit = reader.readUInt64(), let photoLimit = reader.readUInt32(),
            let photos = reader.readUInt32(), let bytes = reader.readUInt64(),
            let room = reader.read(Self.nameRange.count), Int(nameCount) <= room.count,
            let name = String(validating: room.prefix(Int(nameCount)), as: UTF8.self),
            let key = reader.read(DoorSeal.publicKeyByteCount)
        else { throw .damaged }
        terms = DoorTerms(name: name, lastDay: lastDay, byteLimit: byteLimit, photoLimit: photoLimit)
        terms.take(flags: flags)
        publicKey = Array(key)
        givenByteCount = bytes
        givenPhotoCount = photos
    }
}

/// Rows of the table `door`, all of one size: what a door says of itself, or a window.
enum NoticeSeal {
    static let byteCount = 1720
    static let sealedByteCount = MessageCipher.sealedByteCount(byteCount)

    /// What is sealed is wiped.
    static func seal(
        _ plain: inout [UInt8], under key: borrowing SecretBytes, _ context: SealingContext
    ) throws -> [UInt8] {
        defer { wipe(&plain) }
        var cipher = try MessageCipher(key: key)
        return try [UInt8](unsafeUninitializedCapacity: sealedByteCount) { buffer, count in
            let message = UnsafeMutableRawBufferPointer(
                rebasing: UnsafeMutableRawBufferPointer(buffer)[..<sealedByteCount])
            try plain.withUnsafeBytes { try cipher.seal($0, context: context, into: message) }
            count = sealedByteCount
        }
    }

    /// Nil for what the key does not open, or that is damaged.
    static func open<Notice>(
        _ body: [UInt8], under key: borrowing SecretBytes, _ context: SealingContext,
        _ read: ([UInt8]) throws -> Notice
    ) throws -> Notice? {
        do {
            var cipher = try MessageCipher(key: key)
            return try withUnsafeTemporaryAllocation(byteCount: max(body.count, 1), alignment: 8) { room in
                defer { cleanse(room) }
                let count = try body.withUnsafeBytes { try cipher.open($0, context: context, into: room) }
                return try read(Array(room[..<count]))
            }
        } catch SealingError.wrongKey, SealingError.damaged, VaultError.damaged {
            return nil
        }
    }
}

/// What a vault finds a visitor's space by: sealed to the vault's door, it holds the space's key. Every guest's space has
/// one; an ordinary guest's leads to nobody.
///
/// | offset | size | field |
/// | --- | --- | --- |
/// | 0 | 1 | version, 1 |
/// | 1 | 1 | bytes of the giver's name |
/// | 2 | 1 | 1 where a program sent with the door's code alone, else 0 |
/// | 3 | 1 | zero |
/// | 4 | 4 | last day on which the space is kept, since 1970 |
/// | 8 | 4 | the day on which it began |
/// | 12 | 16 | uid of the space |
/// | 28 | 32 | its key |
/// | 60 | 88 | the giver's name, then zeros |
/// | 148 | 16 | the device of that program, else zeros |
/// | 164 | 92 | zeros |
package struct ArrivalNote: Sendable {
    package static let byteCount = 256
    /// Of a row's body: the encapsulated key, what is sealed, a tag.
    package static let sealedByteCount = DoorSeal.sealedByteCount(byteCount)
    private static let keyRange = 28..<60
    private static let giverStart = 60
    private static let senderRange = 148..<164
    private static let version: UInt8 = 1

    package var uid: [UInt8]
    package var key: SharedSecret
    package var lastDay: UInt32
    package var createdDay: UInt32
    package var giver: String?
    /// The device of a program that sent with the door's code alone; nil for a visitor.
    package var sender: DoorSender?

    package init(
        uid: [UInt8], key: SharedSecret, lastDay: UInt32, createdDay: UInt32, giver: String?, sender: DoorSender?
    ) {
        self.sender = sender
        self.uid = uid
        self.key = key
        self.lastDay = lastDay
        self.createdDay = createdDay
        self.giver = giver
    }

    /// - Parameter space: the id of the row that it is laid in.
    package func sealed(to publicKey: [UInt8], space: RowID) throws -> [UInt8] {
        let name = Array((giver ?? "").utf8)
        guard name.count <= Given.longestGiver else { throw VaultError.labelTooLong }
        let plain = try SecretBytes(count: Self.byteCount) { buffer in
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            buffer.copyBytes(
                from: [Self.version, UInt8(name.count), sender == nil ? 0 : 1, 0] + lastDay.bigEndianBytes
                    + createdDay.bigEndianBytes
                    + uid)
            let place = UnsafeMutableRawBufferPointer(rebasing: buffer[Self.keyRange])
            key.bytes.withUnsafeBytes { place.copyMemory(from: $0) }
            UnsafeMutableRawBufferPointer(rebasing: buffer[Self.giverStart...]).copyBytes(from: name)
            UnsafeMutableRawBufferPointer(rebasing: buffer[Self.senderRange]).copyBytes(from: sender?.bytes ?? [])
        }
        return try DoorSeal.seal(plain, to: publicKey, context: space.bytes)
    }

    /// One that leads to nobody: sealed as any other is, to a key that is thrown away. Random bytes would be told apart, for
    /// the key that is encapsulated is in part a point of a curve.
    package static func ofNobody(space: RowID) throws -> [UInt8] {
        let key = try DoorSeal.publicKey(ofSeed: try SecretBytes(random: 32))
        return try DoorSeal.seal(try SecretBytes(random: byteCount), to: key, context: space.bytes)
    }

    /// Nil for one that is laid at another door, or that is nobody's.
    /// - Parameter seed: of the door.
    package static func opened(
        _ body: [UInt8], seed: borrowing SecretBytes, space: RowID
    ) throws -> ArrivalNote? {
        guard let plain = try DoorSeal.open(body, seed: seed, context: space.bytes), plain.count == byteCount else {
            return nil
        }
        return try plain.withUnsafeBytes { bytes -> ArrivalNote? in
            var reader = ByteReader(Array(bytes[..<28]))
            guard reader.readUInt8() == version, let nameCount = reader.readUInt8(), let kind = reader.readUInt8(),
                reader.readUInt8() != nil,
                let lastDay = reader.readUInt32(), let createdDay = reader.readUInt32(), let uid = reader.read(16),
                Int(nameCount) <= Given.longestGiver
            else { return nil }
            let name = bytes[giverStart..<giverStart + Int(nameCount)]
            return ArrivalNote(
                uid: Array(uid),
                key: SharedSecret(try SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[keyRange]))),
                lastDay: lastDay, createdDay: createdDay,
                giver: name.isEmpty ? nil : String(decoding: name, as: UTF8.self),
                sender: kind == 1 ? DoorSender(bytes: Array(bytes[senderRange])) : nil)
        }
    }
}
