import Bytes
import Media
import Sealing
package import Store

/// What a vault knows of one photo, without its file key.
package struct PhotoRecord: Equatable, Sendable {
    /// One sealed message inside the object file.
    package struct Run: Equatable, Sendable {
        /// Plaintext bytes, padding of the last run included.
        package var plaintextByteCount: UInt64
        /// 24 bytes; opening compares it with the file's, so a discarded run cannot be put back.
        package var salt: [UInt8]

        package init(plaintextByteCount: UInt64, salt: [UInt8]) {
            self.plaintextByteCount = plaintextByteCount
            self.salt = salt
        }
    }

    /// Never reused inside a vault; photos are listed newest first by it.
    package var serial: UInt64
    package var object: ObjectID
    /// Bytes of the original, without padding.
    package var byteCount: UInt64
    package var runs: [Run]
    package var name: String
    /// By content, as `MediaType.sniff` found it.
    package var type: String
    /// Milliseconds since 1970 UTC in two's complement, as are the following.
    package var receivedAt: UInt64
    package var modifiedAt: UInt64?
    /// Set while the photo lies in "Recently deleted".
    package var deletedAt: UInt64?
    /// The digest of the whole content; nil until it was computed.
    package var sha256: [UInt8]?
    /// SHA-256 of the first 4 KiB.
    package var firstPartDigest: [UInt8]?
    /// For content of more than one piece of 8 MiB: SHA-256 over the SHA-256s of all pieces, and over those of the
    /// first and the last.
    package var treeDigest: [UInt8]?
    package var endsDigest: [UInt8]?
    /// When it was last read back from disk whole.
    package var verifiedAt: UInt64?
    /// When its stored bytes were found to fail their verification.
    package var damagedAt: UInt64?
    /// Uploads that brought it, itself or as a duplicate.
    package var origins: [PhotoOrigin] = []
    package var memberships: [BatchMembership] = []
    /// Nil until somebody looked into the file.
    package var picture: PictureNote?
    /// `CaptureTime.encoded`; nil until then.
    package var takenAt: [UInt8]?
    /// What the file says about itself, as `FactsCoding` has it. Not taken apart at an opening.
    package var facts: [UInt8]?
    package var keeping = Keeping()
    /// Where it came through a door.
    package var given: Given?
    /// `SidecarFacts.encoded`; nil where nothing was brought with the photo.
    package var told: [UInt8]?
    /// Where it lay in what it was brought with.
    package var folders: [SourceFolder] = []
    /// What is written in the picture; nil where nothing is, or nobody has looked.
    package var words: String?
    /// Nil for what is no sidecar, or says nothing of any photo.
    package var sidecar: SidecarState?
    /// Fields of a newer version, kept as they are.
    package var unknown: [TaggedFields.Field] = []

    package init(
        serial: UInt64, object: ObjectID, byteCount: UInt64, runs: [Run], name: String, type: String,
        receivedAt: UInt64, modifiedAt: UInt64? = nil, deletedAt: UInt64? = nil, sha256: [UInt8]? = nil,
        firstPartDigest: [UInt8]? = nil, treeDigest: [UInt8]? = nil, endsDigest: [UInt8]? = nil,
        verifiedAt: UInt64? = nil, damagedAt: UInt64? = nil, origins: [PhotoOrigin] = [],
        memberships: [BatchMembership] = [], picture: PictureNote? = nil, takenAt: [UInt8]? = nil,
        facts: [UInt8]? = nil, keeping: Keeping = Keeping(), unknown: [TaggedFields.Field] = []
    ) {
        self.serial = serial
        self.object = object
        self.byteCount = byteCount
        self.runs = runs
        self.name = name
        self.type = type
        self.receivedAt = receivedAt
        self.modifiedAt = modifiedAt
        self.deletedAt = deletedAt
        self.sha256 = sha256
        self.firstPartDigest = firstPartDigest
        self.treeDigest = treeDigest
        self.endsDigest = endsDigest
        self.verifiedAt = verifiedAt
        self.damagedAt = damagedAt
        self.origins = origins
        self.memberships = memberships
        self.picture = picture
        self.takenAt = takenAt
        self.facts = facts
        self.keeping = keeping
        self.unknown = unknown
    }
}

extension PhotoRecord {
    private enum Tag {
        static let fileKey: UInt8 = 1
        static let object: UInt8 = 2
        static let byteCount: UInt8 = 3
        static let run: UInt8 = 4
        static let serial: UInt8 = 5
        static let receivedAt: UInt8 = 6
        static let modifiedAt: UInt8 = 7
        static let deletedAt: UInt8 = 8
        static let name: UInt8 = 9
        static let type: UInt8 = 10
        static let sha256: UInt8 = 11
        static let firstPartDigest: UInt8 = 12
        static let treeDigest: UInt8 = 13
        static let endsDigest: UInt8 = 14
        static let verifiedAt: UInt8 = 15
        static let damagedAt: UInt8 = 16
        static let origin: UInt8 = 17
        static let membership: UInt8 = 18
        static let picture: UInt8 = 19
        static let takenAt: UInt8 = 20
        static let facts: UInt8 = 21
        static let albums: UInt8 = 22
        static let marks: UInt8 = 23
        static let caption: UInt8 = 24
        static let takenByPerson: UInt8 = 25
        static let given: UInt8 = 26
        static let told: UInt8 = 27
        static let folder: UInt8 = 28
        static let sidecar: UInt8 = 29
        static let edit: UInt8 = 30
        static let place: UInt8 = 31
        static let words: UInt8 = 32
        static let known: ClosedRange<UInt8> = 1...32
    }

