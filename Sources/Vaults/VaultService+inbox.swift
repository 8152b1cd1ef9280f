package import FoundationEssentials
package import NIOCore
package import Records
import Unlocking
import Vault

/// What this host itself brings to a door: from a folder that is watched.
extension VaultService {
    /// - Parameter code: a door's.
    /// - Returns: the session of what is sent with it today.
    /// - Throws: `noSuchDoor`, `doorShut`, `doorExpired`, `tooManyAttempts`, `busy`, `diskFull`.
    package func sender(with code: DoorToken) async throws -> Session {
        try requireNotDraining()
        let client = Client(address: .unixSocket)
        return try await attempt(client) { [self] guess in
            guard let session = try await sender(with: code, for: guess, client) else { throw VaultError.noSuchDoor }
            return session
        }
    }
}

extension Session {
    /// Whether something can be sent with it now: it is open, and of today.
    package var isUsable: Bool { isOpen && beganDay == engine.store.today }

    /// Stores a file through the door by which this session came, and reads it back from disk.
    /// - Parameters:
    ///   - path: where it lies, folders and name.
    ///   - next: the next piece; nil at the end.
    /// - Returns: SHA-256 of what was read back; nil where it is not what came.
    /// - Throws: as `Uploads.begin` and `Upload`; `sessionEnded`, and what `next` throws.
    package func give(
        _ name: String, path: String? = nil, byteCount: UInt64, modifiedAt: Date?,
        _ next: () async throws -> ByteBuffer?
    ) async throws -> [UInt8]? {
        // Its owner takes nothing of it before it was read back.
        let pass = try enterDoor()
        defer { withExtendedLifetime(pass) {} }
        let upload = try await uploads.begin(
            name: name, declaredByteCount: byteCount, lastModified: modifiedAt, path: path)
        let photo: Photo
        do {
            while let piece = try await next() { try await upload.append(piece) }
            photo = try await upload.finish()
        } catch {
            await upload.abandon()
            throw error
        }
        return try await translating {
            let vault = try requireVault()
            let stored = try await libraryPhoto(photo.id, in: vault)
            guard try await vault.verifier.readBack(stored) else { return nil }
            return try await libraryPhoto(photo.id, in: vault).sha256
        }
    }

    /// Whether a file of this content was sent and is not taken yet, read back from disk: the daemon may have ended before it
    /// came to that.
    package func readBack(byteCount: UInt64, sha256: [UInt8]) async throws -> Bool {
        let pass = try enterDoor()
        defer { withExtendedLifetime(pass) {} }
        return try await translating {
            let vault = try requireVault()
            guard let photo = try await vault.library.photo(byteCount: byteCount, sha256: sha256) else { return false }
            return try await vault.verifier.readBack(photo)
        }
    }

    /// Whether something of this length was sent and may be known by its content.
    package func hasGiven(ofByteCount byteCount: UInt64) async throws -> Bool {
        let vault = try requireVault()
        if door?.takenLately.contains(where: { $0.byteCount == byteCount }) == true { return true }
        return try await vault.library.hasPhoto(byteCount: byteCount)
    }
}
