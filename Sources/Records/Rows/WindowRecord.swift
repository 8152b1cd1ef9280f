import Bytes
package import Sealing
package import Store

/// A window as its vault keeps it. Its secret of 32 bytes stands in its first row where a photo has its file key, and
/// comes into locked memory alone.
package struct WindowRecord: Equatable, Sendable {
    /// Windows of one vault at most.
    package static let most = 32
    /// Photos of a selection at most.
    package static let mostSelected = 5000
    /// The serial of a number that names no photo any more.
    package static let nobody = UInt64.max
    private static let serialsPerField = 8000

    /// Names the window to the owner's page.
    package var id: WindowName
    package var terms: WindowTerms
    /// Milliseconds since 1970 UTC.
    package var createdAt: UInt64
    /// The album that it follows; nil for a selection.
    package var album: AlbumID?
    /// The door whose code visitors are shown.
    package var door: DoorName?
    /// The photos by their numbers; of a selection also those in the trash.
    package var serials: [UInt64] = []
    package var list: WindowListPlace
    /// The first 16 bytes of SHA-256 of what the list says.
    package var digest: [UInt8]
    /// As `WindowLock` gives it.
    package var lock: [UInt8]
    /// Another one with each password.
    package var generation: UInt64 = 0
    /// Grows with each list.
    package var version: UInt64 = 1
    /// What whoever looks holds, once more: so a window ends whose first row the disk has damaged. Empty in older records.
    package var token: [UInt8] = []
    package var unknown: [TaggedFields.Field] = []

    private enum Tag {
        static let secret: UInt8 = 1
        static let id: UInt8 = 2
        static let name: UInt8 = 3
        static let lastDay: UInt8 = 4
        static let flags: UInt8 = 5
        static let createdAt: UInt8 = 6
        static let mostVisitors: UInt8 = 7
        static let album: UInt8 = 8
        static let door: UInt8 = 9
        static let serials: UInt8 = 10
        static let list: UInt8 = 11
        static let digest: UInt8 = 12
        static let lock: UInt8 = 13
        static let generation: UInt8 = 14
        static let version: UInt8 = 15
        static let token: UInt8 = 16
        static let known: ClosedRange<UInt8> = 1...16
    }

    package init(
        id: WindowName, terms: WindowTerms, now: UInt64, album: AlbumID?, door: DoorName?, serials: [UInt64],
        list: WindowListPlace, digest: [UInt8], lock: [UInt8]
    ) {
        self.id = id
        self.terms = terms
        createdAt = now
        self.album = album
        self.door = door
        self.serials = serials
        self.list = list
        self.digest = digest
        self.lock = lock
    }

    /// Whether nobody sees more, for longer or with less than by the record before.
    package func showsNoMore(than before: WindowRecord) -> Bool {
        let former = before.terms
        let isSelectedBefore = { Set(serials).subtracting([Self.nobody]).isSubset(of: before.serials) }
        return terms.lastDay <= former.lastDay && (terms.hasPassword || !former.hasPassword)
            && (!terms.hasOriginals || former.hasOriginals) && (!terms.showsPlaces || former.showsPlaces)
            && (terms.isShut || !former.isShut) && (album != nil || isSelectedBefore())
    }

    package init(_ payload: [UInt8]) throws(VaultError) {
        let fields = try TaggedFields(payload)
        guard let first = fields.fields.first, first.tag == Tag.secret, first.value.count == RowPiece.fileKeyByteCount,
            let id = fields.value(Tag.id).flatMap(WindowName.init(bytes:)),
            let name = fields.value(Tag.name).flatMap({ String(validating: $0, as: UTF8.self) }),
            let lastDay = fields.uint64(Tag.lastDay), let createdAt = fields.uint64(Tag.createdAt),
            let list = fields.value(Tag.list), let digest = fields.value(Tag.digest),
            let lock = fields.value(Tag.lock), lock.count == WindowLock.sealedByteCount,
            let version = fields.uint64(Tag.version)
        else { throw .damaged }
        self.id = id
        terms = WindowTerms(name: name, lastDay: UInt32(clamping: lastDay))
        terms.take(flags: fields.value(Tag.flags)?.first ?? 0)
        terms.mostVisitors = UInt32(clamping: fields.uint64(Tag.mostVisitors) ?? 0)
        self.createdAt = createdAt
        album = fields.value(Tag.album).flatMap(AlbumID.init(bytes:))
        door = fields.value(Tag.door).flatMap(DoorName.init(bytes:))
        for part in fields.values(Tag.serials) {
            var reader = ByteReader(part)
            while let serial = reader.readUInt64() { serials.append(serial) }
        }
        guard serials.count <= WindowNotice.mostNumbers else { throw .damaged }
        self.list = try WindowListPlace(list)
        self.digest = digest
        self.lock = lock
        generation = fields.uint64(Tag.generation) ?? 0
        self.version = version
        token = fields.value(Tag.token) ?? []
        unknown = fields.fields.filter { !Tag.known.contains($0.tag) }
    }

    /// With zeros where the sealed row has the window's secret.
    package var encoded: [UInt8] {
        var fields = TaggedFields()
        fields.append(Tag.secret, [UInt8](repeating: 0, count: RowPiece.fileKeyByteCount))
        fields.append(Tag.id, id.bytes)
        fields.append(Tag.name, Array(terms.name.utf8))
        fields.append(Tag.lastDay, UInt64(terms.lastDay))
        fields.append(Tag.flags, [terms.flags])
        fields.append(Tag.createdAt, createdAt)
        if terms.mostVisitors > 0 { fields.append(Tag.mostVisitors, UInt64(terms.mostVisitors)) }
        fields.append(Tag.album, album?.bytes)
        fields.append(Tag.door, door?.bytes)
        for start in stride(from: 0, to: serials.count, by: Self.serialsPerField) {
            let part = serials[start..<min(start + Self.serialsPerField, serials.count)]
            fields.append(Tag.serials, part.flatMap(\.bigEndianBytes))
        }
        fields.append(Tag.list, list.encoded)
        fields.append(Tag.digest, digest)
        fields.append(Tag.lock, lock)
        if generation > 0 { fields.append(Tag.generation, generation) }
        fields.append(Tag.version, version)
        fields.append(Tag.token, token)
        fields.fields += unknown
        return fields.encoded
    }
}

