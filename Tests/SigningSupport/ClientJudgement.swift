import COpenSSL
package import Foundation
package import Signing

/// How a client judges a certificate that a server shows, by the rules of RFC 5280.
package struct ClientJudgement {
    /// Which it trusts, and no other.
    package let authority: X509Certificate
    package let time: Date
    /// The name or the address that it asked for; without either every name will do.
    package var name: String?
    package var address: String?

    package init(trusting authority: X509Certificate, at time: Date, name: String? = nil, address: String? = nil) {
        self.authority = authority
        self.time = time
        self.name = name
        self.address = address
    }

    package func accepts(_ certificate: X509Certificate) throws -> Bool {
        let (root, leaf) = (try parsed(authority), try parsed(certificate))
        let (trust, judgement) = (X509_STORE_new(), X509_STORE_CTX_new())
        defer {
            X509_STORE_CTX_free(judgement)
            X509_STORE_free(trust)
            X509_free(leaf)
            X509_free(root)
            ERR_clear_error()
        }
        try require(X509_STORE_add_cert(trust, root))
        try require(X509_STORE_CTX_init(judgement, trust, leaf, nil))
        try require(X509_STORE_CTX_set_purpose(judgement, X509_PURPOSE_SSL_SERVER))
        let rules = X509_STORE_CTX_get0_param(judgement)
        X509_VERIFY_PARAM_set_time(rules, Int(time.timeIntervalSince1970))
        if let name { try require(X509_VERIFY_PARAM_set1_host(rules, name, name.utf8.count)) }
        if let address { try require(X509_VERIFY_PARAM_set1_ip_asc(rules, address)) }
        return X509_verify_cert(judgement) == 1
    }
}

/// What a certificate says, as the library reads it without `X509Certificate`.
package struct CertificateFields {
    /// Big-endian.
    package let serialNumber: [UInt8]
    /// How many authorities may stand below this one; nil where it says nothing of that, or is none.
    package let pathLength: Int?
    /// In their order.
    package let extensions: [Extension]

    package struct Extension: Equatable {
        package let name: String
        package let isCritical: Bool

        package init(_ name: String, isCritical: Bool) {
            self.name = name
            self.isCritical = isCritical
        }
    }

    package init(_ certificate: X509Certificate) throws {
        let parsed = try parsed(certificate)
        defer { X509_free(parsed) }
        let number = X509_get0_serialNumber(parsed)
        serialNumber = [UInt8](
            UnsafeBufferPointer(start: ASN1_STRING_get0_data(number), count: Int(ASN1_STRING_length(number))))
        let length = X509_get_pathlen(parsed)
        pathLength = length < 0 ? nil : length
        extensions = (0..<X509_get_ext_count(parsed)).map { index in
            let `extension` = X509_get_ext(parsed, index)
            let kind = OBJ_obj2nid(X509_EXTENSION_get_object(`extension`))
            return Extension(
                String(cString: OBJ_nid2sn(kind)), isCritical: X509_EXTENSION_get_critical(`extension`) == 1)
        }
    }
}

/// Somebody with an Ed25519 key.
package struct Ed25519Signer {
    /// 32 bytes.
    package let publicKey: [UInt8]
    private let seed: [UInt8]

    package init() throws {
        var seed = [UInt8](repeating: 0, count: 32)
        try require(RAND_bytes(&seed, Int32(seed.count)))
        try self.init(seed: seed)
    }

    /// The one whose key comes from these 32 bytes.
    package init(seed: [UInt8]) throws {
        let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count)
        defer { EVP_PKEY_free(key) }
        var (publicKey, count) = ([UInt8](repeating: 0, count: 32), 32)
        try require(EVP_PKEY_get_raw_public_key(key, &publicKey, &count))
        self.publicKey = publicKey
        self.seed = seed
    }

    /// 64 bytes.
    package func signature(for message: [UInt8]) throws -> [UInt8] {
        let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count)
        let context = EVP_MD_CTX_new()
        defer {
            EVP_MD_CTX_free(context)
            EVP_PKEY_free(key)
        }
        try require(EVP_DigestSignInit(context, nil, nil, nil, key))
        var (signature, count) = ([UInt8](repeating: 0, count: 64), 64)
        try require(EVP_DigestSign(context, &signature, &count, message, message.count))
        return signature
    }
}

private struct LibraryFailure: Error {}

private func require(_ result: Int32) throws {
    guard result == 1 else {
        ERR_clear_error()
        throw LibraryFailure()
    }
}

/// The caller frees it.
private func parsed(_ certificate: X509Certificate) throws -> OpaquePointer {
    let parsed = certificate.der.withUnsafeBufferPointer { bytes in
        var next = bytes.baseAddress
        return d2i_X509(nil, &next, bytes.count)
    }
    guard let parsed else { throw LibraryFailure() }
    return parsed
}
