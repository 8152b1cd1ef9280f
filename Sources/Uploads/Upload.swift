package import NIOCore
import Records
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
