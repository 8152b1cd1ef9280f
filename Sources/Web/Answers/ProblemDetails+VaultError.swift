import HTTPTypes
package import Records

extension ProblemDetails {
    /// What a refusal by a vault looks like from outside. The code is the error's own.
    package init(_ error: VaultError) {
        switch error {
        case .passwordEmpty:
            self.init(.badRequest, error.code, "The password is empty.", "Nothing was changed. Type one.")
        case .passwordMismatch:
            self.init(
                .badRequest, error.code, "The two passwords differ.", "Nothing was changed. Type the same one twice.")
        case .passwordTooShort:
            self.init(
                .badRequest, error.code, "The password is too short.",
                "Nothing was changed. Take at least 10 characters.")
        case .passwordTooCommon:
            self.init(
                .badRequest, error.code, "This password, or one much like it, is on lists of common passwords.",
                "Nothing was changed. Four random words make a good one.")
        case .passwordTooLong:
            self.init(
                .badRequest, error.code, "The password is longer than 1,024 bytes.",
                "Nothing was changed. Take a shorter one.")
        case .passwordNotUTF8:
            self.init(.badRequest, error.code, "The password is not UTF-8 text.", "Nothing was changed. Type it again.")
        case .passwordTaken:
            self.init(
                .conflict, error.code, "This password is already in use.", "Nothing was changed. Take another one.")
        case .noSuchVault:
            self.init(
                .unauthorized, error.code, "That password didn't open a vault.",
                "Nothing is lost. Check Caps Lock and try again.")
        case .setupCodeWrong:
            self.init(
                .forbidden, error.code, "The setup code is missing or wrong.",
                "Nothing was changed. On its computer, `safelight code` shows it; a code works for a week.")
        case .registrationClosed:
            self.init(
                .forbidden, error.code, "New vaults cannot be made from here.",
                "Nothing was changed. Create it on the computer with Safelight.")
        case .tooManyAttempts(let wait, let limit):
            self.init(.tooManyRequests, error.code, limit.title, limit.detail, retryAfter: wholeSeconds(wait))
            if limit != .guesses { self.limit = limit.rawValue }
        case .busy(let wait):
            self.init(
                .serviceUnavailable, error.code, "Safelight is busy.", "Nothing is lost. Send this again in a moment.",
                retryAfter: wholeSeconds(wait))
        case .sessionEnded:
            self.init(
                .unauthorized, error.code, "The vault is locked.",
                "What was answered as saved is safe. Open the vault and go on.")
        case .noSuchPhoto:
            self.init(
                .notFound, error.code, "There is no such photo in this vault.",
                "Nothing was changed. Load the list again.")
        case .invalidCursor:
            self.init(
                .badRequest, error.code, "The list cannot go on from there.",
                "Nothing is lost. Load it from its beginning.")
        case .archiveGone:
            self.init(
                .gone, error.code, "This archive's address is over.",
                "No photo is lost. It holds for ten minutes after its last use; make the archive again.")
        case .nameInvalid:
            self.init(
                .badRequest, error.code, "The file's name is empty or longer than 1,024 bytes.",
                "Nothing of it was kept. Rename it.")
        case .fileTooLarge(let limit):
            self.init(
                .contentTooLarge, error.code, "This file is larger than \(limit) bytes.",
                "It was not kept. Others are not affected.")
        case .lengthMismatch:
            self.init(
                .badRequest, error.code, "The file is not as long as was announced.", "It was not kept. Send it again.")
        case .noSuchUpload:
            self.init(
                .notFound, error.code, "There is no such upload in this vault.", "Nothing was changed. Begin it again.")
        case .offsetMismatch(let offset):
            self.init(
                .conflict, error.code, "The upload goes on at byte \(offset).",
                "What arrived before is kept. Go on from there.")
        case .checksumMismatch:
            self.init(
                HTTPResponse.Status(code: 460, reasonPhrase: "Checksum Mismatch"), error.code,
                "The bytes changed on their way.", "None of this request was kept. Send it again.")
        case .checksumTooLong:
            self.init(
                .contentTooLarge, error.code, "A request with a checksum takes 64 MiB at most.",
                "Send it in smaller parts.")
        case .uploadBusy:
            self.init(
                HTTPResponse.Status(code: 423, reasonPhrase: "Locked"), error.code,
                "Another request is writing to this upload.", "What arrived is kept. Ask where it stands, and go on.",
                retryAfter: 1)
        case .uploadGone:
            self.init(
                .gone, error.code, "The upload was left alone for too long.", "Nothing of it was kept. Begin it again.")
        case .clientIDInvalid:
            self.init(
                .badRequest, error.code, "The client id is empty or longer than 256 bytes.",
                "Nothing was kept. Take another one.")
        case .metadataTooLong:
            self.init(
                .badRequest, error.code, "What was said of the file is longer than 4,096 bytes.",
                "Nothing was kept. Say less of it in Upload-Metadata.")
        case .noSuchBatch:
            self.init(
                .notFound, error.code, "There is no such batch in this vault.",
                "Nothing of it was kept. Make a new batch.")
        case .noSuchAlbum:
            self.init(
                .notFound, error.code, "There is no such album in this vault.",
                "Nothing was changed. Load the list again.")
        case .albumNameEmpty:
            self.init(.badRequest, error.code, "The album has no name.", "Nothing was changed. Give it one.")
        case .albumNameTooLong:
            self.init(
                .badRequest, error.code, "The album's name is longer than 200 bytes.",
                "Nothing was changed. Take a shorter one.")
        case .albumNameTaken(let album):
            self.init(
                .conflict, error.code, "There is an album of this name.",
                "Nothing was changed. Take another name, or use that album.")
            self.album = album
        case .tooManyAlbums:
            self.init(
                .conflict, error.code, "A photo of these is in 64 albums already.",
                "Nothing was changed. Take it out of one first.")
        case .captionTooLong:
            self.init(
                .badRequest, error.code, "The caption is longer than 2,000 characters.",
                "Nothing was changed. Take a shorter one.")
        case .takenAtInvalid:
            self.init(
                .badRequest, error.code, "No photo can have been taken then.",
                "Nothing was changed. Write the date as 1965-06-30T14:05:00, with or without a zone; not in the future."
            )
        case .rotationInvalid:
            self.init(
                .badRequest, error.code, "A photo is turned by 0, 90, 180 or 270 degrees.", "Nothing was changed.")
        case .placeInvalid:
            self.init(
                .badRequest, error.code, "There is no such place.",
                "Nothing was changed. Choose a town, or coordinates on Earth.")
        case .noSuchTrip:
            self.init(
                .notFound, error.code, "No trip begins on that day.", "Nothing was changed. Load the list again.")
        case .editInvalid:
            self.init(
                .badRequest, error.code, "There is no such part of a photo.",
                "Nothing was changed. Say left, top, right and bottom as shares from 0 to 1, at least 0.01 apart, and an angle from -45 to 45 degrees."
            )
        case .noSuchSession:
            self.init(
                .notFound, error.code, "It is not open there any more.", "Nothing was changed. Load the list again.")
        case .noSuchWay:
            self.init(
                .notFound, error.code, "The vault has no such way in.", "Nothing was changed. Load the list again.")
        case .tooManyWays:
            self.init(
                .conflict, error.code, "This vault has sixteen ways in.", "Nothing was changed. Remove one first.")
        case .lastPassword:
            self.init(
                .conflict, error.code, "This is the only password.", "Nothing was changed. Add another one first.")
        case .passwordNeeded:
            self.init(
                .conflict, error.code, "This needs the vault's password.",
                "Nothing was changed. The recovery code sets a new password; then use that one.")
        case .recoveryExists:
            self.init(
                .conflict, error.code, "This vault has a recovery code.",
                "Nothing was changed. Say that it is to be replaced.")
        case .wayInUse:
            self.init(
                .conflict, error.code, "This code is to be replaced by itself.",
                "Nothing was changed. Set a new password with it first.")
        case .recoveryCodeInvalid:
            self.init(
                .badRequest, error.code, "The recovery code has a typing error.",
                "Nothing was changed. Compare it with the paper.")
        case .passkeyInvalid:
            self.init(
                .badRequest, error.code, "The passkey's secret is not 32 bytes.",
                "Nothing was changed. Try it with another browser.")
        case .passkeyBound:
            self.init(
                .conflict, error.code, "This passkey opens another vault.",
                "Nothing was changed. Say that it is to open this one.")
        case .labelTooLong:
            self.init(
                .badRequest, error.code, "The name is longer than 40 characters.",
                "Nothing was changed. Take a shorter one.")
        case .readOnly:
            self.init(
                .serviceUnavailable, error.code, "The vault takes nothing new, since a part of it is missing.",
                "What is shown stays. Open the vault's page, look at what is missing, and accept it.")
        case .diskFull:
            self.init(
                .insufficientStorage, error.code, "Safelight's disk is full.",
                "This was not saved: keep it where it is. Make room on the disk of the computer that Safelight runs on, then "
                    + "send it again. What was answered as saved is safe.")
        case .vaultFull:
            self.init(
                .insufficientStorage, error.code, "The vault is full.",
                "This was not saved: keep it where it is. Delete something in the vault, then send it again. What was "
                    + "answered as saved is safe.")
        case .guestFull:
            self.init(
                .insufficientStorage, error.code, "The space for photos without a password is full.",
                "What was saved is safe, this was not kept. Open a vault, or delete something.")
        case .noSuchDoor:
            self.init(
                .notFound, error.code, "No door here has this code.",
                "Nothing was sent. Compare it with the invitation.")
        case .doorShut(let name):
            self.init(
                .gone, error.code, "This door was shut.", "What was given before is safe. Ask whoever invited you.")
            door = name
        case .doorExpired(let name):
            self.init(
                .gone, error.code, "The last day of this door is over.",
                "What was given before is safe. Ask whoever invited you.")
            door = name
        case .doorShareTaken(let wait):
            self.init(
                .insufficientStorage, error.code, "You have given your share of what this door takes in a day.",
                "What was answered as saved is safe. The door's owner can let it take more. \(VaultError.Limit.lifting)",
                retryAfter: wholeSeconds(wait))
        case .doorNeedsEncryption:
            self.init(
                .upgradeRequired, error.code, "This door takes photos over a secure connection.",
                "This one was not kept; what was answered as saved is safe. Open its page with https.")
        case .doorFull:
            self.init(
                .insufficientStorage, error.code, "This door has taken as much as it may.",
                "This one was not kept; what was answered as saved is safe. Ask whoever invited you.")
        case .tooManyDoors:
            self.init(
                .conflict, error.code, "This vault has 32 doors.", "Nothing was changed. Remove one first.")
        case .doorNameInvalid:
            self.init(
                .badRequest, error.code, "A door's name has 1 to 60 characters.",
                "Nothing was changed. Take another one.")
        case .noSuchWindow:
            self.init(
                .notFound, error.code, "No window here has this code.",
                "Nothing was changed. Compare it with the link.")
        case .windowShut(let name):
            self.init(
                .forbidden, error.code, "Nothing is shown here at the moment.",
                "Ask whoever gave you the link.")
            window = name
        case .windowOver(let name):
            self.init(
                .gone, error.code, "The last day of this window is over.", "Ask whoever gave you the link.")
            window = name
        case .windowFull:
            self.init(
                .forbidden, error.code, "As many have looked as may.",
                "Who looked before may go on for 30 days. Ask whoever gave you the link.")
        case .windowPassword(let isWrong):
            self.init(
                .unauthorized, error.code,
                isWrong ? "That password doesn't open this window." : "This window has a password.",
                "Ask whoever gave you the link.")
        case .windowLooksOnly:
            self.init(
                .forbidden, error.code, "These photos are here to be looked at.",
                "Nothing can be fetched. Ask whoever gave you the link.")
        case .tooManyWindows:
            self.init(
                .conflict, error.code, "This vault has 32 windows.", "Nothing was changed. Close one first.")
        case .windowNameInvalid:
            self.init(
                .badRequest, error.code, "A window's name has 1 to 60 characters.",
                "Nothing was changed. Take another one.")
        case .windowTooLarge:
            self.init(
                .badRequest, error.code, "A window shows 1 to 5,000 selected photos, or one album.",
                "Nothing was changed. Select others, or put them into an album.")
        case .lastDayInvalid:
            self.init(
                .badRequest, error.code, "The last day is today or within a year.",
                "Nothing was changed. Write it as 2026-12-01.")
        case .onlySends:
            self.init(
                .forbidden, error.code, "This code only sends.",
                "Nothing was changed. To see or change photos, use a password of the vault.")
        case .onlyForApps:
            self.init(
                .forbidden, error.code, "This code is an app's: it sends photos and lists them.",
                "Nothing was changed. For all else, use a password of the vault.")
        case .guestsOff:
            self.init(
                .forbidden, error.code, "This Safelight takes photos only into a vault.",
                "Nothing was changed. Open or create a vault.")
        case .vaultNeeded:
            self.init(
                .forbidden, error.code, "This needs an open vault.",
                "Nothing was changed. Open or create a vault and go on.")
        case .vaultOpen:
            self.init(
                .forbidden, error.code, "A vault is open here.",
                "Nothing was changed. This is for use without a password.")
        case .degraded:
            self.init(
                .serviceUnavailable, error.code, "Safelight's disk reports errors, so nothing new is taken.",
                "What was saved stays. Check the disk, then send this again.", retryAfter: 60)
        case .bucketUnreachable:
            self.init(
                .serviceUnavailable, error.code, "Safelight's store does not answer, so nothing new is taken.",
                "What was saved stays. Send this again in a while.", retryAfter: 30)
        case .takenOver:
            self.init(
                .serviceUnavailable, error.code, "Another computer has taken over from this one.",
                "What was saved is there. Use Safelight on that computer, and send this again there.", retryAfter: 600)
        case .draining:
            self.init(
                .serviceUnavailable, error.code, "Safelight is stopping.",
                "What was saved is safe. Send this again in a while.", retryAfter: 30)
        case .damaged:
            self.init(
                .internalServerError, error.code, "Stored bytes have changed on the disk and are not shown.",
                "Other photos are not affected. Look for a backup of this one, and check the disk.")
        case .internalFailure:
            self.init(
                .internalServerError, error.code, "Safelight made a mistake.",
                "This request was not carried out. Try again.")
        }
    }
}

/// Whole seconds that are not shorter.
private func wholeSeconds(_ wait: Duration) -> Int {
    Int(wait.components.seconds) + (wait.components.attoseconds > 0 ? 1 : 0)
}

extension VaultError.Limit {
    fileprivate var title: String {
        switch self {
        case .guesses: "Too many tries."
        case .newVaults: "Too many new vaults were made here lately."
        case .ways: "What opens this vault was changed too often lately."
        case .guests: "Too many new guests came here lately."
        case .visits: "Too many visitors came from here lately."
        case .shown: "More was fetched through this window today than may be."
        }
    }

    /// Also who can lift the limit before its time is over.
    fileprivate var detail: String {
        switch self {
        case .guesses: "Nothing is lost. Wait a little before the next one."
        case .newVaults, .ways, .guests: "Nothing was changed. \(Self.lifting)"
        case .visits: "Nothing is lost. \(Self.lifting)"
        case .shown: "Nothing is lost. Come back tomorrow."
        }
    }

    fileprivate static let lifting =
        "The host's keeper can lift this: on its computer, run `safelight lift-limits`."
}
