import Bytes
package import FoundationEssentials
import Sealing
package import Store

/// What the sealed row of an unfinished upload says, without its file key.
package struct UploadRecord: Equatable, Sendable {
    /// Days that an unfinished upload is kept since it last moved on.
    package static let days: UInt32 = 7

    /// What only the first 4 KiB tell.
    package struct Facts: Equatable, Sendable {
        /// By content.
        package var type: String
        package var firstPartDigest: [UInt8]

        package init(type: String, firstPartDigest: [UInt8]) {
            self.type = type
            self.firstPartDigest = firstPartDigest
        }
    }

    package var id: UploadID
    package var creation: CreationKey?
    /// Bytes of the whole content.
    package var byteCount: UInt64
    package var name: String
    /// Milliseconds since 1970 UTC.
    package var modifiedAt: UInt64?
    package var batch: BatchID?
    /// As the client sent it.
    package var metadata: String?
    package var taken: CaptureHint?
    /// The name of the album that it is to join, which is made where there is none.
    package var album: String?
    /// Where it lay: folders and name.
    package var path: String?
    /// Where it came through a door whose owner has it by now.
    package var given: Given?
    /// Nil until the first run is durable. The row's column says the same in clear, for the sweep; this one counts.
    package var object: ObjectID?
    /// All durable.
    package var runs: [PhotoRecord.Run] = []
    /// Nil while the first run is shorter than what it takes.
    package var facts: Facts?
    package var unknown: [TaggedFields.Field] = []

    package init(
        id: UploadID, creation: CreationKey? = nil, byteCount: UInt64, name: String, modifiedAt: UInt64? = nil,
        batch: BatchID? = nil, metadata: String? = nil, taken: CaptureHint? = nil, album: String? = nil,
        path: String? = nil, object: ObjectID? = nil, runs: [PhotoRecord.Run] = [], facts: Facts? = nil,
        unknown: [TaggedFields.Field] = []
    ) {
        self.id = id
        self.creation = creation
        self.byteCount = byteCount
        self.name = name
        self.modifiedAt = modifiedAt
        self.batch = batch
        self.metadata = metadata
        self.taken = taken
        self.album = album
        self.path = path
        self.object = object
        self.runs = runs
        self.facts = facts
        self.unknown = unknown
    }
}

extension UploadRecord {
    /// Bytes of the content that are durable. Padding is only in a last run, which ends the upload.
    package var offset: UInt64 { min(byteCount, runs.reduce(0) { $0 + $1.plaintextByteCount }) }
    package var isComplete: Bool { offset == byteCount && !runs.isEmpty }

    private enum Tag {
        static let fileKey: UInt8 = 1
        static let object: UInt8 = 2
        static let byteCount: UInt8 = 3
        static let run: UInt8 = 4
        static let id: UInt8 = 5
        static let creation: UInt8 = 6
        static let modifiedAt: UInt8 = 7
        static let batch: UInt8 = 8
        static let name: UInt8 = 9
        static let type: UInt8 = 10
        static let firstPartDigest: UInt8 = 12
        static let metadata: UInt8 = 13
        static let taken: UInt8 = 14
        static let album: UInt8 = 15
        static let given: UInt8 = 16
        static let path: UInt8 = 17
        /// 11 is nobody's yet: a later version's field is kept like any other.
        static let known = Set<UInt8>(1...10).union(12...17)
    }

    /// With zeros where the sealed row has the file key.
    package var encoded: [UInt8] {
        var fields = TaggedFields()
        fields.append(Tag.fileKey, [UInt8](repeating: 0, count: RowPiece.fileKeyByteCount))
        fields.append(Tag.object, object?.bytes)
        fields.append(Tag.byteCount, byteCount)
        for run in runs { fields.append(Tag.run, run.encoded) }
        fields.append(Tag.id, id.bytes)
        fields.append(Tag.creation, creation?.bytes)
        fields.append(Tag.modifiedAt, modifiedAt)
        fields.append(Tag.batch, batch?.bytes)
        fields.append(Tag.name, Array(name.utf8))
        fields.append(Tag.type, facts.map { Array($0.type.utf8) })
        fields.append(Tag.firstPartDigest, facts?.firstPartDigest)
        fields.append(Tag.metadata, metadata.map { Array($0.utf8) })
        fields.append(Tag.taken, taken?.time.encoded)
        fields.append(Tag.album, album.map { Array($0.utf8) })
        fields.append(Tag.given, given?.encoded)
        fields.append(Tag.path, path.map { Array($0.utf8) })
        fields.fields += unknown
        return fields.encoded
    }

