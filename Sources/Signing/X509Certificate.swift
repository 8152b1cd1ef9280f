import COpenSSL
package import FoundationEssentials
import Glibc

/// A certificate (RFC 5280).
package struct X509Certificate: Sendable, Equatable {
    package static let label = "CERTIFICATE"

    package let der: [UInt8]
    package let notBefore: Date
    /// The last moment at which it is valid.
    package let notAfter: Date
    package let keyKind: KeyKind
    let object: CertificateObject

    /// - Throws: `malformed` for anything else, and for a key of a kind that is not known here.
    package init(der: [UInt8]) throws(SigningError) {
        let read = der.withUnsafeBufferPointer { bytes in
            var next = bytes.baseAddress
            let certificate = d2i_X509(nil, &next, bytes.count)
            return (certificate, isWhole: next == bytes.baseAddress.map { $0 + bytes.count })
        }
        guard let object = read.0.map(CertificateObject.init), read.isWhole else { throw .unreadable("a certificate") }
        guard let kind = X509_get0_pubkey(object.pointer).flatMap(KeyObject.kind) else {
            throw .unreadable("a certificate of a known kind of key")
        }
        notBefore = try Self.date(X509_get0_notBefore(object.pointer))
        notAfter = try Self.date(X509_get0_notAfter(object.pointer))
        keyKind = kind
        self.object = object
        self.der = der
    }

    package static func == (one: X509Certificate, other: X509Certificate) -> Bool { one.der == other.der }

    package func text() throws(SigningError) -> [UInt8] { try PEMDocument(label: Self.label, der: der).text() }

    private static func date(_ time: UnsafePointer<ASN1_TIME>?) throws(SigningError) -> Date {
        var parts = tm()
        // Without a time the library gives the present one.
        guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { throw .unreadable("a time") }
        return Date(timeIntervalSince1970: TimeInterval(timegm(&parts)))
    }
}

/// Whose it is, and who signed it.
extension X509Certificate {
    /// The subject's; empty where there is none.
    package var commonName: String {
        let name = X509_get_subject_name(object.pointer)
        let index = X509_NAME_get_index_by_NID(name, NID_commonName, -1)
        guard index >= 0, let entry = X509_NAME_get_entry(name, index) else { return "" }
        var text: UnsafeMutablePointer<UInt8>?
        let count = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry))
        defer { CRYPTO_free(text, nil, 0) }
        guard count >= 0, let text else {
            ERR_clear_error()
            return ""
        }
        return String(decoding: UnsafeBufferPointer(start: text, count: Int(count)), as: UTF8.self)
    }

    /// The subject as it is encoded: equal bytes are the same name.
    package var subject: [UInt8] { Self.bytes(of: X509_get_subject_name(object.pointer)) }
    package var issuer: [UInt8] { Self.bytes(of: X509_get_issuer_name(object.pointer)) }

    package func isOf(_ key: P256PrivateKey) -> Bool {
        defer { ERR_clear_error() }
        return X509_check_private_key(object.pointer, key.object.pointer) == 1
    }

    package func isSigned(by authority: X509Certificate) -> Bool {
        defer { ERR_clear_error() }
        return issuer == authority.subject
            && X509_verify(object.pointer, X509_get0_pubkey(authority.object.pointer)) == 1
    }

    private static func bytes(of name: OpaquePointer?) -> [UInt8] {
        var start: UnsafePointer<UInt8>?
        var count = 0
        guard X509_NAME_get0_der(name, &start, &count) == 1 else {
            ERR_clear_error()
            return []
        }
        return [UInt8](UnsafeBufferPointer(start: start, count: count))
    }
}

/// A name in a certificate (RFC 5280, 4.2.1.6).
package enum CertificateName: Sendable, Hashable {
    case domain(String)
    /// 4 or 16 bytes; in a constraint twice as many, address and mask.
    case address([UInt8])
    /// Addresses of mail and the like, which say nothing of a host.
    case other
}

/// What it may be used for.
extension X509Certificate {
    /// Whether it may sign others.
    package var isAuthority: Bool {
        let flags = X509_get_extension_flags(object.pointer)
        ERR_clear_error()
        return flags & UInt32(EXFLAG_CA) != 0 && flags & UInt32(EXFLAG_INVALID) == 0
    }

    /// For whom it speaks; nil where it does not say (no subjectAltName).
    package func names() throws(SigningError) -> [CertificateName]? {
        guard let names = try value(of: NID_subject_alt_name) else { return nil }
        let stack = OpaquePointer(names)
        defer { GENERAL_NAMES_free(stack) }
        return Self.elements(of: stack, as: GENERAL_NAME.self).map { CertificateName($0.pointee) }
    }

    /// For whom the certificates that it signs may speak; nil where it is not bound to names.
    package func permittedNames() throws(SigningError) -> [CertificateName]? {
        guard let value = try value(of: NID_name_constraints) else { return nil }
        let constraints = value.assumingMemoryBound(to: NAME_CONSTRAINTS.self)
        defer { NAME_CONSTRAINTS_free(constraints) }
        return Self.elements(of: constraints.pointee.permittedSubtrees, as: GENERAL_SUBTREE.self).compactMap {
            $0.pointee.base.map { CertificateName($0.pointee) }
        }
    }

    /// What an extension holds, which the caller frees; nil where there is none.
    /// - Throws: `malformed` also where it is there twice.
    private func value(of extension: Int32) throws(SigningError) -> UnsafeMutableRawPointer? {
        var state: Int32 = 0
        if let value = X509_get_ext_d2i(object.pointer, `extension`, &state, nil) { return value }
        guard state == -1 else { throw .unreadable("an extension of a certificate") }
        return nil
    }

    private static func elements<Element>(
        of stack: OpaquePointer?, as type: Element.Type
    ) -> [UnsafeMutablePointer<Element>] {
        (0..<max(0, OPENSSL_sk_num(stack))).compactMap {
            OPENSSL_sk_value(stack, $0)?.assumingMemoryBound(to: type)
        }
    }
}

extension CertificateName {
    fileprivate init(_ name: GENERAL_NAME) {
        switch name.type {
        case GEN_DNS: self = .domain(String(decoding: Self.bytes(of: name.d.dNSName), as: UTF8.self))
        case GEN_IPADD: self = .address(Self.bytes(of: name.d.iPAddress))
        default: self = .other
        }
    }

    private static func bytes(of string: UnsafeMutablePointer<ASN1_STRING>?) -> [UInt8] {
        let count = string == nil ? 0 : Int(ASN1_STRING_length(string))
        return [UInt8](UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: count))
    }
}

/// A certificate of the library, freed with its last reference.
///
/// `@unchecked Sendable`: nobody changes one after it was made. What the library computes late, it computes under a lock.
final class CertificateObject: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes `pointer` over.
    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        X509_free(pointer)
    }
}
