package import FoundationEssentials
package import Vault

/// Where a resumable upload stands. Whatever is said here is on disk.
package struct UploadStatus: Sendable {
    /// 22 characters of base64url: 128 random bits. Stored hashed only; valid for every later session of the vault.
    package var id: String
    /// Bytes of the content that are durable; the next request begins there.
    package var offset: UInt64
    /// Bytes of the whole content.
    package var byteCount: UInt64
    /// What the client said at its creation, in its own words; nil if it said nothing, and once `photo` is there.
    package var metadata: String?
    /// When it is forgotten unless it moves on.
    package var expires: Date
    /// The photo it became, once all bytes are there.
    package var photo: Photo?
    /// Whether `photo` was there before, and the bytes of this upload were thrown away.
    package var isDuplicate: Bool

    package init(
        id: String, offset: UInt64, byteCount: UInt64, metadata: String? = nil, expires: Date, photo: Photo? = nil,
        isDuplicate: Bool
    ) {
        self.id = id
        self.offset = offset
        self.byteCount = byteCount
        self.metadata = metadata
        self.expires = expires
        self.photo = photo
        self.isDuplicate = isDuplicate
    }
}

/// The answer to a creation.
package struct UploadCreation: Sendable {
    package var status: UploadStatus
    /// False when the same client id, name and size named an upload that exists, finished or not.
    package var isNew: Bool
    /// Takes the body that came with the creation. Nil without a body, and where the upload exists already and does
    /// not stand at its beginning: then the body is not read, and the client goes on from `status.offset`.
    package var run: UploadRun?

    package init(status: UploadStatus, isNew: Bool, run: UploadRun? = nil) {
        self.status = status
        self.isNew = isNew
        self.run = run
    }
}
