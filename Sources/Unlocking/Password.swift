package import Records
package import Sealing

/// A typed password: Unicode NFC, at most 1,024 bytes, in locked memory, wiped with its last reference.
package final class Password: Sendable {
    package let bytes: SecretBytes

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
    package var recoveryCode: RecoveryCode? { bytes.withUnsafeBytes { RecoveryCode(typed: $0) } }

    /// The door's code that it may be.
    package var doorCode: DoorCode? { bytes.withUnsafeBytes { DoorCode(typed: $0) } }

    package func equals(_ other: Password) -> Bool { bytes.equals(other.bytes) }
}
