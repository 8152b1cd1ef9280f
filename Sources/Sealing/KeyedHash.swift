import Bytes
import COpenSSL

/// HMAC under one key, begun again for each message without hashing the key again (about a quarter of the cost).
///
/// The library keeps the key's state in ordinary memory and wipes it when the context is freed.
///
/// `@unchecked Sendable`: a library context may move between threads as long as one at a time uses it, which
/// `~Copyable` and `mutating` ensure.
struct KeyedHash: ~Copyable, @unchecked Sendable {
    enum Digest: String {
        case sha256 = "SHA256"
        case sha512 = "SHA512"

        var byteCount: Int { self == .sha256 ? 32 : 64 }
    }

    let byteCount: Int
    private let context: OpaquePointer

    init(_ digest: Digest, key: UnsafeRawBufferPointer) throws {
        let context = try present(EVP_MAC_CTX_new(Algorithms.hmac()), "EVP_MAC_CTX_new")
        do {
            try Self.setKey(key, digest, of: context)
        } catch {
            EVP_MAC_CTX_free(context)
            throw error
        }
        self.context = context
        byteCount = digest.byteCount
    }

    init(_ digest: Digest, key: borrowing SecretBytes) throws {
        self = try key.withUnsafeBytes { try KeyedHash(digest, key: $0) }
    }

    deinit {
        EVP_MAC_CTX_free(context)
    }

    mutating func begin() throws {
        try check(EVP_MAC_init(context, nil, 0, nil), "EVP_MAC_init")
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) throws {
        guard let start = bytes.baseAddress else { return }
        try check(EVP_MAC_update(context, start.assumingMemoryBound(to: UInt8.self), bytes.count), "EVP_MAC_update")
    }

    mutating func update(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try update($0) }
    }

    /// `output` takes exactly `byteCount` bytes.
    mutating func end(into output: UnsafeMutableRawBufferPointer) throws {
        guard let start = output.baseAddress, output.count == byteCount else {
            throw SealingError.invalidParameters("authentication code size")
        }
        var written = 0
        let result = EVP_MAC_final(context, start.assumingMemoryBound(to: UInt8.self), &written, output.count)
        try check(result, "EVP_MAC_final")
        guard written == byteCount else { throw SealingError.cryptographyFailed("EVP_MAC_final size") }
    }

    private static func setKey(_ key: UnsafeRawBufferPointer, _ digest: Digest, of context: OpaquePointer) throws {
        var name = Array(digest.rawValue.utf8CString)
        let result = name.withUnsafeMutableBufferPointer { name in
            OSSL_MAC_PARAM_DIGEST.withCString { label in
                let parameters = [
                    OSSL_PARAM_construct_utf8_string(label, name.baseAddress, 0), OSSL_PARAM_construct_end(),
                ]
                // A null key means "keep the one you have": an empty key needs an address.
                return withUnsafeBytes(of: 0) { empty in
                    let start = key.baseAddress ?? empty.baseAddress
                    return EVP_MAC_init(
                        context, start?.assumingMemoryBound(to: UInt8.self), key.count, parameters)
                }
            }
        }
        try check(result, "EVP_MAC_init")
    }
}

/// A sum modulo 2²⁵⁶ over the authentication codes of a set: one that is added, lost or changed changes the sum,
/// whatever the order.
package struct SetAccumulator: Equatable, Sendable {
    private var high: UInt128 = 0
    private var low: UInt128 = 0

    /// The sum of the empty set.
    package init() {}

    /// The integer in `bytes`, big-endian, modulo 2²⁵⁶: 32 bytes as `bytes` gives them.
    package init(bytes: [UInt8]) {
        for byte in bytes.suffix(32) {
            high = high << 8 | low >> 120
            low = low << 8 | UInt128(byte)
        }
    }

    /// 32 bytes, big-endian.
    package var bytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }

    /// The integer in 32 bytes, big-endian.
    package init(bytes: UnsafeRawBufferPointer) {
        high = bytes.bigEndian(UInt128.self, at: 0)
        low = bytes.bigEndian(UInt128.self, at: 16)
    }

    /// Adds an element, or another sum.
    package mutating func add(_ other: SetAccumulator) {
        let (sum, carried) = low.addingReportingOverflow(other.low)
        low = sum
        high = high &+ other.high &+ (carried ? 1 : 0)
    }

    package mutating func subtract(_ other: SetAccumulator) {
        let (difference, borrowed) = low.subtractingReportingOverflow(other.low)
        low = difference
        high = high &- other.high &- (borrowed ? 1 : 0)
    }
}
