import Vaults

/// A vault has been opened, and perhaps a guest has moved in.
struct OpeningPayload: Encodable {
    let kind = "vault"
    let kept: Bool
    let migrated: Int
    let duplicates: Int
    let pending: Int
    let lost: Int
    /// The code of what kept the guest from moving in; absent when nothing did.
    let migrationRefused: String?
    /// The recovery code of a vault that was made with one; absent otherwise.
    let recoveryCode: String?
    /// Wrong guesses at passwords of this house since this vault was opened before.
    let wrongGuesses: UInt64

    init(_ opening: Opening) {
        kept = opening.session.isKept
        migrated = opening.migration?.moved ?? 0
        duplicates = opening.migration?.duplicates ?? 0
        pending = opening.migration?.pending ?? 0
        lost = opening.migration?.lost ?? 0
        migrationRefused = opening.migrationRefusal?.code
        recoveryCode = opening.recoveryCode
        wrongGuesses = opening.session.wrongGuesses
    }
}
