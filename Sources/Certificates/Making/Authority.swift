import Crypto
import FoundationEssentials
import SwiftASN1
import X509

/// The host's own certificate authority: it signs the host certificate and nothing else.
struct Authority: Sendable {
    let certificate: Certificate
    let permission: NamePermission
    let validity: Validity
    private let key: P256.Signing.PrivateKey

    /// Its subject is its own on every installation: a browser that once met another authority of the same name
    /// refuses the new one without a way out.
    static func make(for names: SubjectNames, now: Date) throws -> Authority {
        let key = P256.Signing.PrivateKey()
        let publicKey = Certificate.PublicKey(key.publicKey)
        let permission = NamePermission(for: names)
        let validity = Validity(now: now, lifetime: Validity.authorityLifetime)
        let name = try subject(hostName: names.title?.text ?? DNSName.localhost.text)
        let certificate = try Certificate(
            version: .v3, serialNumber: .drawn(), publicKey: publicKey, notValidBefore: validity.notBefore,
            notValidAfter: validity.notAfter, issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                // Clients that honour this on an authority take it for web servers alone, never for mail or programs.
                try ExtendedKeyUsage([.serverAuth])
                Critical(permission.constraints)
                SubjectKeyIdentifier(hash: publicKey)
            },
            issuerPrivateKey: .init(key))
        return Authority(certificate: certificate, permission: permission, validity: validity, key: key)
    }

    private static func subject(hostName: String) throws -> DistinguishedName {
        let number = String(UInt32.random(in: .min ... .max), radix: 16, uppercase: true)
        let padded = String(repeating: "0", count: 8 - number.count) + number
        // A common name has at most 64 characters (RFC 5280, appendix A).
        return try DistinguishedName {
            OrganizationName("Safelight")
            CommonName("Safelight on \(hostName.prefix(40)) (\(padded))")
        }
    }

    /// Signs a certificate for the public half of a host's key.
    func sign(_ publicKey: Certificate.PublicKey, names: SubjectNames, validity: Validity) throws -> Certificate {
        try Certificate(
            version: .v3, serialNumber: .drawn(), publicKey: publicKey, notValidBefore: validity.notBefore,
            notValidAfter: validity.notAfter, issuer: certificate.subject,
            subject: try DistinguishedName {
                OrganizationName("Safelight")
                CommonName(String((names.hostName ?? .localhost).text.prefix(64)))
            },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(names.generalNames)
                SubjectKeyIdentifier(hash: publicKey)
                AuthorityKeyIdentifier(
                    keyIdentifier: try certificate.extensions.subjectKeyIdentifier?.keyIdentifier)
            },
            issuerPrivateKey: .init(key))
    }

    func hasSigned(_ certificate: Certificate) -> Bool {
        certificate.issuer == self.certificate.subject
            && self.certificate.publicKey.isValidSignature(certificate.signature, for: certificate)
    }
}

extension Authority {
    /// Reads what `pairFile` wrote; throws `PairFile.Damage`.
    init(_ file: PairFile) throws(PairFile.Damage) {
        do {
            guard let permission = try NamePermission(of: file.certificate),
                case .isCertificateAuthority? = try file.certificate.extensions.basicConstraints
            else { throw PairFile.Damage(reason: "it holds no authority of this host") }
            self.init(
                certificate: file.certificate, permission: permission, validity: Validity(of: file.certificate),
                key: file.key)
        } catch let damage as PairFile.Damage {
            throw damage
        } catch {
            throw PairFile.Damage(reason: "it holds no authority of this host")
        }
    }

    var pairFile: PairFile { PairFile(certificate: certificate, key: key) }
}
