import Crypto
import FoundationEssentials
import Listener
import NIOSSL
import X509

/// What the host shows to those who connect: a certificate for all its names and addresses, signed by its authority.
struct HostCertificate: Sendable {
    let certificate: Certificate
    let names: SubjectNames
    let validity: Validity
    private let key: P256.Signing.PrivateKey

    /// Names and addresses that the authority may not speak for are left out: clients would refuse all of it.
    static func make(for names: SubjectNames, by authority: Authority, now: Date) throws -> HostCertificate {
        let key = P256.Signing.PrivateKey()
        let names = names.permitted(by: authority.permission)
        let validity = Validity(
            now: now, lifetime: Validity.hostLifetime, noLongerThan: authority.validity.notAfter)
        let certificate = try authority.sign(.init(key.publicKey), names: names, validity: validity)
        return HostCertificate(certificate: certificate, names: names, validity: validity, key: key)
    }

    /// The authority goes with it where there is one: a person can look at it, and compare its fingerprint, in the
    /// browser's own warning.
    func context(with authority: Authority?) throws -> NIOSSLContext {
        let chain = [certificate] + (authority.map { [$0.certificate] } ?? [])
        var keyBytes = Array(key.derRepresentation)
        defer { wipeBytes(&keyBytes) }
        return try NIOSSLContext(
            configuration: .listener(
                certificates: try chain.map { .certificate(try NIOSSLCertificate(bytes: $0.der(), format: .der)) },
                privateKey: .privateKey(try NIOSSLPrivateKey(bytes: keyBytes, format: .der))))
    }
}

extension HostCertificate {
    init(_ file: PairFile) throws(PairFile.Damage) {
        do {
            let names = try SubjectNames(of: file.certificate)
            self.init(
                certificate: file.certificate, names: names, validity: Validity(of: file.certificate), key: file.key)
        } catch {
            throw PairFile.Damage(reason: "its names cannot be read")
        }
    }

    var pairFile: PairFile { PairFile(certificate: certificate, key: key) }
}
