package import FoundationEssentials
package import NIOCore
package import Records
package import Vault

/// A photo on its way in, in one piece: an upload whose row is never written, so that it is there whole or not at all.
/// Owned by its request's task. Dropping it leaves nothing on disk.
package struct Upload: Sendable {
    private let run: UploadRun

    package init(_ run: UploadRun) {
        self.run = run
    }

    /// Takes bytes in; waits while the disk is behind, which is what holds the sender back.
    /// - Throws: `fileTooLarge`, `vaultFull`, `guestFull`, `lengthMismatch`, `sessionEnded` once the vault was locked,
    ///   `busy` when its place was needed for somebody who has fewer, `diskFull`, `degraded`; and the same again from
    ///   then on.
    package func append(_ bytes: ByteBuffer) async throws { try await run.append(bytes) }

    /// Returns once the data, the directory entry and the row are on disk. When the vault has this content already, and
    /// has read it back from disk, the answer is that photo, and what came is thrown away.
    package func finish() async throws -> Photo {
        guard let photo = try await run.finish().photo else {
            throw VaultError.internalFailure("an upload in one piece that became no photo")
        }
        return photo
    }

    /// Throws the upload away; nothing of it is kept.
    package func abandon() async { await run.abandon() }
}

/// What an upload needs of the session that it belongs to, which stands above it.
package protocol UploadOwner: AnyObject, Sendable {
    var engine: UploadEngine { get }
    /// The one in which goes on what this one has begun: another one once a guest has moved into a vault.
    var following: Self { get }

    /// The open vault; counts as use.
    /// - Throws: `sessionEnded` once the session was locked or its time is over.
    func requireVault() throws(VaultError) -> OpenVault
    /// Counts as use.
    /// - Throws: `sessionEnded`.
    func touch() throws(VaultError)
    /// That run has ended.
    func forget(_ run: UploadRun)

    func photo(_ outcome: Arrival.Outcome) -> Photo
    func status(of upload: UnfinishedUpload) -> UploadStatus
    func status(of upload: UnfinishedUpload, _ outcome: Arrival.Outcome) -> UploadStatus
}

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