    /// The payload of the photo's row, with zeros where its first row has the file key: that one never stands in
    /// ordinary memory.
    package var encoded: [UInt8] {
        var fields = TaggedFields()
        fields.append(Tag.fileKey, [UInt8](repeating: 0, count: RowPiece.fileKeyByteCount))
        fields.append(Tag.object, object.bytes)
        fields.append(Tag.byteCount, byteCount)
        for run in runs { fields.append(Tag.run, run.encoded) }
        fields.append(Tag.serial, serial)
        fields.append(Tag.receivedAt, receivedAt)
        fields.append(Tag.modifiedAt, modifiedAt)
        fields.append(Tag.deletedAt, deletedAt)
        fields.append(Tag.name, Array(name.utf8))
        fields.append(Tag.type, Array(type.utf8))
        fields.append(Tag.sha256, sha256)
        fields.append(Tag.firstPartDigest, firstPartDigest)
        fields.append(Tag.treeDigest, treeDigest)
        fields.append(Tag.endsDigest, endsDigest)
        fields.append(Tag.verifiedAt, verifiedAt)
        fields.append(Tag.damagedAt, damagedAt)
        fields.append(Tag.picture, picture?.encoded)
        fields.append(Tag.takenAt, takenAt)
        fields.append(Tag.facts, facts)
        fields.append(Tag.albums, keeping.encodedAlbums)
        fields.append(Tag.marks, keeping.encodedMarks)
        fields.append(Tag.caption, keeping.caption.map { Array($0.utf8) })
        fields.append(Tag.takenByPerson, keeping.takenAt)
        fields.append(Tag.edit, keeping.edit?.encoded)
        fields.append(Tag.place, keeping.place?.encoded)
        fields.append(Tag.given, given?.encoded)
        fields.append(Tag.told, told)
        fields.append(Tag.words, words.map { Array($0.utf8) })
        fields.append(Tag.sidecar, sidecar.map { [$0.marks] })
        for folder in folders { fields.append(Tag.folder, folder.encoded) }
        for origin in origins { fields.append(Tag.origin, origin.encoded) }
        for membership in memberships { fields.append(Tag.membership, membership.encoded) }
        fields.fields += unknown
        return fields.encoded
    }
}

extension PhotoRecord {
    /// One pass over the payload: an opening decodes every photo of the vault.
    package static func decode(_ payload: [UInt8]) throws(VaultError) -> PhotoRecord {
        var reader = ByteReader(payload)
        guard let first = try reader.readField(), first.tag == Tag.fileKey,
            first.value.count == RowPiece.fileKeyByteCount
        else { throw .damaged }
        var record = PhotoRecord(
            serial: 0, object: ObjectID(high: 0, low: 0), byteCount: 0, runs: [], name: "", type: "", receivedAt: 0)
        var seen = TagSet()
        while let (tag, value) = try reader.readField() { try record.take(tag, value, isFirst: seen.insert(tag)) }
        guard seen.isSuperset(of: required) else { throw .damaged }
        return record
    }

    /// Tags without which there is no photo.
    private static let required = TagSet([
        Tag.object, Tag.byteCount, Tag.serial, Tag.receivedAt, Tag.name, Tag.type,
    ])

    /// Of a field that stands once, the first counts.
    private mutating func take(_ tag: UInt8, _ value: ArraySlice<UInt8>, isFirst: Bool) throws(VaultError) {
        switch tag {
        case Tag.run: runs.append(try Run(Array(value)))
        case Tag.origin: origins.append(try PhotoOrigin(Array(value)))
        case Tag.membership: memberships.append(try BatchMembership(Array(value)))
        case Tag.folder: if let folder = SourceFolder(encoded: Array(value)) { folders.append(folder) }
        case Tag.known: if isFirst { try takeOnly(tag, value) }
        default: unknown.append(TaggedFields.Field(tag: tag, value: Array(value)))
        }
    }

