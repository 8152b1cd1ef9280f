import Glibc
import Sealing
import Store

/// Why a vault operation did not happen. Nothing that was acknowledged before is lost by any of these.
package enum VaultError: Error, Equatable, Sendable {
    case passwordEmpty, passwordMismatch, passwordTooShort, passwordTooCommon, passwordTooLong, passwordNotUTF8
    case passwordTaken, noSuchVault, setupCodeWrong, registrationClosed
    case tooManyAttempts(retryAfter: Duration, of: Limit = .guesses)
    case busy(retryAfter: Duration)
    case sessionEnded, noSuchPhoto, invalidCursor
    /// The session has no such archive, or it was not fetched for too long, or changed since.
    case archiveGone
    case nameInvalid
    case fileTooLarge(limit: UInt64)
    case lengthMismatch
    case noSuchUpload
    /// The upload stands elsewhere: the offset from which it goes on.
    case offsetMismatch(UInt64)
    /// The bytes of a request do not hash to what it announced; none of them was kept.
    case checksumMismatch
    /// A request with a digest carries more than `ExpectedDigest.requestByteLimit`.
    case checksumTooLong
    /// A newer request took the upload over, or an older one could not be ended in time.
    case uploadBusy
    /// The upload has expired.
    case uploadGone
    case clientIDInvalid
    /// What the client says of its file is longer than `UploadRequest.longestMetadata`.
    case metadataTooLong
    case noSuchBatch
    case noSuchAlbum
    case albumNameEmpty
    /// Longer than `AlbumRecord.longestName`.
    case albumNameTooLong
    /// Another one has it, by this id.
    case albumNameTaken(album: String)
    /// A photo is in `Keeping.mostAlbums` already.
    case tooManyAlbums
    /// Longer than `Keeping.longestCaption`.
    case captionTooLong
    case takenAtInvalid
    case rotationInvalid
    /// No coordinates on Earth, and no town that is known.
    case placeInvalid
    /// None begins on that day.
    case noSuchTrip
    /// A part that is no part of a picture.
    case editInvalid
    case noSuchSession
    case noSuchWay
    /// Sixteen are enough for a family.
    case tooManyWays
    /// Without it no password would open the vault.
    case lastPassword
    /// Its recovery code is not enough: that would be left as the only way in.
    case passwordNeeded
    /// The vault has a recovery code.
    case recoveryExists
    /// It cannot be replaced by whoever has nothing else.
    case wayInUse
    /// What was typed is no recovery code, or has a typing error.
    case recoveryCodeInvalid
    case passkeyInvalid
    /// The passkey opens another vault.
    case passkeyBound
    case labelTooLong
    /// The vault lost its head; nothing is written until the loss is accepted.
    case readOnly
    /// The disk keeps only its reserve.
    case diskFull
    /// The vault has reached its share of the disk.
    case vaultFull
    /// The guest, or all guests together, have as much as they may have.
    case guestFull
    /// No door has this code.
    case noSuchDoor
    /// The door was shut; its name.
    case doorShut(name: String)
    /// Its last day is over; its name.
    case doorExpired(name: String)
    /// What came unencrypted is not taken there.
    case doorNeedsEncryption
    /// As much was given as it takes.
    case doorFull
    /// One giver has given as much as leaves enough of a door's room for others.
    case doorShareTaken(retryAfter: Duration)
    /// A vault has `DoorRecord.most` doors.
    case tooManyDoors
    case doorNameInvalid
    /// No window has this code.
    case noSuchWindow
    /// The window was shut; its name.
    case windowShut(name: String)
    /// Its last day is over; its name.
    case windowOver(name: String)
    /// As many have come as may.
    case windowFull
    /// It asks for a password, and none was given, or a wrong one.
    case windowPassword(isWrong: Bool)
    /// Originals are not shown there.
    case windowLooksOnly
    /// A vault has `WindowRecord.most` windows.
    case tooManyWindows
    case windowNameInvalid
    /// More than `WindowRecord.mostSelected` photos, or none.
    case windowTooLarge
    /// Neither today nor a later day within a year.
    case lastDayInvalid
    /// A door's code sends, and may do nothing else.
    case onlySends
    /// The code of a program may not do this.
    case onlyForApps
    /// This host takes no guests.
    case guestsOff
    /// A guest may not do this.
    case vaultNeeded
    /// Only a guest may do this, and a vault is open.
    case vaultOpen
    /// A sync failed; the store takes no uploads until a probe on a new file passes.
    case degraded
    /// The bucket that everything goes along to does not answer: nothing is saved until it does.
    case bucketUnreachable
    /// Another host has taken over the bucket; this one saves nothing any more.
    case takenOver
    /// The daemon is stopping.
    case draining
    /// Stored bytes fail their verification.
    case damaged
    case internalFailure(String)

    /// Stable, for programs: kebab-case.
    package var code: String {
        switch self {
        case .passwordEmpty: "password-empty"
        case .passwordMismatch: "password-mismatch"
        case .passwordTooShort: "password-too-short"
        case .passwordTooCommon: "password-too-common"
        case .passwordTooLong: "password-too-long"
        case .passwordNotUTF8: "password-not-utf8"
        case .passwordTaken: "password-taken"
        case .noSuchVault: "no-such-vault"
        case .setupCodeWrong: "setup-code"
        case .registrationClosed: "registration-closed"
        case .tooManyAttempts: "too-many-attempts"
        case .busy: "busy"
        case .sessionEnded: "session-ended"
        case .noSuchPhoto: "no-such-photo"
        case .invalidCursor: "invalid-cursor"
        case .archiveGone: "archive-gone"
        case .nameInvalid: "name-invalid"
        case .fileTooLarge: "file-too-large"
        case .lengthMismatch: "length-mismatch"
        case .noSuchUpload: "no-such-upload"
        case .offsetMismatch: "offset-mismatch"
        case .checksumMismatch: "checksum-mismatch"
        case .checksumTooLong: "checksum-too-long"
        case .uploadBusy: "upload-busy"
        case .uploadGone: "upload-gone"
        case .clientIDInvalid: "client-id-invalid"
        case .metadataTooLong: "metadata-too-long"
        case .noSuchBatch: "no-such-batch"
        case .noSuchAlbum: "no-such-album"
        case .albumNameEmpty: "album-name-empty"
        case .albumNameTooLong: "album-name-too-long"
        case .albumNameTaken: "album-name-taken"
        case .tooManyAlbums: "too-many-albums"
        case .captionTooLong: "caption-too-long"
        case .takenAtInvalid: "taken-at-invalid"
        case .rotationInvalid: "rotation-invalid"
        case .editInvalid: "edit-invalid"
        case .placeInvalid: "place-invalid"
        case .noSuchTrip: "no-such-trip"
        case .noSuchSession: "no-such-session"
        case .noSuchWay: "no-such-way"
        case .tooManyWays: "too-many-ways"
        case .lastPassword: "last-password"
        case .passwordNeeded: "password-needed"
        case .recoveryExists: "recovery-exists"
        case .wayInUse: "way-in-use"
        case .recoveryCodeInvalid: "recovery-code-invalid"
        case .passkeyInvalid: "passkey-invalid"
        case .passkeyBound: "passkey-bound"
        case .labelTooLong: "label-too-long"
        case .readOnly: "read-only"
        case .diskFull: "disk-full"
        case .vaultFull: "vault-full"
        case .guestFull: "guest-full"
        case .noSuchDoor: "no-such-door"
        case .doorShut: "door-shut"
        case .doorExpired: "door-expired"
        case .doorNeedsEncryption: "tls-required"
        case .doorFull: "door-full"
        case .doorShareTaken: "door-share"
        case .tooManyDoors: "too-many-doors"
        case .doorNameInvalid: "door-name-invalid"
        case .lastDayInvalid: "last-day-invalid"
        case .noSuchWindow: "no-such-window"
        case .windowShut: "window-shut"
        case .windowOver: "window-over"
        case .windowFull: "window-full"
        case .windowPassword: "window-password"
        case .windowLooksOnly: "window-looks-only"
        case .tooManyWindows: "too-many-windows"
        case .windowNameInvalid: "window-name-invalid"
        case .windowTooLarge: "window-too-large"
        case .onlySends: "only-sends"
        case .onlyForApps: "only-for-apps"
        case .guestsOff: "guests-off"
        case .vaultNeeded: "vault-needed"
        case .vaultOpen: "vault-open"
        case .degraded: "degraded"
        case .bucketUnreachable: "bucket-unreachable"
        case .takenOver: "taken-over"
        case .draining: "draining"
        case .damaged: "damaged"
        case .internalFailure: "internal"
        }
    }
}

