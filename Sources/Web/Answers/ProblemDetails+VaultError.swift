import HTTPTypes
package import Vaults

extension ProblemDetails {
    /// What a refusal by a vault looks like from outside. The code is the vault's own.
    package init(_ error: VaultError) {
        let (status, title, detail) = Self.words(for: error)
        self.init(status, error.code, title, detail, retryAfter: Self.retryAfter(error))
    }

    private typealias Words = (HTTPResponse.Status, String, String)

    private static func words(for error: VaultError) -> Words {
        switch error {
        case .passwordEmpty, .passwordMismatch, .passwordTooShort, .passwordTooCommon, .passwordTooLong,
            .passwordNotUTF8, .passwordTaken, .noSuchVault, .setupCodeWrong, .registrationClosed, .tooManyAttempts:
            passwordWords(for: error)
        case .readOnly, .busy, .fileTooLarge, .lengthMismatch, .diskFull, .vaultFull, .degraded, .draining:
            uploadWords(for: error)
        case .noSuchUpload, .offsetMismatch, .checksumMismatch, .checksumTooLong, .uploadBusy, .uploadGone,
            .clientIDInvalid, .metadataTooLong, .noSuchBatch:
            resumptionWords(for: error)
        case .noSuchWay, .tooManyWays, .lastPassword, .passwordNeeded, .recoveryExists, .wayInUse,
            .recoveryCodeInvalid, .passkeyInvalid, .passkeyBound, .labelTooLong:
            wayWords(for: error)
        case .guestFull, .guestsOff, .vaultNeeded, .vaultOpen:
            guestWords(for: error)
        case .sessionEnded:
            (.unauthorized, "The vault is locked.", "What was answered as saved is safe. Open the vault and go on.")
        case .noSuchPhoto:
            (.notFound, "There is no such photo in this vault.", "Nothing was changed. Load the list again.")
        case .archiveGone:
            (
                .gone, "This archive's address is over.",
                "No photo is lost. It holds for ten minutes after its last use; make the archive again."
            )
        case .noSuchSession:
            (.notFound, "It is not open there any more.", "Nothing was changed. Load the list again.")
        case .invalidCursor:
            (.badRequest, "The list cannot go on from there.", "Nothing is lost. Load it from its beginning.")
        case .nameInvalid:
            (.badRequest, "The file's name is empty or longer than 1,024 bytes.", "Nothing of it was kept. Rename it.")
        case .damaged:
            (
                .internalServerError, "Stored bytes have changed on the disk and are not shown.",
                "Other photos are not affected. Look for a backup of this one, and check the disk."
            )
        case .internalFailure:
            (.internalServerError, "Safelight made a mistake.", "This request was not carried out. Try again.")
        }
    }

    private static func passwordWords(for error: VaultError) -> Words {
        switch error {
        case .passwordEmpty:
            (.badRequest, "The password is empty.", "Nothing was changed. Type one.")
        case .passwordMismatch:
            (.badRequest, "The two passwords differ.", "Nothing was changed. Type the same one twice.")
        case .passwordTooShort:
            (.badRequest, "The password is too short.", "Nothing was changed. Take at least 10 characters.")
        case .passwordTooCommon:
            (
                .badRequest, "This password, or one much like it, is on lists of common passwords.",
                "Nothing was changed. Four random words make a good one."
            )
        case .passwordTooLong:
            (.badRequest, "The password is longer than 1,024 bytes.", "Nothing was changed. Take a shorter one.")
        case .passwordNotUTF8:
            (.badRequest, "The password is not UTF-8 text.", "Nothing was changed. Type it again.")
        case .passwordTaken:
            (.conflict, "This password is already in use.", "Nothing was changed. Take another one.")
        case .setupCodeWrong:
            (
                .forbidden, "The setup code is missing or wrong.",
                "Nothing was changed. On its computer, `safelight code` shows it; a code works for a week."
            )
        case .registrationClosed:
            (
                .forbidden, "New vaults cannot be made from here.",
                "Nothing was changed. Create it on the computer with Safelight."
            )
        case .tooManyAttempts:
            (.tooManyRequests, "Too many tries.", "Nothing is lost. Wait a little before the next one.")
        default:
            (.unauthorized, "That password didn't open a vault.", "Nothing is lost. Check Caps Lock and try again.")
        }
    }

