#if DEBUG
import Glibc

/// In debug builds a test can ask for proof that keys are wiped: it names a file in `SAFELIGHT_KEY_RECORD`, to which the
/// key of every vault and guest is added, 32 bytes, when it comes into memory. The test then looks for it there.
/// Whoever has the file can open everything: it is for tests alone, and release builds have no such code.
package enum KeyRecord {
    private static let environmentName = "SAFELIGHT_KEY_RECORD"
    /// Nil without a path; negative where the file cannot be opened.
    private static let descriptor = getenv(environmentName).map {
        open($0, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    }

    /// Straight out of locked memory: nothing of it is copied on the way.
    /// - Throws: when the file does not take it, for the test would prove nothing.
    package static func note(_ key: borrowing SecretBytes) throws {
        guard let descriptor else { return }
        let isWritten = key.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) == $0.count }
        guard isWritten else { throw SealingError.cryptographyFailed(environmentName) }
    }
}
#endif
