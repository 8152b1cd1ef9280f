import COpenSSL
package import FoundationEssentials

/// What a new certificate says.
package struct CertificateContent: Sendable {
    package enum Purpose: Sendable {
        /// It signs certificates of hosts, which may speak for these names alone, and no authority below it.
        case authority(permitted: [CertificateName])
        /// It serves TLS under these names.
        case host([CertificateName])
    }

    /// Big-endian, positive, at most 20 bytes (RFC 5280, 4.1.2.2).
    package var serialNumber: [UInt8]
    package var organization: String
    /// At most 64 characters (RFC 5280, appendix A).
    package var commonName: String
    /// Whole seconds.
    package var notBefore: Date
    package var notAfter: Date
    package var purpose: Purpose

    package init(
        serialNumber: [UInt8], organization: String, commonName: String, notBefore: Date, notAfter: Date,
        purpose: Purpose
    ) {
        self.serialNumber = serialNumber
        self.organization = organization
        self.commonName = commonName
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.purpose = purpose
    }
}

extension X509Certificate {
    /// Makes a certificate.
    /// - Parameters:
    ///   - key: its public half is what the certificate speaks of
    ///   - authority: nil for a certificate that is signed by its own key
    package init(
        _ content: CertificateContent, of key: P256PrivateKey,
        signedBy authority: (certificate: X509Certificate, key: P256PrivateKey)? = nil
    ) throws(SigningError) {
        guard let draft = X509_new().map(CertificateObject.init) else { throw .failed("X509_new") }
        let draftPointer = draft.pointer
        guard X509_set_version(draftPointer, Int(X509_VERSION_3)) == 1,
            X509_set_pubkey(draftPointer, key.object.pointer) == 1
        else { throw .failed("X509_set_pubkey") }
        try draft.setNumber(content.serialNumber)
        try draft.setSubject(organization: content.organization, commonName: content.commonName)
        try draft.setValidity(from: content.notBefore, until: content.notAfter)
        let issuer = authority?.certificate.object ?? draft
        guard X509_set_issuer_name(draftPointer, X509_get_subject_name(issuer.pointer)) == 1 else {
            throw .failed("X509_set_issuer_name")
        }
        try draft.extend(for: content.purpose)
        try draft.extend(NID_subject_key_identifier, "hash", issuer: issuer)
        if authority != nil { try draft.extend(NID_authority_key_identifier, "keyid", issuer: issuer) }
        guard X509_sign(draftPointer, (authority?.key ?? key).object.pointer, EVP_sha256()) > 0 else {
            throw .failed("X509_sign")
        }
        try self.init(der: encoded { i2d_X509(draftPointer, $0) })
    }
}

/// Steps of a certificate that is being made, and that nobody else sees yet.
extension CertificateObject {
    fileprivate func setNumber(_ bytes: [UInt8]) throws(SigningError) {
        let number = BN_bin2bn(bytes, Int32(clamping: bytes.count), nil)
        defer { BN_free(number) }
        guard number != nil, BN_to_ASN1_INTEGER(number, X509_get_serialNumber(pointer)) != nil else {
            throw .failed("BN_to_ASN1_INTEGER")
        }
    }

    fileprivate func setSubject(organization: String, commonName: String) throws(SigningError) {
        for (kind, text) in [(NID_organizationName, organization), (NID_commonName, commonName)] {
            let bytes = Array(text.utf8)
            guard
                X509_NAME_add_entry_by_NID(
                    X509_get_subject_name(pointer), kind, V_ASN1_UTF8STRING, bytes, Int32(clamping: bytes.count), -1,
                    0) == 1
            else { throw .failed("X509_NAME_add_entry_by_NID") }
        }
    }

    fileprivate func setValidity(from begin: Date, until end: Date) throws(SigningError) {
        for (date, field) in [(begin, X509_getm_notBefore(pointer)), (end, X509_getm_notAfter(pointer))] {
            guard let seconds = Int(exactly: date.timeIntervalSince1970.rounded(.down)),
                ASN1_TIME_set(field, seconds) != nil
            else { throw .failed("ASN1_TIME_set") }
        }
    }

