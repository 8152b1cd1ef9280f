import Bytes
package import Sealing
import Store

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