    private static func wayWords(for error: VaultError) -> Words {
        switch error {
        case .tooManyWays:
            (.conflict, "This vault has sixteen ways in.", "Nothing was changed. Remove one first.")
        case .lastPassword:
            (.conflict, "This is the only password.", "Nothing was changed. Add another one first.")
        case .passwordNeeded:
            (
                .conflict, "This needs the vault's password.",
                "Nothing was changed. The recovery code sets a new password; then use that one."
            )
        case .recoveryExists:
            (.conflict, "This vault has a recovery code.", "Nothing was changed. Say that it is to be replaced.")
        case .wayInUse:
            (
                .conflict, "This code is to be replaced by itself.",
                "Nothing was changed. Set a new password with it first."
            )
        case .recoveryCodeInvalid:
            (.badRequest, "The recovery code has a typing error.", "Nothing was changed. Compare it with the paper.")
        case .passkeyInvalid:
            (.badRequest, "The passkey's secret is not 32 bytes.", "Nothing was changed. Try it with another browser.")
        case .passkeyBound:
            (.conflict, "This passkey opens another vault.", "Nothing was changed. Say that it is to open this one.")
        case .labelTooLong:
            (.badRequest, "The name is longer than 40 characters.", "Nothing was changed. Take a shorter one.")
        default:
            (.notFound, "The vault has no such way in.", "Nothing was changed. Load the list again.")
        }
    }

    private static func uploadWords(for error: VaultError) -> Words {
        switch error {
        case .fileTooLarge(let limit):
            (.contentTooLarge, "This file is larger than \(limit) bytes.", "It was not kept. Others are not affected.")
        case .lengthMismatch:
            (.badRequest, "The file is not as long as was announced.", "It was not kept. Send it again.")
        case .diskFull:
            (.insufficientStorage, "Safelight's disk is full.", "What was saved is safe, this was not kept. Make room.")
        case .vaultFull:
            (.insufficientStorage, "The vault is full.", "What was saved is safe, this was not kept. Delete something.")
        case .readOnly:
            (
                .serviceUnavailable, "The vault takes nothing new, since a part of it is missing.",
                "What is shown stays. Open the vault's page, look at what is missing, and accept it."
            )
        case .degraded:
            (
                .serviceUnavailable, "Safelight's disk reports errors, so nothing new is taken.",
                "What was saved stays. Check the disk, then send this again."
            )
        case .draining:
            (.serviceUnavailable, "Safelight is stopping.", "What was saved is safe. Send this again in a while.")
        default:
            (.serviceUnavailable, "Safelight is busy.", "Nothing is lost. Send this again in a moment.")
        }
    }

    private static func guestWords(for error: VaultError) -> Words {
        switch error {
        case .guestFull:
            (
                .insufficientStorage, "The space for photos without a password is full.",
                "What was saved is safe, this was not kept. Open a vault, or delete something."
            )
        case .guestsOff:
            (
                .forbidden, "This Safelight takes photos only into a vault.",
                "Nothing was changed. Open or create a vault."
            )
        case .vaultNeeded:
            (.forbidden, "This needs an open vault.", "Nothing was changed. Open or create a vault and go on.")
        default:
            (.forbidden, "A vault is open here.", "Nothing was changed. This is for use without a password.")
        }
    }

    private static func resumptionWords(for error: VaultError) -> Words {
        switch error {
        case .offsetMismatch(let offset):
            (.conflict, "The upload goes on at byte \(offset).", "What arrived before is kept. Go on from there.")
        case .checksumMismatch:
            (
                HTTPResponse.Status(code: 460, reasonPhrase: "Checksum Mismatch"),
                "The bytes changed on their way.", "None of this request was kept. Send it again."
            )
        case .checksumTooLong:
            (.contentTooLarge, "A request with a checksum takes 64 MiB at most.", "Send it in smaller parts.")
        case .uploadBusy:
            (
                HTTPResponse.Status(code: 423, reasonPhrase: "Locked"),
                "Another request is writing to this upload.", "What arrived is kept. Ask where it stands, and go on."
            )
        case .uploadGone:
            (.gone, "The upload was left alone for too long.", "Nothing of it was kept. Begin it again.")
        case .clientIDInvalid:
            (.badRequest, "The client id is empty or longer than 256 bytes.", "Nothing was kept. Take another one.")
        case .metadataTooLong:
            (
                .badRequest, "What was said of the file is longer than 4,096 bytes.",
                "Nothing was kept. Say less of it in Upload-Metadata."
            )
        case .noSuchBatch:
            (.notFound, "There is no such batch in this vault.", "Nothing of it was kept. Make a new batch.")
        default:
            (.notFound, "There is no such upload in this vault.", "Nothing was changed. Begin it again.")
        }
    }

    private static func retryAfter(_ error: VaultError) -> Int? {
        switch error {
        case .tooManyAttempts(let wait), .busy(let wait):
            Int(wait.components.seconds) + (wait.components.attoseconds > 0 ? 1 : 0)
        case .uploadBusy: 1
        case .draining: 30
        case .degraded: 60
        default: nil
        }
    }
}