extension VaultError {
    /// Failures that tell nothing about any password.
    package var isNoGuess: Bool {
        switch self {
        case .busy, .degraded, .diskFull, .draining, .internalFailure, .sessionEnded: true
        case .bucketUnreachable, .takenOver: true
        // Refused before anything was compared.
        case .tooManyAttempts(_, let limit): limit != .guesses
        // The vault's own secret was right.
        case .doorShut, .doorExpired, .doorNeedsEncryption, .doorFull, .doorShareTaken, .guestFull, .guestsOff: true
        // The code was right; of a password nothing was compared.
        case .windowShut, .windowOver, .windowFull, .windowPassword(isWrong: false), .windowLooksOnly: true
        case .damaged, .readOnly, .noSuchWay, .tooManyWays, .lastPassword, .passwordNeeded, .recoveryExists, .wayInUse,
            .passkeyBound:
            true
        default: false
        }
    }
}

extension VaultError {
    /// What there was too much of.
    package enum Limit: String, Sendable {
        case guesses
        /// New vaults of this host.
        case newVaults = "new-vaults"
        /// Changes of the ways into one vault.
        case ways
        /// New guests of this host, or of whoever asks.
        case guests
        /// Spaces that visitors have begun at doors.
        case visits
        /// What visitors of one window fetch in a day.
        case shown
    }
}

