package import FoundationEssentials
package import Records
import Unlocking
package import Uploads
package import Vault

/// What this host itself brings to a door: from a folder into which others put files.
extension VaultService {
    /// - Parameter code: a door's. This host was given it to keep, and so it costs no guess where it is wrong.
    /// - Returns: the session of what is sent with it today, and its token.
    /// - Throws: `noSuchDoor`, `doorShut`, `doorExpired`, `tooManyAttempts`, `busy`, `diskFull`.
    package func sender(with code: DoorToken) async throws -> (session: Session, token: String) {
        try requireNotDraining()
        let client = Client(address: .unixSocket)
        return try await translating { [self] in
            try await store.ledger.notice(of: code).terms.requireOpen(on: store.today)
            let session = try await attempt(client) { [self] guess in
                guard let session = try await sender(with: code, for: guess, client) else {
                    throw VaultError.noSuchDoor
                }
                return session
            }
            return (session, try code.senderToken(day: session.beganDay, of: try code.sender(of: client.holder)).text)
        }
    }
}

extension Session {
    /// Stores a file through the door by which this session came, and reads it back from disk.
    /// - Parameters:
    ///   - path: where it lies, folders and name.
    ///   - receive: brings the bytes, and ends the upload.
    /// - Returns: SHA-256 of what was read back; nil where it is not what came.
    /// - Throws: as `Uploads.begin` and `Upload`; `sessionEnded`, and what `receive` throws.
    package func give(
        _ name: String, path: String? = nil, byteCount: UInt64?, modifiedAt: Date?,
        receive: (Upload) async throws -> Photo
    ) async throws -> [UInt8]? {
        // Its owner takes nothing of it before it was read back.
        let pass = try enterDoor()
        defer { withExtendedLifetime(pass) {} }
        let upload = try await uploads.begin(
            name: name, declaredByteCount: byteCount, lastModified: modifiedAt, path: path)
        let photo = try await receive(upload)
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
