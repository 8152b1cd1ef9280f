import Records
package import Sealing

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
