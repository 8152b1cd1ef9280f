package import FoundationEssentials

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
