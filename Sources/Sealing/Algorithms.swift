import COpenSSL

/// The library's algorithms, fetched once: a fetch by name costs more than sealing a row.
///
/// `nonisolated(unsafe)`: fetched methods are immutable, counted atomically, and may be used from every thread.
enum Algorithms {
    nonisolated(unsafe) private static let fetchedGCM = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
    nonisolated(unsafe) private static let fetchedECB = EVP_CIPHER_fetch(nil, "AES-256-ECB", nil)
    nonisolated(unsafe) private static let fetchedSHA1 = EVP_MD_fetch(nil, "SHA1", nil)
    nonisolated(unsafe) private static let fetchedSHA256 = EVP_MD_fetch(nil, "SHA256", nil)
    nonisolated(unsafe) private static let fetchedSHA512 = EVP_MD_fetch(nil, "SHA512", nil)
    nonisolated(unsafe) private static let fetchedHMAC = EVP_MAC_fetch(nil, "HMAC", nil)

    static func aes256GCM() throws -> OpaquePointer { try present(fetchedGCM, "AES-256-GCM") }
    static func aes256ECB() throws -> OpaquePointer { try present(fetchedECB, "AES-256-ECB") }
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