extension VaultError {
    /// The one place where errors of the targets below become errors of this one.
    package init(_ error: any Error) {
        switch error {
        case let error as VaultError: self = error
        case let error as StoreError: self.init(store: error)
        case SealingError.damaged, SealingError.wrongKey: self = .damaged
        case SealingError.hostExhausted, SealingError.memoryNotLockable: self = .busy(retryAfter: .seconds(5))
        case SealingError.passwordNotUTF8: self = .passwordNotUTF8
        case SealingError.passwordTooLong: self = .passwordTooLong
        case is CancellationError: self = .sessionEnded
        default: self = .internalFailure(String(reflecting: error))
        }
    }

    private init(store error: StoreError) {
        switch error {
        case .diskFull, .uncertainOnFullDisk: self = .diskFull
        // What the ledger has lost a start puts back; until then the disk is what has to be looked at.
        case .syncFailed, .degraded, .readOnlyDisk, .ledgerDamaged: self = .degraded
        case .bucketUnreachable: self = .bucketUnreachable
        case .superseded: self = .takenOver
        case .objectMissing, .objectUnreadable: self = .damaged
        case .ioFailed(_, let code) where Self.codesOfMistakes.contains(code):
            self = .internalFailure(String(describing: error))
        case .ioFailed(_, let code) where Self.codesOfHaste.contains(code): self = .busy(retryAfter: .seconds(5))
        // A disk that fails or is gone, and folders that were taken away or closed: nothing of the request is at fault,
        // and the same may go well later.
        case .ioFailed: self = .degraded
        // Of starts alone.
        case .unusable, .absent, .inUse, .foreignLedger, .newerFormat, .insecurePermissions:
            self = .internalFailure(String(describing: error))
        }
    }

    /// What a system call says only to a program that asks for what there cannot be.
    private static let codesOfMistakes: Set<Int32> = [
        EINVAL, EBADF, EFAULT, EDOM, ENOTSOCK, ENAMETOOLONG, EISDIR, EEXIST, ENOTEMPTY, ESPIPE, ENOTTY, ENOSYS,
    ]
    /// Somebody else is at it, or the host has run out of open files or memory for the moment, for which the disk is not to
    /// blame.
    private static let codesOfHaste: Set<Int32> = [EBUSY, EAGAIN, ETXTBSY, EINTR, EMFILE, ENFILE, ENOMEM, ENOBUFS]
}

/// Runs `body`, translating what targets below throw.
package func translating<R>(_ body: () async throws -> R) async throws -> R {
    do { return try await body() } catch { throw VaultError(error) }
}

/// Runs `body`, translating what targets below throw.
package func translated<R>(_ body: () throws -> R) throws(VaultError) -> R {
    do { return try body() } catch { throw VaultError(error) }
}
