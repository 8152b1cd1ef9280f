import Bytes

/// The random name of an album.
package typealias AlbumID = RandomName<AlbumKind>

package enum AlbumKind {}

/// An album's own row. Its photos name it, not the other way round: so they take it along wherever they go.
package struct AlbumRecord: Equatable, Sendable {
    /// Bytes of a name at most.
    package static let longestName = 200
    private static let lastPlace: UInt64 = 1 << 53 - 1

    package var id: AlbumID
    package var name: String
    /// The serial of the photo that stands for it; nil for the newest.
    package var cover: UInt64?
    /// Milliseconds since 1970 UTC in two's complement, as is the following.
    package var createdAt: UInt64
    /// When it was made, or something was last put into it.
    package var usedAt: UInt64
    /// Where it stands in the order that people gave the albums by hand, the least first; nil for one that nobody has moved:
    /// those stand behind the others, what was used last first. Below 2⁵³, as scripts count.
    package var place: UInt64?
    package var unknown: [TaggedFields.Field] = []

    private enum Tag {
        static let id: UInt8 = 1
        static let name: UInt8 = 2
        static let cover: UInt8 = 3
        static let createdAt: UInt8 = 5
        static let usedAt: UInt8 = 6
        static let place: UInt8 = 7
        /// 4 is for an order of its photos, of which there is one so far: the newest first.
        static let known: Set<UInt8> = [id, name, cover, createdAt, usedAt, place]
    }

    package init(id: AlbumID, name: String, now: UInt64) {
        self.id = id
        self.name = name
        createdAt = now
        usedAt = now
    }

    package init(_ payload: [UInt8]) throws(VaultError) {
        let fields = try TaggedFields(payload)
        guard let id = fields.value(Tag.id).flatMap(AlbumID.init(bytes:)),
            let name = fields.value(Tag.name).flatMap({ String(validating: $0, as: UTF8.self) }),
            let createdAt = fields.uint64(Tag.createdAt), let usedAt = fields.uint64(Tag.usedAt)
        else { throw .damaged }
        self.id = id
        self.name = name
        self.createdAt = createdAt
        self.usedAt = usedAt
        cover = fields.uint64(Tag.cover)
        place = fields.uint64(Tag.place).map { min($0, Self.lastPlace) }
        unknown = fields.fields.filter { !Tag.known.contains($0.tag) }
    }

    package var encoded: [UInt8] {
        var fields = TaggedFields()
        fields.append(Tag.id, id.bytes)
        fields.append(Tag.name, Array(name.utf8))
        fields.append(Tag.cover, cover)
        fields.append(Tag.createdAt, createdAt)
        fields.append(Tag.usedAt, usedAt)
        fields.append(Tag.place, place)
        fields.fields += unknown
        return fields.encoded
    }
}

/// A name that an album can have, and what tells two names apart: neither letter case, nor Unicode form, nor blanks
/// around them. `String` compares by canonical equivalence, so only the case has to go.
package struct AlbumName: Hashable, Sendable {
    package let text: String
    private let key: String

    /// Without blanks around it; control characters, which no list can show, become blanks.
    /// - Throws: `albumNameEmpty`, `albumNameTooLong`.
    package init(_ name: String) throws(VaultError) {
        // Before anything is made of it; blanks around it are forgiven.
        guard name.utf8.count <= 2 * AlbumRecord.longestName else { throw .albumNameTooLong }
        let text = Self.shown(name.streamSafe)
        guard !text.isEmpty else { throw .albumNameEmpty }
        guard text.utf8.count <= AlbumRecord.longestName else { throw .albumNameTooLong }
        self.text = text
        key = Self.key(text)
    }

    static func shown(_ name: String) -> String {
        let scalars = name.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
        return String(String.UnicodeScalarView(scalars)).trimmingWhitespace()
    }

    /// As much of it as a name may have, in whole characters.
    package static func cut(_ text: String) -> String {
        var name = ""
        var byteCount = 0
        for character in text {
            byteCount += character.utf8.count
            guard byteCount <= AlbumRecord.longestName else { break }
            name.append(character)
        }
        return name
    }

    /// What is the same for names that mean the same, of whatever length.
    package static func comparable(_ name: String) -> String { key(shown(name)) }

    /// Upper case first: it spells out letters that lower case leaves alone, as the German sharp s.
    private static func key(_ text: String) -> String { text.uppercased().lowercased() }

    package static func == (one: AlbumName, other: AlbumName) -> Bool { one.key == other.key }
    package func hash(into hasher: inout Hasher) { hasher.combine(key) }

    package func isName(of record: AlbumRecord) -> Bool { key == Self.key(record.name) }
}
