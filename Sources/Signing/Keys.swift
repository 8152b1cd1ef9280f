import COpenSSL

/// The Ed25519 public key of whoever signs (RFC 8032).
package struct Ed25519PublicKey: Sendable {
    package static let byteCount = 32
    package static let signatureByteCount = 64

    private let object: KeyObject

    /// Nil unless there are 32 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount,
            let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count)
        else {
            ERR_clear_error()
            return nil
        }
        object = KeyObject(key)
    }

    package func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        let context = EVP_MD_CTX_new()
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        return context != nil && EVP_DigestVerifyInit(context, nil, nil, nil, object.pointer) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}

/// A private key on the curve P-256, with its public half. The library keeps it in ordinary memory, which it overwrites
/// with the last reference.
package struct P256PrivateKey: Sendable {
    let object: KeyObject

    /// A new one.
    package init() throws(SigningError) {
        let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard context != nil, EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            EVP_PKEY_generate(context, &key) == 1, let key
        else { throw .failed("EVP_PKEY_generate") }
        object = KeyObject(key)
    }

    /// - Parameter der: PKCS #8 (RFC 5958) or SEC 1 (RFC 5915)
    /// - Throws: `malformed` for anything else, and for a key whose halves do not belong together.
    package init(der: [UInt8]) throws(SigningError) {
        // The library tries one form after the other, and may leave the errors of the first.
        defer { ERR_clear_error() }
        let read = der.withUnsafeBufferPointer { bytes in
            var next = bytes.baseAddress
            let key = d2i_AutoPrivateKey(nil, &next, bytes.count)
            return (key, isWhole: next == bytes.baseAddress.map { $0 + bytes.count })
        }
        guard let key = read.0.map(KeyObject.init) else { throw .unreadable("a P-256 key") }
        guard read.isWhole, key.kind == .p256, key.isPair else { throw .unreadable("a P-256 key") }
        object = key
    }

    /// PKCS #8. The caller wipes it.
    package func der() throws(SigningError) -> [UInt8] {
        let document = EVP_PKEY2PKCS8(object.pointer)
        defer { PKCS8_PRIV_KEY_INFO_free(document) }
        guard document != nil else { throw .failed("EVP_PKEY2PKCS8") }
        return try encoded { i2d_PKCS8_PRIV_KEY_INFO(document, $0) }
    }
}

/// What browsers and clients take: certificates for other keys are refused.
package enum KeyKind: Sendable {
    case p256, p384, p521, rsa, ed25519
}

/// A key of the library, freed with its last reference.
///
/// `@unchecked Sendable`: nobody changes one after it was made, and the library reads it on every thread.
final class KeyObject: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes `pointer` over.
    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    var kind: KeyKind? { Self.kind(of: pointer) }

    /// Whether the public half is that of the private one.
    var isPair: Bool {
        let context = EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil)
        defer {
            EVP_PKEY_CTX_free(context)
            ERR_clear_error()
        }
        return context != nil && EVP_PKEY_pairwise_check(context) == 1
    }

    static func kind(of key: OpaquePointer) -> KeyKind? {
        switch EVP_PKEY_get_base_id(key) {
        case EVP_PKEY_RSA: return .rsa
        case EVP_PKEY_ED25519: return .ed25519
        case EVP_PKEY_EC: return curve(of: key)
        default: return nil
        }
    }

    private static func curve(of key: OpaquePointer) -> KeyKind? {
        var name = [CChar](repeating: 0, count: 80)
        var count = 0
        guard EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1 else {
            ERR_clear_error()
            return nil
        }
        switch OBJ_sn2nid(name) {
        case NID_X9_62_prime256v1: return .p256
        case NID_secp384r1: return .p384
        case NID_secp521r1: return .p521
        default: return nil
        }
    }
}

/// Why something is no key or no certificate, or could not be made.
package enum SigningError: Error, Equatable {
    /// These bytes are damaged or something else; the text says what they should be.
    case malformed(String)
    /// The library failed where it never should; the text names the call.
    case libraryFailed(String)

    /// The library's queue of errors belongs to the thread: left there, it would be found by a stranger's task.
    static func unreadable(_ what: StaticString) -> SigningError {
        ERR_clear_error()
        return .malformed("\(what)")
    }

    static func failed(_ call: StaticString) -> SigningError {
        ERR_clear_error()
        return .libraryFailed("\(call)")
    }
}

extension SigningError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed(let what): "these bytes are not \(what)"
        case .libraryFailed(let call): "the cryptographic library failed (\(call))"
        }
    }
}

/// The bytes that one of the library's encoders writes.
/// - Parameter write: with nil it returns how many there are; it moves the pointer behind what it writes
func encoded(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) throws(SigningError) -> [UInt8] {
    let count = write(nil)
    guard count > 0 else { throw .failed("i2d") }
    var bytes = [UInt8](repeating: 0, count: Int(count))
    let written = bytes.withUnsafeMutableBufferPointer { bytes in
        var next = bytes.baseAddress
        return write(&next)
    }
    guard written == count else { throw .failed("i2d") }
    return bytes
}