    private mutating func takeOnly(_ tag: UInt8, _ value: ArraySlice<UInt8>) throws(VaultError) {
        switch tag {
        case Tag.object:
            guard let id = value.withUnsafeBytes({ ObjectID(bytes: $0) }) else { throw .damaged }
            object = id
        case Tag.byteCount: byteCount = try Self.uint64(value)
        case Tag.serial: serial = try Self.uint64(value)
        case Tag.receivedAt: receivedAt = try Self.uint64(value)
        case Tag.modifiedAt: modifiedAt = try Self.uint64(value)
        case Tag.deletedAt: deletedAt = try Self.uint64(value)
        case Tag.name: name = try Self.text(value)
        case Tag.type: type = try Self.text(value)
        case Tag.sha256: sha256 = Array(value)
        case Tag.firstPartDigest: firstPartDigest = Array(value)
        case Tag.treeDigest: treeDigest = Array(value)
        case Tag.endsDigest: endsDigest = Array(value)
        case Tag.verifiedAt: verifiedAt = try Self.uint64(value)
        case Tag.damagedAt: damagedAt = try Self.uint64(value)
        case Tag.picture: picture = PictureNote(Array(value))
        case Tag.takenAt: takenAt = Array(value)
        case Tag.facts: facts = Array(value)
        case Tag.albums: keeping.albums = Keeping.albums(Array(value))
        case Tag.marks: keeping.marks = value.first ?? 0
        case Tag.caption: keeping.caption = try Self.text(value)
        case Tag.takenByPerson: keeping.takenAt = Array(value)
        case Tag.edit: keeping.edit = PhotoEdit(encoded: Array(value))
        case Tag.place: keeping.place = SaidPlace(encoded: Array(value))
        case Tag.given: given = Given(encoded: Array(value))
        case Tag.told: told = Array(value)
        case Tag.words: words = try Self.text(value)
        case Tag.sidecar: sidecar = value.first.map(SidecarState.init(marks:))
        default: break
        }
    }

    private static func uint64(_ value: ArraySlice<UInt8>) throws(VaultError) -> UInt64 {
        guard value.count == 8 else { throw .damaged }
        return value.withUnsafeBytes { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
    }

    private static func text(_ value: ArraySlice<UInt8>) throws(VaultError) -> String {
        guard let text = String(validating: value, as: UTF8.self) else { throw .damaged }
        return text
    }
}

extension PhotoRecord {
    /// Its content was read back from disk, and was whole.
    package var isReadBack: Bool { verifiedAt != nil && damagedAt == nil }

    /// The object that the first row of a photo names, whether or not its record goes on.
    package static func object(inLeadingPayload payload: [UInt8]) -> ObjectID? {
        TaggedFields.leading(payload).first { $0.tag == Tag.object }.flatMap { ObjectID(bytes: $0.value) }
    }
}

extension PhotoRecord {
    /// Bytes in front of the first run: magic, suite, chunk size.
    package static let preamble: [UInt8] = Array("SLO1".utf8) + [1, 14, 0, 0]

    /// The size that the object file must have.
    package var storedByteCount: UInt64 { runs.storedByteCount }
}

extension [PhotoRecord.Run] {
    /// The size of an object with these runs.
    package var storedByteCount: UInt64 {
        reduce(UInt64(PhotoRecord.preamble.count)) {
            $0 + ChunkLayout.sealedByteCount(plaintext: $1.plaintextByteCount)
        }
    }
}

extension PhotoRecord.Run {
    package var encoded: [UInt8] { plaintextByteCount.bigEndianBytes + salt }

    package init(_ value: [UInt8]) throws(VaultError) {
        var reader = ByteReader(value)
        guard let count = reader.readUInt64(), let salt = reader.read(24), reader.isAtEnd else { throw .damaged }
        plaintextByteCount = count
        self.salt = Array(salt)
    }
}

/// How large objects become: whole blocks of the disk, whose number says little about the size of the original.
package enum ObjectSize {
    private static let block = UInt64(StagedObject.blockByteCount)

    /// The size of the object of a photo that comes in one piece; `UInt64.max` when that is more than fits.
    package static func ofOneRun(content byteCount: UInt64) -> UInt64 {
        let start = UInt64(PhotoRecord.preamble.count)
        guard let padded = plaintextByteCount(atLeast: Padme.paddedByteCount(byteCount), from: start) else {
            return .max
        }
        return start + ChunkLayout.sealedByteCount(plaintext: padded)
    }

    /// Zeros behind the content in its last run: to the size that Padmé gives the whole content, and on to the end of a
    /// block. The disk gives blocks whole anyway, and where the file goes past the page cache no last bytes are left
    /// for it.
    /// - Parameters:
    ///   - start: where in the object the run begins.
    ///   - runByteCount: bytes of the content that lie in that run.
    package static func padding(ofContent byteCount: UInt64, lastRunAt start: UInt64, runByteCount: UInt64) -> UInt64 {
        let least = runByteCount + (Padme.paddedByteCount(byteCount) - byteCount)
        return (plaintextByteCount(atLeast: least, from: start) ?? least) - runByteCount
    }

    /// What a run takes that has so many bytes or a few more, and ends with a block. Nil when no file is that large.
    private static func plaintextByteCount(atLeast least: UInt64, from start: UInt64) -> UInt64? {
        let (leastEnd, overflow) = start.addingReportingOverflow(ChunkLayout.sealedByteCount(plaintext: least))
        guard !overflow, leastEnd < UInt64(Int.max) - 2 * block else { return nil }
        var end = (leastEnd + block - 1) / block * block
        while true {
            if let fitting = ChunkLayout.plaintextByteCount(sealed: Int(end - start)) { return UInt64(fitting) }
            // A message cannot end within the tag of a chunk.
            end += block
        }
    }
}
