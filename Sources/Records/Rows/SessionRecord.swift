import Bytes
package import FoundationEssentials
package import Sealing
package import Store

/// What the sealed row of a session says that outlives the daemon. Rows of both kinds have the same size.
///
/// | offset | size | field |
/// | --- | --- | --- |
/// | 0 | 1 | version, 1 |
/// | 1 | 1 | kind |
/// | 2 | 2 | zeros |
/// | 4 | 4 | the day on which it began, since 1970 |
/// | 8 | 4 | the last day on which it counts |
/// | 12 | 16 | uid of the vault or guest |
/// | 28 | 32 | its key |
/// | 60 | 16 | of a vault: the ledger's mark when it began |
/// | 76 | 16 | of a door's visitor or sender: the door's token |
/// | 92 | 1 | of a visitor: bytes of the giver's name |
/// | 93 | 88 | that name, then zeros; of a sender: its device, 16, then zeros |
/// | 181 | 3 | zeros |
package struct SessionRecord: Sendable {
    package enum Kind: UInt8, Sendable {
        case guest = 1
        case vault = 2
        /// Somebody who came to a door.
        case visitor = 3
        /// A program that sends with a door's code.
        case sender = 4

        /// Of a guest's space.
        package var isGuest: Bool { self != .vault }
        var isOfDoor: Bool { self == .visitor || self == .sender }
    }

    /// Days that a session counts beyond the one on which it began.
    package static let days: UInt32 = 30
    private static let byteCount = 184
    private static let keyRange = 28..<60
    private static let markRange = 60..<76
    private static let tokenRange = 76..<92
    private static let giverRange = 93..<181
    private static let version: UInt8 = 1

    package var kind: Kind
    package var createdDay: UInt32
    package var lastDay: UInt32
    package var uid: [UInt8]
    package var key: SharedSecret
    /// When the ledger was put back from a copy since, it has another one.
    package var mark: [UInt8]
    /// Of a door's visitor or sender.
    package var door: DoorToken?
    package var giver: String?
    /// The device of a sender.
    package var sender: DoorSender?

    package init(
        kind: Kind, uid: [UInt8], key: consuming SecretBytes,
        mark: [UInt8] = [UInt8](repeating: 0, count: LedgerReader.sessionMarkByteCount), today: UInt32,
        lastDay: UInt32? = nil, door: DoorToken? = nil, giver: String? = nil, sender: DoorSender? = nil
    ) {
        self.kind = kind
        self.door = door
        self.giver = giver
        self.sender = sender
        self.uid = uid
        self.key = SharedSecret(key)
        self.mark = mark
        createdDay = today
        self.lastDay = lastDay ?? today + Self.days
    }

    package func sealed(under token: SessionToken) throws -> [UInt8] {
        var cipher = try MessageCipher(key: try deriveSessionKey(.session, from: token.bytes))
        let context = SealingContext.session(try token.id().bytes)
        return try withUnsafeTemporaryAllocation(byteCount: Self.byteCount, alignment: 8) { plaintext in
            defer { cleanse(plaintext) }
            write(to: plaintext)
            let byteCount = MessageCipher.sealedByteCount(Self.byteCount)
            return try [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
                let message = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[..<byteCount])
                try cipher.seal(UnsafeRawBufferPointer(plaintext), context: context, into: message)
                count = byteCount
            }
        }
    }

    /// Nil for a row that the token does not open, or that is damaged.
    /// - Throws: what says nothing of the row, such as `SealingError.memoryNotLockable`.
    package static func opened(_ body: [UInt8], token: SessionToken) throws -> SessionRecord? {
        do {
            return try SessionRecord(body, token: token)
        } catch SealingError.wrongKey, SealingError.damaged, VaultError.damaged {
            return nil
        }
    }

    /// - Throws: `SealingError.wrongKey` for a row that nobody holds, `VaultError.damaged`.
    package init(_ body: [UInt8], token: SessionToken) throws {
        var cipher = try MessageCipher(key: try deriveSessionKey(.session, from: token.bytes))
        let context = SealingContext.session(try token.id().bytes)
        self = try withUnsafeTemporaryAllocation(byteCount: body.count, alignment: 8) { room in
            defer { cleanse(room) }
            let count = try body.withUnsafeBytes { try cipher.open($0, context: context, into: room) }
            return try SessionRecord(UnsafeRawBufferPointer(rebasing: room[..<count]))
        }
    }

    private init(_ plaintext: UnsafeRawBufferPointer) throws {
        guard plaintext.count == Self.byteCount, plaintext[0] == Self.version, let kind = Kind(rawValue: plaintext[1])
        else { throw VaultError.damaged }
        var reader = ByteReader(Array(plaintext[4..<28]))
        guard let createdDay = reader.readUInt32(), let lastDay = reader.readUInt32(), let uid = reader.read(16)
        else { throw VaultError.damaged }
        self.kind = kind
        self.createdDay = createdDay
        self.lastDay = lastDay
        self.uid = Array(uid)
        key = SharedSecret(try SecretBytes(copying: UnsafeRawBufferPointer(rebasing: plaintext[Self.keyRange])))
        mark = Array(plaintext[Self.markRange])
        guard kind.isOfDoor else { return }
        door = try DoorToken(
            try SecretBytes(copying: UnsafeRawBufferPointer(rebasing: plaintext[Self.tokenRange])))
        if kind == .sender {
            sender = DoorSender(bytes: Array(plaintext[Self.giverRange].prefix(DoorSender.byteCount)))
            return
        }
        let name = plaintext[Self.giverRange].prefix(Int(plaintext[Self.giverRange.lowerBound - 1]))
        giver = name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
    }

    private func write(to buffer: UnsafeMutableRawBufferPointer) {
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
        buffer.copyBytes(
            from: [Self.version, kind.rawValue, 0, 0] + createdDay.bigEndianBytes + lastDay.bigEndianBytes + uid)
        let keyPlace = UnsafeMutableRawBufferPointer(rebasing: buffer[Self.keyRange])
        key.bytes.withUnsafeBytes { keyPlace.copyMemory(from: $0) }
        UnsafeMutableRawBufferPointer(rebasing: buffer[Self.markRange]).copyBytes(from: mark)
        guard let door else { return }
        let token = UnsafeMutableRawBufferPointer(rebasing: buffer[Self.tokenRange])
        door.bytes.withUnsafeBytes { token.copyMemory(from: $0) }
        let place = UnsafeMutableRawBufferPointer(rebasing: buffer[Self.giverRange])
        if let sender { return place.copyBytes(from: sender.bytes) }
        let name = (giver ?? "").utf8.prefix(Self.giverRange.count)
        buffer[Self.giverRange.lowerBound - 1] = UInt8(name.count)
        place.copyBytes(from: name)
    }
}

