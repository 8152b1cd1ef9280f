package import FoundationEssentials

/// What a client announces before the first byte of a resumable upload.
package struct UploadRequest: Sendable {
    /// Bytes of a client id at most.
    package static let longestClientID = 256

    /// Any UTF-8 of 1…1,024 bytes; data only, never a path.
    package var name: String
    /// Of the whole content.
    package var byteCount: UInt64
    package var lastModified: Date?
    /// Makes creation idempotent: for seven days, the same id with the same name and size names the same upload.
    package var clientID: String?
    /// A batch of this vault, as `createBatch` named it.
    package var batch: String?

    package init(
        name: String, byteCount: UInt64, lastModified: Date? = nil, clientID: String? = nil, batch: String? = nil
    ) {
        self.name = name
        self.byteCount = byteCount
        self.lastModified = lastModified
        self.clientID = clientID
        self.batch = batch
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
