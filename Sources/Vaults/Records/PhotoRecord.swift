import Sealing
import Store

/// What a vault knows of one photo, without its file key.
struct PhotoRecord: Equatable, Sendable {
    /// One sealed message inside the object file.
    struct Run: Equatable, Sendable {
        /// Plaintext bytes, padding of the last run included.
        var plaintextByteCount: UInt64
        /// 24 bytes; opening compares it with the file's, so a discarded run cannot be put back.
        var salt: [UInt8]
    }

    /// Never reused inside a vault; photos are listed newest first by it.
    var serial: UInt64
    var object: ObjectID
    /// Of the original, without padding.
    var byteCount: UInt64
    var runs: [Run]
    var name: String
    /// By content, as `MediaType.sniff` found it.
    var type: String
    /// Milliseconds since 1970 UTC, as are the following.
    var receivedAt: UInt64
    var modifiedAt: UInt64?
    /// Set while the photo lies in "Recently deleted".
    var deletedAt: UInt64?
    /// Of the whole content; nil until it was computed.
    var sha256: [UInt8]?
    /// SHA-256 of the first 4 KiB.
    var firstPartDigest: [UInt8]?
    /// For content of more than one piece of 8 MiB: SHA-256 over the SHA-256s of all pieces, and over those of the
    /// first and the last.
    var treeDigest: [UInt8]?
    var endsDigest: [UInt8]?
    /// When it was last read back from disk whole.
    var verifiedAt: UInt64?
    /// When its stored bytes were found to fail their verification.
    var damagedAt: UInt64?
    /// Uploads that brought it, itself or as a duplicate.
    var origins: [PhotoOrigin] = []
    var memberships: [BatchMembership] = []
    /// Fields of a newer version, kept as they are.
    var unknown: [TaggedFields.Field] = []
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
        static let known: ClosedRange<UInt8> = 1...18
    }

    /// The payload of the photo's row, with zeros where its first row has the file key: that one never stands in
    /// ordinary memory.
    var encoded: [UInt8] {
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
        for origin in origins { fields.append(Tag.origin, origin.encoded) }
        for membership in memberships { fields.append(Tag.membership, membership.encoded) }
        fields.fields += unknown
        return fields.encoded
    }

    static func decode(_ payload: [UInt8]) throws(VaultError) -> PhotoRecord {
        let fields = try TaggedFields(payload)
        guard let first = fields.fields.first, first.tag == Tag.fileKey, first.value.count == RowPiece.fileKeyByteCount,
            let object = fields.value(Tag.object).flatMap(ObjectID.init(bytes:)),
            let byteCount = fields.uint64(Tag.byteCount), let serial = fields.uint64(Tag.serial),
            let receivedAt = fields.uint64(Tag.receivedAt),
            let name = fields.value(Tag.name).flatMap({ String(validating: $0, as: UTF8.self) }),
            let type = fields.value(Tag.type).flatMap({ String(validating: $0, as: UTF8.self) })
        else { throw .damaged }
        var record = PhotoRecord(
            serial: serial, object: object, byteCount: byteCount, runs: [], name: name, type: type,
            receivedAt: receivedAt)
        record.runs = try fields.values(Tag.run).map { value throws(VaultError) in try Run(value) }
        record.modifiedAt = fields.uint64(Tag.modifiedAt)
        record.deletedAt = fields.uint64(Tag.deletedAt)
        record.sha256 = fields.value(Tag.sha256)
        record.firstPartDigest = fields.value(Tag.firstPartDigest)
        record.treeDigest = fields.value(Tag.treeDigest)
        record.endsDigest = fields.value(Tag.endsDigest)
        record.verifiedAt = fields.uint64(Tag.verifiedAt)
        record.damagedAt = fields.uint64(Tag.damagedAt)
        record.origins = try fields.values(Tag.origin).map { value throws(VaultError) in try PhotoOrigin(value) }
        record.memberships = try fields.values(Tag.membership).map { value throws(VaultError) in
            try BatchMembership(value)
        }
        record.unknown = fields.fields.filter { !Tag.known.contains($0.tag) }
        return record
    }
}

extension PhotoRecord {
    /// What is left to delete of a photo whose record breaks off.
    static func object(inBrokenPayload payload: [UInt8]) -> ObjectID? {
        TaggedFields.leading(payload).first { $0.tag == Tag.object }.flatMap { ObjectID(bytes: $0.value) }
    }
}

extension PhotoRecord {
    /// Bytes in front of the first run: magic, suite, chunk size.
    static let preamble: [UInt8] = Array("SLO1".utf8) + [1, 14, 0, 0]

    /// The size that the object file must have.
    var storedByteCount: UInt64 { runs.storedByteCount }

    /// The size of the object of a photo that comes in one piece.
    static func expectedByteCount(of byteCount: UInt64) -> UInt64 {
        let (sum, overflow) = ChunkLayout.sealedByteCount(plaintext: Padme.paddedByteCount(byteCount))
            .addingReportingOverflow(UInt64(preamble.count))
        return overflow ? .max : sum
    }
}

extension [PhotoRecord.Run] {
    /// The size of an object with these runs.
    var storedByteCount: UInt64 {
        reduce(UInt64(PhotoRecord.preamble.count)) {
            $0 + ChunkLayout.sealedByteCount(plaintext: $1.plaintextByteCount)
        }
    }
}

extension PhotoRecord.Run {
    var encoded: [UInt8] { plaintextByteCount.bigEndianBytes + salt }

    init(_ value: [UInt8]) throws(VaultError) {
        var reader = ByteReader(value)
        guard let count = reader.readUInt64(), let salt = reader.read(24), reader.isAtEnd else { throw .damaged }
        plaintextByteCount = count
        self.salt = Array(salt)
    }
}