/// What a browser holds a session by: 32 random bytes. The daemon keeps it nowhere; on disk stands, where the session
/// is to outlive the daemon, a row that opens under it only.
package final class SessionToken: Sendable {
    package static let byteCount = 32

    package let bytes: SecretBytes
    /// SHA-256; its first half is the id of the session's row.
    package let hash: [UInt8]

    package init() throws {
        bytes = try SecretBytes(random: Self.byteCount)
        hash = try Self.hash(of: bytes)
    }

    /// One that is derived from another secret.
    init(_ bytes: consuming SecretBytes) throws {
        hash = try Self.hash(of: bytes)
        self.bytes = bytes
    }

    /// - Parameter text: of a cookie. Nil for anything that `text` does not give.
    package init?(text: String) {
        guard text.utf8.count == 43, var decoded = Base64URL.decode(text), decoded.count == Self.byteCount else {
            return nil
        }
        defer { wipe(&decoded) }
        guard let bytes = try? SecretBytes(copying: decoded), let hash = try? Self.hash(of: bytes) else { return nil }
        self.bytes = bytes
        self.hash = hash
    }

    /// The token as the cookie carries it: 43 characters of base64url.
    package var text: String { bytes.withUnsafeBytes { Base64URL.encode(Array($0)) } }

    package func id() throws -> SessionID {
        guard let id = SessionID(bytes: hash.prefix(16)) else {
            throw VaultError.internalFailure("a hash of a wrong size")
        }
        return id
    }

    private static func hash(of bytes: borrowing SecretBytes) throws -> [UInt8] {
        var hasher = try SHA256Hasher()
        try bytes.withUnsafeBytes { try hasher.update($0) }
        return try hasher.finalize()
    }
}

