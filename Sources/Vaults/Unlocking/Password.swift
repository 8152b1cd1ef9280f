import Sealing

/// A typed password: Unicode NFC, at most 1,024 bytes, in locked memory, wiped with its last reference.
package final class Password: Sendable {
    let bytes: SecretBytes

    /// - Throws: `passwordNotUTF8`, `passwordTooLong`.
    package init(utf8: UnsafeRawBufferPointer) throws(VaultError) {
        do {
            bytes = try normalizedPassword(utf8)
        } catch {
            throw VaultError(error)
        }
    }

    package var isEmpty: Bool { bytes.count == 0 }

    /// The recovery code that it may be.
    var recoveryCode: RecoveryCode? { bytes.withUnsafeBytes { RecoveryCode(typed: $0) } }

    func equals(_ other: Password) -> Bool { bytes.equals(other.bytes) }
}