    package init(_ payload: [UInt8]) throws(VaultError) {
        let fields = try TaggedFields(payload)
        guard let first = fields.fields.first, first.tag == Tag.fileKey, first.value.count == RowPiece.fileKeyByteCount,
            let id = fields.value(Tag.id).flatMap(UploadID.init(bytes:)),
            let byteCount = fields.uint64(Tag.byteCount),
            let name = fields.value(Tag.name).flatMap({ String(validating: $0, as: UTF8.self) })
        else { throw .damaged }
        self.init(id: id, byteCount: byteCount, name: name)
        creation = fields.value(Tag.creation).flatMap(CreationKey.init(bytes:))
        modifiedAt = fields.uint64(Tag.modifiedAt)
        batch = fields.value(Tag.batch).flatMap(BatchID.init(bytes:))
        metadata = fields.value(Tag.metadata).flatMap { String(validating: $0, as: UTF8.self) }
        taken = fields.value(Tag.taken).flatMap(CaptureHint.init(encoded:))
        album = fields.value(Tag.album).flatMap { String(validating: $0, as: UTF8.self) }
        path = fields.value(Tag.path).flatMap { String(validating: $0, as: UTF8.self) }
        given = fields.value(Tag.given).flatMap(Given.init(encoded:))
        object = fields.value(Tag.object).flatMap(ObjectID.init(bytes:))
        runs = try fields.values(Tag.run).map { value throws(VaultError) in try PhotoRecord.Run(value) }
        if let type = fields.value(Tag.type).flatMap({ String(validating: $0, as: UTF8.self) }),
            let digest = fields.value(Tag.firstPartDigest)
        {
            facts = Facts(type: type, firstPartDigest: digest)
        }
        unknown = fields.fields.filter { !Tag.known.contains($0.tag) }
        guard runs.isEmpty == (object == nil) else { throw .damaged }
    }
}

/// How the row of an upload is laid out before it is sealed: version (1), zeros, bytes of payload (4), payload, zeros
/// up to 440 + 512·k. The payload begins with the file key, as a photo's does.
package enum UploadRow {
    private static let version: UInt8 = 1
    private static let headerByteCount = 8
    private static let step = 512
    private static let fileKeyOffset = headerByteCount + 3

    package static func plaintextByteCount(payload: Int) -> Int {
        let needed = headerByteCount + payload
        let steps = max(0, needed - RowPiece.byteCount + step - 1) / step
        return RowPiece.byteCount + steps * step
    }

    /// `buffer` has `plaintextByteCount` bytes.
    static func write(_ payload: [UInt8], to buffer: UnsafeMutableRawBufferPointer) {
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
        buffer.copyBytes(from: [version, 0, 0, 0] + UInt32(payload.count).bigEndianBytes + payload)
    }

    static func payload(of bytes: UnsafeRawBufferPointer) throws(VaultError) -> [UInt8] {
        var reader = ByteReader(Array(bytes.prefix(headerByteCount)))
        guard let first = reader.readUInt32(), first == UInt32(version) << 24, let count = reader.readUInt32(),
            bytes.count == plaintextByteCount(payload: Int(count))
        else { throw .damaged }
        return Array(bytes[headerByteCount..<headerByteCount + Int(count)])
    }

    static func fileKey(in row: UnsafeMutableRawBufferPointer) -> UnsafeMutableRawBufferPointer? {
        let end = fileKeyOffset + RowPiece.fileKeyByteCount
        guard row.count >= end, row[headerByteCount..<fileKeyOffset].elementsEqual([1, 0, 32]) else { return nil }
        return UnsafeMutableRawBufferPointer(rebasing: row[fileKeyOffset..<end])
    }
}

/// Where a long request's runs end: what a crash can take of it is at most the last one.
package enum RunBoundary {
    /// Runs of a finished photo that are left as they are; one of more is sealed again when it is read back.
    package static let mostRunsOfPhoto = 256

    private static let least: UInt64 = 64 << 20
    private static let runsPerUpload: UInt64 = 128

    /// Bytes of one run, for content of `byteCount`.
    package static func runByteLimit(ofContent byteCount: UInt64) -> UInt64 { max(least, byteCount / runsPerUpload) }
}