    fileprivate func extend(for purpose: CertificateContent.Purpose) throws(SigningError) {
        switch purpose {
        case .authority(let permitted):
            try extend(NID_basic_constraints, "critical,CA:TRUE,pathlen:0", issuer: self)
            try extend(NID_key_usage, "critical,keyCertSign,cRLSign", issuer: self)
            // Clients that honour this on an authority take it for web servers alone, never for mail or programs.
            try extend(NID_ext_key_usage, "serverAuth", issuer: self)
            try permit(permitted)
        case .host(let names):
            try extend(NID_basic_constraints, "critical,CA:FALSE", issuer: self)
            try extend(NID_key_usage, "critical,digitalSignature", issuer: self)
            try extend(NID_ext_key_usage, "serverAuth", issuer: self)
            try name(names)
        }
    }

    /// - Parameter value: as `x509v3_config(5ossl)` has it; never anything from outside
    fileprivate func extend(
        _ kind: Int32, _ value: StaticString, issuer: CertificateObject
    ) throws(SigningError) {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer.pointer, pointer, nil, nil, 0)
        let made = X509V3_EXT_conf_nid(nil, &context, kind, "\(value)")
        defer { X509_EXTENSION_free(made) }
        guard made != nil, X509_add_ext(pointer, made, -1) == 1 else { throw .failed("X509V3_EXT_conf_nid") }
    }

    private func name(_ names: [CertificateName]) throws(SigningError) {
        guard let list = GENERAL_NAMES_new() else { throw .failed("GENERAL_NAMES_new") }
        defer { GENERAL_NAMES_free(list) }
        for name in names {
            guard let entry = GENERAL_NAME_new() else { throw .failed("GENERAL_NAME_new") }
            guard OPENSSL_sk_push(list, entry) > 0 else {
                GENERAL_NAME_free(entry)
                throw .failed("OPENSSL_sk_push")
            }
            try name.write(to: entry)
        }
        guard X509_add1_ext_i2d(pointer, NID_subject_alt_name, UnsafeMutableRawPointer(list), 0, 0) == 1 else {
            throw .failed("X509_add1_ext_i2d")
        }
    }

    private func permit(_ names: [CertificateName]) throws(SigningError) {
        guard let constraints = NAME_CONSTRAINTS_new() else { throw .failed("NAME_CONSTRAINTS_new") }
        defer { NAME_CONSTRAINTS_free(constraints) }
        guard let list = OPENSSL_sk_new_null() else { throw .failed("OPENSSL_sk_new_null") }
        constraints.pointee.permittedSubtrees = list
        for name in names {
            guard let subtree = GENERAL_SUBTREE_new() else { throw .failed("GENERAL_SUBTREE_new") }
            guard OPENSSL_sk_push(list, subtree) > 0 else {
                GENERAL_SUBTREE_free(subtree)
                throw .failed("OPENSSL_sk_push")
            }
            try name.write(to: subtree.pointee.base)
        }
        guard X509_add1_ext_i2d(pointer, NID_name_constraints, constraints, 1, 0) == 1 else {
            throw .failed("X509_add1_ext_i2d")
        }
    }
}

extension CertificateName {
    fileprivate func write(to name: UnsafeMutablePointer<GENERAL_NAME>?) throws(SigningError) {
        let (kind, form, bytes): (Int32, Int32, [UInt8]) =
            switch self {
            case .domain(let text): (GEN_DNS, V_ASN1_IA5STRING, Array(text.utf8))
            case .address(let bytes): (GEN_IPADD, V_ASN1_OCTET_STRING, bytes)
            case .other: throw .unreadable("a name of a host")
            }
        guard let name, let string = ASN1_STRING_type_new(form) else { throw .failed("ASN1_STRING_type_new") }
        guard ASN1_STRING_set(string, bytes, Int32(clamping: bytes.count)) == 1 else {
            ASN1_STRING_free(string)
            throw .failed("ASN1_STRING_set")
        }
        GENERAL_NAME_set0_value(name, kind, string)
    }
}
