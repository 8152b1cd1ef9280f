import Bytes
import COpenSSL

/// What a message is, mixed into its keys, so that no message can stand in another's place. The list is closed.
///
/// Bytes: `safelight/v1/<word>` followed by the argument. No word begins another, and arguments have a fixed size or
/// stand last, so two contexts are never the same bytes.
package struct SealingContext: Sendable {
    package let bytes: [UInt8]

    /// A key slot.
    package static let slot = SealingContext("slot")

    /// A row of the ledger; 16-byte row id.
    package static func row(_ id: [UInt8]) -> SealingContext { SealingContext(bytes: rowPrefix + id) }

    /// One run of an object; the object's 8-byte preamble and the run's number.
    package static func original(preamble: [UInt8], run: UInt32) -> SealingContext {
        SealingContext("original", preamble + run.bigEndianBytes)
    }

    /// A preview; its id.
    package static func preview(_ id: [UInt8]) -> SealingContext { SealingContext("preview", id) }

    /// An unfinished upload; its id.
    package static func upload(_ id: [UInt8]) -> SealingContext { SealingContext("upload", id) }

    /// A guest's row; its id.
    package static func guest(_ id: [UInt8]) -> SealingContext { SealingContext("guest", id) }

    /// A kept session; its id.
    package static func session(_ id: [UInt8]) -> SealingContext { SealingContext("session", id) }

    /// What a door says of itself; its id.
    package static func door(_ id: [UInt8]) -> SealingContext { SealingContext("door", id) }

    /// What a window says of itself, and the key of its list; its id.
    package static func window(_ id: [UInt8]) -> SealingContext { SealingContext("window", id) }

    /// Made once: rows are many.
    private static let rowPrefix = SealingContext("row").bytes

    private init(_ word: String, _ argument: [UInt8] = []) {
        self.init(bytes: Array("safelight/v1/\(word)".utf8) + argument)
    }

    /// Any bytes: for published vectors only.
    init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// The keys that a vault's key gives, each for one job.
package enum VaultKeyPurpose: String, Sendable {
    /// Seals rows.
    case row
    /// Makes row ids.
    case rid
    /// Authenticates the elements of the set accumulator.
    case acc
    /// Seals exports.
    case export
    /// Makes the names under which programs know photos.
    case handles
}

/// The key for `purpose`, 32 bytes, of a vault key of 32.
package func deriveVaultKey(
    _ purpose: VaultKeyPurpose, from vaultKey: borrowing SecretBytes
) throws -> SecretBytes {
    try deriveKey(labelled: purpose.rawValue, from: vaultKey)
}

/// HKDF-Expand under the label `safelight/v1/<word>`. Labels stand alone, so none can run into what follows it.
func deriveKey(labelled word: String, from key: borrowing SecretBytes) throws -> SecretBytes {
    guard key.count == 32 else { throw SealingError.invalidParameters("key size") }
    return try HKDFSHA512.expand(key, info: Array("safelight/v1/\(word)".utf8), count: 32)
}

/// The key of one of the daemon's own vaults, 32 bytes, of a device's cookie of 32.
package func deriveGhostKey(_ number: Int, from cookie: borrowing SecretBytes) throws -> SecretBytes {
    try deriveKey(labelled: "ghost/\(number)", from: cookie)
}

/// The keys that a photo's key gives.
package enum FileKeyPurpose: String, Sendable {
    /// Seals the runs of its object.
    case original
    /// Seals its previews.
    case preview
}

/// The key for `purpose`, 32 bytes, of a file key of 32.
package func deriveFileKey(_ purpose: FileKeyPurpose, from fileKey: borrowing SecretBytes) throws -> SecretBytes {
    try deriveKey(labelled: purpose.rawValue, from: fileKey)
}

/// The keys that a session's token gives.
package enum SessionKeyPurpose: String, Sendable {
    /// Seals the session's row.
    case session
    /// Makes the names under which the session knows photos.
    case handles
}

/// The key for `purpose`, 32 bytes, of a token of 32.
package func deriveSessionKey(
    _ purpose: SessionKeyPurpose, from token: borrowing SecretBytes
) throws -> SecretBytes {
    try deriveKey(labelled: purpose.rawValue, from: token)
}

/// The library's algorithms, fetched once: a fetch by name costs more than sealing a row.
///
/// `nonisolated(unsafe)`: fetched methods are immutable, counted atomically, and may be used from every thread.
enum Algorithms {
    nonisolated(unsafe) private static let fetchedGCM = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
    nonisolated(unsafe) private static let fetchedECB = EVP_CIPHER_fetch(nil, "AES-256-ECB", nil)
    nonisolated(unsafe) private static let fetchedMD5 = EVP_MD_fetch(nil, "MD5", nil)
    nonisolated(unsafe) private static let fetchedSHA1 = EVP_MD_fetch(nil, "SHA1", nil)
    nonisolated(unsafe) private static let fetchedSHA256 = EVP_MD_fetch(nil, "SHA256", nil)
    nonisolated(unsafe) private static let fetchedSHA512 = EVP_MD_fetch(nil, "SHA512", nil)
    nonisolated(unsafe) private static let fetchedHMAC = EVP_MAC_fetch(nil, "HMAC", nil)

    static func aes256GCM() throws -> OpaquePointer { try present(fetchedGCM, "AES-256-GCM") }
    static func aes256ECB() throws -> OpaquePointer { try present(fetchedECB, "AES-256-ECB") }
    static func md5() throws -> OpaquePointer { try present(fetchedMD5, "MD5") }
    static func sha1() throws -> OpaquePointer { try present(fetchedSHA1, "SHA-1") }
    static func sha256() throws -> OpaquePointer { try present(fetchedSHA256, "SHA-256") }
    static func sha512() throws -> OpaquePointer { try present(fetchedSHA512, "SHA-512") }
    static func hmac() throws -> OpaquePointer { try present(fetchedHMAC, "HMAC") }
}

/// Turns the absence of what the library should have given into an error.
func present(_ pointer: OpaquePointer?, _ name: StaticString) throws -> OpaquePointer {
    guard let pointer else { throw failure(name) }
    return pointer
}

/// Turns the library's "1 is success" into an error.
func check(_ result: Int32, _ call: StaticString) throws {
    if result != 1 { throw failure(call) }
}

private func failure(_ call: StaticString) -> SealingError {
    // The library's queue of errors belongs to the thread: left there, it would be found by a stranger's task.
    ERR_clear_error()
    return .cryptographyFailed("\(call)")
}

/// What can go wrong between a password, a key and sealed bytes.
package enum SealingError: Error, Equatable {
    /// The kernel refused to lock a page for secrets; nothing secret was stored. Usually RLIMIT_MEMLOCK is too small.
    case memoryNotLockable(errno: Int32)
    /// The host has no memory or no thread left for a password's derivation; the same may go well later.
    case hostExhausted
    /// The commitment differs: the message was sealed under another key or context, or its header was changed.
    case wrongKey
    /// The key is right, but a tag does not verify or the length is impossible.
    case damaged
    /// A sealer was used after its last chunk, or after an error.
    case finished
    /// An argument has an impossible size or value; the text names it and holds nothing secret.
    case invalidParameters(String)
    /// The password is not well-formed UTF-8.
    case passwordNotUTF8
    /// The password exceeds 1,024 bytes after normalisation.
    case passwordTooLong
    /// The cryptographic library failed where it never should; the text names the call.
    case cryptographyFailed(String)
}
