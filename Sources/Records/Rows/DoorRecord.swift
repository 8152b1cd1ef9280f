import Bytes
package import Sealing
package import Store

/// A door as its vault keeps it. Its secret of 32 bytes stands in its first row where a photo has its file key, and comes
/// into locked memory alone.
package struct DoorRecord: Equatable, Sendable {
    /// Doors of one vault at most.
    package static let most = 32
    /// Givers whose names are remembered until the owner was told.
    private static let mostGivers = 100

    /// Names the door to the owner's page.
    package var id: DoorName
    package var terms: DoorTerms
    /// Milliseconds since 1970 UTC.
    package var createdAt: UInt64
    /// Photos that have come and of which the owner was not told.
    package var newsCount: UInt64 = 0
    /// Of them, those whose givers said no name.
    package var unnamedCount: UInt64 = 0
    /// Names of the others' givers, in the order in which they came.
    package var newsGivers: [String] = []
    package var unknown: [TaggedFields.Field] = []

    private enum Tag {
        static let secret: UInt8 = 1
        static let id: UInt8 = 2
        static let name: UInt8 = 3
        static let lastDay: UInt8 = 4
        static let byteLimit: UInt8 = 5
        static let photoLimit: UInt8 = 6
        static let flags: UInt8 = 7
        static let createdAt: UInt8 = 8
        static let newsCount: UInt8 = 9
        static let unnamedCount: UInt8 = 10
        static let newsGiver: UInt8 = 11
        static let known: ClosedRange<UInt8> = 1...11
    }

    package init(id: DoorName, terms: DoorTerms, now: UInt64) {
        self.id = id
        self.terms = terms
        createdAt = now
    }

    /// What came is told to the owner once.
    package mutating func noteNews(count: Int, giver: String?) {
        newsCount += UInt64(count)
        guard let giver else {
            unnamedCount += UInt64(count)
            return
        }
        guard !newsGivers.contains(giver), newsGivers.count < Self.mostGivers else { return }
        newsGivers.append(giver)
    }

    package mutating func forgetNews() { (newsCount, unnamedCount, newsGivers) = (0, 0, []) }

    package init(_ payload: [UInt8]) throws(VaultError) {
        let fields = try TaggedFields(payload)
        guard let first = fields.fields.first, first.tag == Tag.secret, first.value.count == RowPiece.fileKeyByteCount,
            let id = fields.value(Tag.id).flatMap(DoorName.init(bytes:)),
            let name = fields.value(Tag.name).flatMap({ String(validating: $0, as: UTF8.self) }),
            let lastDay = fields.uint64(Tag.lastDay), let byteLimit = fields.uint64(Tag.byteLimit),
            let photoLimit = fields.uint64(Tag.photoLimit), let createdAt = fields.uint64(Tag.createdAt)
        else { throw .damaged }
        self.id = id
        terms = DoorTerms(
            name: name, lastDay: UInt32(clamping: lastDay), byteLimit: byteLimit,
            photoLimit: UInt32(clamping: photoLimit))
        terms.take(flags: fields.value(Tag.flags)?.first ?? 0)
        self.createdAt = createdAt
        newsCount = fields.uint64(Tag.newsCount) ?? 0
        unnamedCount = fields.uint64(Tag.unnamedCount) ?? 0
        newsGivers = fields.values(Tag.newsGiver).compactMap { String(validating: $0, as: UTF8.self) }
        unknown = fields.fields.filter { !Tag.known.contains($0.tag) }
    }

    /// With zeros where the sealed row has the door's secret.
    package var encoded: [UInt8] {
        var fields = TaggedFields()
        fields.append(Tag.secret, [UInt8](repeating: 0, count: RowPiece.fileKeyByteCount))
        fields.append(Tag.id, id.bytes)
        fields.append(Tag.name, Array(terms.name.utf8))
        fields.append(Tag.lastDay, UInt64(terms.lastDay))
        fields.append(Tag.byteLimit, terms.byteLimit)
        fields.append(Tag.photoLimit, UInt64(terms.photoLimit))
        fields.append(Tag.flags, [terms.flags])
        fields.append(Tag.createdAt, createdAt)
        if newsCount > 0 { fields.append(Tag.newsCount, newsCount) }
        if unnamedCount > 0 { fields.append(Tag.unnamedCount, unnamedCount) }
        for giver in newsGivers { fields.append(Tag.newsGiver, Array(giver.utf8)) }
        fields.fields += unknown
        return fields.encoded
    }
}

/// The random name of a door, as its owner's page knows it; the ledger's table of doors knows it by its token's hash.
package typealias DoorName = RandomName<DoorNameKind>

package enum DoorNameKind {}

