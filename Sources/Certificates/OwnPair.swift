import FoundationEssentials
import Listener
import NIOSSL
import Signing

/// A certificate chain and a key as they were read from the owner's files, found to belong together.
struct OwnPair: Sendable {
    let facts: CertificateFacts
    /// Names that the certificate speaks for, in lower case; `*.` stands for one label.
    let dnsNames: [String]
    let context: NIOSSLContext
    /// What works and yet is probably not meant so.
    let warnings: [String]

    static func read(certificatePath: String, keyPath: String, now: Date) throws(CertificateError) -> OwnPair {
        let chain = try readChain(certificatePath)
        let parsed = try parse(chain, path: certificatePath)
        var keyFile = try content(keyPath)
        defer { keyFile.wipe() }
        let key = try readKey(keyFile.bytes, path: keyPath)
        // Refuses a key that does not belong to the first certificate; everything else has been looked at by now.
        let configuration = TLSConfiguration.listener(
            certificates: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        guard let context = try? NIOSSLContext(configuration: configuration) else {
            throw .keyMismatch(certificatePath: certificatePath, keyPath: keyPath)
        }
        do {
            let facts = try CertificateFacts(kind: .own, certificate: parsed[0])
            var warnings = try OwnChainAdvice.warnings(about: parsed, path: certificatePath, now: now)
            if keyFile.mode & 0o007 != 0 {
                warnings.append(
                    "\(keyPath) can be read by everybody on this host: chmod o= \(keyPath), and think about a new key")
            }
            return OwnPair(
                facts: facts, dnsNames: try dnsNames(of: parsed[0]), context: context, warnings: warnings)
        } catch {
            throw .certificateUnusable(path: certificatePath, reason: "\(error)")
        }
    }

    func names(_ name: String) -> Bool {
        let name = name.lowercased()
        let wildcard = name.firstIndex(of: ".").map { "*" + name[$0...] }
        return dnsNames.contains { $0 == name || $0 == wildcard }
    }

    private static func dnsNames(of certificate: X509Certificate) throws -> [String] {
        try certificate.names().map { names in
            names.compactMap { if case .domain(let name) = $0 { name.lowercased() } else { nil } }
        } ?? []
    }

    private static func readChain(_ path: String) throws(CertificateError) -> [NIOSSLCertificate] {
        let bytes = try content(path).bytes
        guard contains("-----BEGIN CERTIFICATE-----", bytes) else { throw .noCertificate(path: path) }
        do {
            return try NIOSSLCertificate.fromPEMBytes(bytes)
        } catch {
            throw .certificateUnusable(path: path, reason: "it is cut off or changed")
        }
    }

    /// Never empty.
    private static func parse(
        _ chain: [NIOSSLCertificate], path: String
    ) throws(CertificateError) -> [X509Certificate] {
        let parsed: [X509Certificate]
        do {
            parsed = try chain.map { try X509Certificate(der: $0.toDERBytes()) }
        } catch {
            throw .certificateUnusable(path: path, reason: "it is damaged, or its key is of a kind not known here")
        }
        guard let first = parsed.first else { throw .noCertificate(path: path) }
        guard first.keyKind != .ed25519 else {
            throw .certificateUnusable(path: path, reason: "browsers take no Ed25519 keys; use ECDSA (P-256) or RSA")
        }
        return parsed
    }

    private static func readKey(_ bytes: [UInt8], path: String) throws(CertificateError) -> NIOSSLPrivateKey {
        guard contains("PRIVATE KEY-----", bytes) else { throw .noKey(path: path) }
        if contains("BEGIN ENCRYPTED PRIVATE KEY", bytes) || contains("Proc-Type: 4,ENCRYPTED", bytes) {
            throw .keyEncrypted(path: path)
        }
        do {
            return try NIOSSLPrivateKey(bytes: bytes, format: .pem)
        } catch {
            throw .keyUnusable(path: path, reason: "it is cut off, changed, or of a kind that is not known here")
        }
    }

    private static func content(_ path: String) throws(CertificateError) -> FileContent {
        do {
            return try FileContent(path: path)
        } catch {
            throw .fileUnreadable(path: path, reason: error.reason)
        }
    }

    /// Without making a text of the bytes, which may be a key.
    private static func contains(_ text: String, _ bytes: [UInt8]) -> Bool {
        bytes.firstRange(of: Array(text.utf8)) != nil
    }
}

/// What to say about an own certificate that can be served, though clients may refuse it.
enum OwnChainAdvice {
    /// How long before its end a certificate is spoken of.
    private static let noticeDays = 14.0

    /// - Parameter chain: the host's own certificate first
    static func warnings(about chain: [X509Certificate], path: String, now: Date) throws -> [String] {
        guard let own = chain.first else { return [] }
        var warnings: [String] = []
        let validity = Validity(of: own)
        let last = validity.notAfter.ISO8601Format()
        if validity.hasEnded(at: now) {
            warnings.append("the certificate in \(path) has expired (\(last)); browsers refuse it")
        } else if validity.hasEnded(at: now.addingTimeInterval(noticeDays * Validity.day)) {
            warnings.append("the certificate in \(path) expires soon (\(last))")
        }
        if !validity.hasBegun(at: now) {
            warnings.append(
                "the certificate in \(path) is not valid before \(validity.notBefore.ISO8601Format()); "
                    + "is this host's clock right?")
        }
        if try own.names()?.isEmpty ?? true {
            warnings.append("the certificate in \(path) names no host (subjectAltName); browsers refuse it")
        }
        if !isInOrder(chain) {
            warnings.append("the certificates in \(path) do not stand in order: each must be followed by its issuer")
        }
        return warnings
    }

    private static func isInOrder(_ chain: [X509Certificate]) -> Bool {
        zip(chain, chain.dropFirst()).allSatisfy { $0.issuer == $1.subject }
    }
}