/// The random name of a window, as its owner's page knows it; the ledger knows it by its token's hash.
package typealias WindowName = RandomName<WindowNameKind>

package enum WindowNameKind {}

/// What whoever looks holds: 16 bytes, written as a code. It opens what the ledger says of the window, and the key of its
/// list where no password is asked for.
package final class WindowToken: Sendable {
    package let bytes: SecretBytes
    /// SHA-256(token)[0..<16].
    package let id: DoorID

    package init(_ bytes: consuming SecretBytes) throws {
        var hasher = try SHA256Hasher()
        try bytes.withUnsafeBytes { try hasher.update($0) }
        guard let id = DoorID(bytes: try hasher.finalize().prefix(16)) else {
            throw VaultError.internalFailure("a hash of a wrong size")
        }
        self.bytes = bytes
        self.id = id
    }

    /// XXXX-XXXX-XXXX-XXXX-XXXX-XXXX-XXXX.
    package func code() throws -> String { try CodeText.window.text(of: bytes) }

    func noticeKey() throws -> SecretBytes { try WindowSecret.noticeKey(of: bytes) }
}

/// What a browser brings that looks at windows: the token of its session, and the tickets of the windows at which it was
/// counted, the newest first.
package struct ViewerCookie: Sendable {
    private static let ticketByteCount = WindowSecret.ticketByteCount
    /// As many as fit.
    private static let mostTickets = 8

    package let token: SessionToken
    package private(set) var tickets: [[UInt8]]

    package init(tickets: [[UInt8]]) throws {
        token = try SessionToken()
        self.tickets = Array(tickets.prefix(Self.mostTickets))
    }

    /// Nil for anything that `text` does not give.
    package init?(text: String) {
        guard let end = text.utf8.index(text.utf8.startIndex, offsetBy: 43, limitedBy: text.utf8.endIndex),
            let token = SessionToken(text: String(text[..<end])),
            let rest = Base64URL.decode(String(text[end...])), rest.count % Self.ticketByteCount == 0,
            rest.count / Self.ticketByteCount <= Self.mostTickets
        else { return nil }
        self.token = token
        tickets = stride(from: 0, to: rest.count, by: Self.ticketByteCount).map {
            Array(rest[$0..<$0 + Self.ticketByteCount])
        }
    }

    package var text: String { token.text + Base64URL.encode(tickets.flatMap(\.self)) }
}
