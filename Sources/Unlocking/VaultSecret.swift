import Bytes
import Records
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
