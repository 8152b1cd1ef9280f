import Bytes
package import Records
package import Sealing

/// What somebody opens a vault with.
package enum VaultSecret: Sendable {
    /// Also a recovery code that was typed where a password is asked for.
    case password(Password)
    case recovery(RecoveryCode)
    case passkey(PasskeySecret)
}

/// The output of WebAuthn's PRF extension: 32 bytes that only the device makes, and only for this host's page.
///
/// No signature comes with it and none is verified: the slots open under these bytes, so whoever has them needs no
/// permission, and whoever lacks them gains nothing by a signature. For the same reason no credential id is kept; on
/// disk it would open nothing and only link devices with vaults.
package final class PasskeySecret: Sendable {
    private static let byteCount = 32
    private static let letterCount = 43

    package let bytes: SecretBytes

    /// - Parameter base64URL: without padding.
    /// - Returns: nil for anything but 32 bytes.
    package init?(base64URL text: UnsafeRawBufferPointer) {
        guard text.count == Self.letterCount, let text = String(validating: text, as: UTF8.self),
            var decoded = Base64URL.decode(text), decoded.count == Self.byteCount
        else { return nil }
        defer { wipe(&decoded) }
        guard let bytes = try? SecretBytes(copying: decoded) else { return nil }
        self.bytes = bytes
    }
}

/// A code to be kept on paper: 128 random bits, written as `CodeText` has it.
package final class RecoveryCode: Sendable {
    /// 16 bytes.
    package let secret: SecretBytes

    fileprivate init() throws { secret = try SecretBytes(random: CodeText.byteCount) }

    /// - Parameter typed: in upper or lower case, with or without spaces and hyphens, O for 0 and I or L for 1.
    /// - Returns: nil for anything that is no code, or one with a typing error.
    package init?(typed: UnsafeRawBufferPointer) {
        guard let secret = CodeText.recovery.secret(typed: typed) else { return nil }
        self.secret = secret
    }

    /// For the person, once: XXXX-XXXX-XXXX-XXXX-XXXX-XXXX-XXXX.
    package func text() throws -> String { try CodeText.recovery.text(of: secret) }
}

/// A code that this host has just drawn. Nobody typed it, so it is no guess.
package struct DrawnRecoveryCode: Sendable {
    package let code: RecoveryCode

    package init() throws { code = try RecoveryCode() }
}

/// A window's code as somebody sent it. Nobody guesses 128 bits: to look for its window is no guess.
package struct WindowCode: Sendable {
    package let token: WindowToken

    /// Nil for anything that is no window's code, or one with a typing error.
    package init?(typed: UnsafeRawBufferPointer) {
        guard let bytes = CodeText.window.secret(typed: typed), let token = try? WindowToken(bytes) else { return nil }
        self.token = token
    }
}

/// A door's code as somebody typed or sent it. Whether there is such a door is asked for a guess alone: only by one does it
/// become what a door is looked for with.
package struct DoorCode: Sendable {
    private let token: DoorToken

    /// Nil for anything that is no door's code, or one with a typing error.
    package init?(typed: UnsafeRawBufferPointer) {
        guard let token = DoorToken(ofCredential: typed) else { return nil }
        self.token = token
    }

    package func token(for _: borrowing Guess) -> DoorToken { token }
}