/// Through which door a photo came, and from whom; kept with the photo, whatever becomes of the door.
package struct Given: Equatable, Sendable {
    /// Bytes of a giver's name at most.
    package static let longestGiver = 88

    package var door: DoorName
    /// What the door was called then.
    package var doorName: String
    /// As they called themselves.
    package var giver: String?
    /// The device of a program that sent it with the door's code alone.
    package var sender: DoorSender?
    /// The owner has not looked yet, and it is shown nowhere else.
    package var isWaiting: Bool

    package init(door: DoorName, doorName: String, giver: String?, sender: DoorSender? = nil, isWaiting: Bool) {
        self.door = door
        self.doorName = doorName
        self.giver = giver
        self.sender = sender
        self.isWaiting = isWaiting
    }

    /// flags u8 (bit 0: waiting; bit 1: of a sender) ‖ door 16 ‖ length of the door's name u16 ‖ that ‖ the giver's name,
    /// or the sender 16.
    package var encoded: [UInt8] {
        let name = Array(doorName.utf8)
        let flags: UInt8 = (isWaiting ? Self.waitingFlag : 0) | (sender == nil ? 0 : Self.senderFlag)
        return [flags] + door.bytes + UInt16(clamping: name.count).bigEndianBytes + name
            + (sender?.bytes ?? Array((giver ?? "").utf8))
    }

    private static let (waitingFlag, senderFlag): (UInt8, UInt8) = (1, 2)

    /// What cannot be read is left out: it is never worth a photo.
    package init?(encoded: [UInt8]) {
        var reader = ByteReader(encoded)
        guard let flags = reader.readUInt8(), let door = reader.read(16).flatMap({ DoorName(bytes: $0) }),
            let count = reader.readUInt16(), let name = reader.read(Int(count))
        else { return nil }
        self.init(
            door: door, doorName: String(decoding: name, as: UTF8.self), giver: nil,
            isWaiting: flags & Self.waitingFlag != 0)
        let rest = Array(encoded.dropFirst(19 + Int(count)))
        if flags & Self.senderFlag != 0 {
            sender = rest.count == DoorSender.byteCount ? DoorSender(bytes: rest) : nil
        } else if !rest.isEmpty {
            giver = String(decoding: rest, as: UTF8.self)
        }
    }

    /// A name as people type it: without blanks around it and control characters; nil for none.
    /// - Throws: `labelTooLong`.
    package static func giver(_ text: String?) throws(VaultError) -> String? {
        guard let text else { return nil }
        guard text.utf8.count <= 2 * longestGiver, text.isStreamSafe else { throw .labelTooLong }
        let shown = AlbumName.shown(text)
        guard shown.utf8.count <= longestGiver else { throw .labelTooLong }
        return shown.isEmpty ? nil : shown
    }
}

/// What whoever comes to a door holds: 16 bytes, written as a code. It opens nothing; it seals and opens what the ledger
/// says of the door to those who come.
package final class DoorToken: Sendable {
    package static let byteCount = 16

    package let bytes: SecretBytes
    /// SHA-256(token)[0..<16].
    package let id: DoorID
    /// As the interface names the door to those who have its code: 22 characters of base64url, which open nothing.
    package var publicName: String { Base64URL.encode(id.bytes) }

    package init(_ bytes: consuming SecretBytes) throws {
        var hasher = try SHA256Hasher()
        try bytes.withUnsafeBytes { try hasher.update($0) }
        guard let id = DoorID(bytes: try hasher.finalize().prefix(16)) else {
            throw VaultError.internalFailure("a hash of a wrong size")
        }
        self.bytes = bytes
        self.id = id
    }

    /// Of a door's secret.
    package convenience init(ofSecret secret: borrowing SecretBytes) throws {
        let key = try deriveDoorKey(.token, from: secret)
        try self.init(
            try key.withUnsafeBytes {
                try SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<Self.byteCount]))
            })
    }

    /// Of what this host itself was given to keep. What a stranger brings is a `DoorCode`, and takes a guess.
    /// - Returns: nil for anything that is no door's code, as it is typed.
    package convenience init?(ofCredential typed: UnsafeRawBufferPointer) {
        guard let bytes = CodeText.door.secret(typed: typed) else { return nil }
        do { try self.init(bytes) } catch { return nil }
    }

    /// XXXX-XXXX-XXXX-XXXX-XXXX-XXXX-XXXX.
    package func code() throws -> String { try CodeText.door.text(of: bytes) }

    /// The device on which a program sends with the code alone. Two devices with one code are strangers to each other.
    /// - Parameter holder: as `Client.holder`: devices are told apart as far as addresses tell.
    package func sender(of holder: [UInt8]) throws -> DoorSender {
        let id = try HKDFSHA512.expand(
            bytes, info: Array("safelight/v1/door device".utf8) + holder, count: DoorSender.byteCount)
        return DoorSender(bytes: id.withUnsafeBytes { Array($0) })
    }

    /// The token by which such a program has one space on each day. It finds it again after a restart.
    /// - Parameter day: since 1970.
    package func senderToken(day: UInt32, of sender: DoorSender) throws -> SessionToken {
        try SessionToken(
            try HKDFSHA512.expand(
                bytes, info: Array("safelight/v1/door sender".utf8) + day.bigEndianBytes + sender.bytes,
                count: SessionToken.byteCount))
    }

    /// Under which this host remembers what was sent to the door from a drop folder.
    package func inboxKey() throws -> SecretBytes {
        try HKDFSHA512.expand(bytes, info: Array("safelight/v1/inbox".utf8), count: 32)
    }

    /// Seals what the door says of itself.
    func noticeKey() throws -> SecretBytes {
        try HKDFSHA512.expand(bytes, info: Array("safelight/v1/door notice".utf8), count: 32)
    }
}

/// Says which device sent something with a door's code. Who does not have the code cannot tell which address it stands
/// for.
package struct DoorSender: Hashable, Sendable {
    package static let byteCount = 16

    package let bytes: [UInt8]

    /// - Parameter bytes: 16 of them.
    package init(bytes: [UInt8]) { self.bytes = bytes }
}