extension UploadID {
    package func rowID() throws -> RowID {
        guard let id = RowID(bytes: try SHA256Hasher.hash(bytes).prefix(16)) else {
            throw VaultError.internalFailure("a hash of a wrong size")
        }
        return id
    }
}

/// What makes two creations the same one: client id, size and name, hashed to 16 bytes.
package struct CreationKey: Hashable, Sendable {
    package static let byteCount = 16

    package let bytes: [UInt8]

    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

    /// Nil without a client id: such a creation is never the same as another.
    package init?(_ request: UploadRequest) throws {
        guard let clientID = request.clientID else { return nil }
        let parts = Array(clientID.utf8)
        let hash = try SHA256Hasher.hash(
            UInt16(clamping: parts.count).bigEndianBytes + parts + request.byteCount.bigEndianBytes
                + Array(request.name.utf8))
        bytes = Array(hash.prefix(Self.byteCount))
    }
}

/// What a client announces before the first byte of a resumable upload.
package struct UploadRequest: Sendable {
    /// Bytes of a client id at most.
    package static let longestClientID = 256
    /// Bytes of `metadata` at most.
    package static let longestMetadata = 4096

    /// Any UTF-8 of 1…1,024 bytes; data only, never a path.
    package var name: String
    /// Bytes of the whole content.
    package var byteCount: UInt64
    package var lastModified: Date?
    package var taken: CaptureHint?
    /// Makes creation idempotent: for seven days, the same id with the same name and size names the same upload.
    package var clientID: String?
    /// A batch of this vault, as `createBatch` named it.
    package var batch: String?
    /// What the client said of its file, in its own words: kept as it is, and given back while the upload is
    /// unfinished. Nil for nothing.
    package var metadata: String?
    /// The name of the album that it is to join, which is made where there is none.
    package var album: String?
    /// Where it lies, for what lies beside it: folders and name, with `/` between them.
    package var path: String?
    /// Whether its address is told before its first byte is read. Then it is on disk before, and one of the same name and
    /// size that was begun so and that nobody writes to gives way to it: a client that has lost the address begins again.
    package var isToldFirst: Bool

    package init(
        name: String, byteCount: UInt64, lastModified: Date? = nil, taken: CaptureHint? = nil, clientID: String? = nil,
        batch: String? = nil, metadata: String? = nil, album: String? = nil, path: String? = nil,
        isToldFirst: Bool = false
    ) {
        self.name = name
        self.byteCount = byteCount
        self.lastModified = lastModified
        self.taken = taken
        self.clientID = clientID
        self.batch = batch
        self.metadata = metadata
        self.album = album
        self.path = path
        self.isToldFirst = isToldFirst
    }
}

/// What the bytes of one request must hash to. A request that announces it is taken whole or not at all.
package enum ExpectedDigest: Equatable, Sendable {
    /// 32 bytes.
    case sha256([UInt8])
    /// 20 bytes.
    case sha1([UInt8])

    /// Bytes that a request with a digest may carry.
    package static let requestByteLimit: UInt64 = 64 << 20
}

/// What one request brings: of how many bytes, if it says so, and with which digest.
package struct UploadBody: Sendable {
    package var byteCount: UInt64?
    package var digest: ExpectedDigest?

    package init(byteCount: UInt64? = nil, digest: ExpectedDigest? = nil) {
        self.byteCount = byteCount
        self.digest = digest
    }
}

/// A question before an upload: is this content in the vault?
package enum ContentQuestion: Sendable {
    /// SHA-256 of the whole content, 32 bytes.
    case whole(byteCount: UInt64, sha256: [UInt8])
    /// SHA-256 over the SHA-256s of the pieces of 8 MiB, for content of more than one.
    case tree(byteCount: UInt64, digest: [UInt8])
    /// SHA-256 of the first and of the last piece of 8 MiB (the last may be shorter).
    case ends(byteCount: UInt64, first: [UInt8], last: [UInt8])
}

/// The answer. Only photos that were read back from disk and do not lie in "Recently deleted" count.
package enum ContentAnswer: String, Sendable {
    case known, maybe, new
}