/// A session that outlives the daemon, as the vault that it opens lists it. One that the vault does not list is dead,
/// whatever the ledger's table of sessions says: that table is open to whoever can write to the disk.
package struct KeptSession: Equatable, Sendable {
    /// How many one vault lists at most; the oldest gives way.
    package static let most = 64

    package var id: SessionID
    /// Days since 1970; the last one on which it counts.
    package var lastDay: UInt32
    /// The number of the row that lists it.
    package var rowNumber: UInt64
    /// The way by which it came into the vault.
    package var way: WayID
    package var openedAt: Date
    package var device: DeviceKind

    private enum Tag {
        static let id: UInt8 = 1
        static let lastDay: UInt8 = 2
        static let way: UInt8 = 3
        static let openedAt: UInt8 = 4
        static let device: UInt8 = 5
    }

    package var payload: [UInt8] {
        var fields = TaggedFields()
        fields.append(Tag.id, id.bytes)
        fields.append(Tag.lastDay, UInt64(lastDay))
        fields.append(Tag.way, way.bytes)
        fields.append(Tag.openedAt, Milliseconds.from(openedAt))
        fields.append(Tag.device, device.bytes)
        return fields.encoded
    }

    package init(
        id: SessionID, lastDay: UInt32, rowNumber: UInt64, way: WayID = .first, openedAt: Date = .now,
        device: DeviceKind = DeviceKind()
    ) {
        self.id = id
        self.lastDay = lastDay
        self.rowNumber = rowNumber
        self.way = way
        // As it is stored.
        self.openedAt = Milliseconds.date(Milliseconds.from(openedAt))
        self.device = device
    }

    package init(_ payload: [UInt8], rowNumber: UInt64) throws(VaultError) {
        let fields = try TaggedFields(payload)
        guard let id = fields.value(Tag.id).flatMap(SessionID.init(bytes:)), let day = fields.uint64(Tag.lastDay)
        else { throw .damaged }
        // Those of a guest, and of a vault before it had ways, name none.
        let way = fields.value(Tag.way).flatMap { WayID($0) } ?? .first
        let opened = fields.uint64(Tag.openedAt).map(Milliseconds.date)
        self.init(
            id: id, lastDay: UInt32(clamping: day), rowNumber: rowNumber, way: way,
            // One that does not say so began that many days before its last.
            openedAt: opened
                ?? Date(timeIntervalSince1970: Double(Int64(day) - Int64(SessionRecord.days)) * 86_400),
            device: DeviceKind(bytes: fields.value(Tag.device) ?? []))
    }
}

/// What a session is that outlives the daemon. When it ends for want of use its token brings it back.
package struct ResumableSession: Sendable {
    package let id: SessionID
    /// Days since 1970; the last one on which it counts.
    package let lastDay: UInt32
    /// Makes the names of photos, so that they stay the same.
    package let handleKey: SharedSecret

    package init(id: SessionID, lastDay: UInt32, handleKey: SharedSecret) {
        self.id = id
        self.lastDay = lastDay
        self.handleKey = handleKey
    }
}

/// Which kind of device a session came from, as coarsely as a person needs to know it again: two names out of short
/// lists, so that nothing that a client says of itself is kept or shown.
package struct DeviceKind: Hashable, Sendable {
    package enum System: UInt8, Sendable {
        case iPhone = 1
        case iPad, android, windows, mac, linux, chromeOS
    }

    package enum Browser: UInt8, Sendable {
        case safari = 1
        case chrome, firefox, edge, samsung, opera
    }

    package var system: System?
    package var browser: Browser?

    package init(system: System? = nil, browser: Browser? = nil) {
        self.system = system
        self.browser = browser
    }

    package var bytes: [UInt8] { [system?.rawValue ?? 0, browser?.rawValue ?? 0] }

    /// What a later version knows by other numbers is nothing that is known.
    package init(bytes: some Collection<UInt8>) {
        system = bytes.first.flatMap(System.init)
        browser = bytes.dropFirst().first.flatMap(Browser.init)
    }
}
