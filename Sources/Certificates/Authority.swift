import FoundationEssentials
import Listener
import NIOSSL
import Sealing
import Signing

/// The host's own certificate authority: it signs the host certificate and nothing else.
struct Authority: Sendable {
    let certificate: X509Certificate
    let permission: NamePermission
    let validity: Validity
    private let key: P256PrivateKey

    /// Its subject is its own on every installation: a browser that once met another authority of the same name
    /// refuses the new one without a way out.
    static func make(for names: SubjectNames, now: Date) throws -> Authority {
        let key = try P256PrivateKey()
        let permission = NamePermission(for: names)
        let validity = Validity(now: now, lifetime: Validity.authorityLifetime)
        let certificate = try X509Certificate(
            CertificateContent(
                commonName: commonName(hostName: names.title?.text ?? DNSName.localhost.text), validity,
                .authority(permitted: permission.names)),
            of: key)
        return Authority(certificate: certificate, permission: permission, validity: validity, key: key)
    }

    private static func commonName(hostName: String) -> String {
        let number = String(UInt32.random(in: .min ... .max), radix: 16, uppercase: true)
        let padded = String(repeating: "0", count: 8 - number.count) + number
        // A common name has at most 64 characters (RFC 5280, appendix A).
        return "Safelight on \(hostName.prefix(40)) (\(padded))"
    }

    /// Signs a certificate for the public half of a host's key.
    func sign(_ hostKey: P256PrivateKey, names: SubjectNames, validity: Validity) throws -> X509Certificate {
        try X509Certificate(
            CertificateContent(
                commonName: String((names.hostName ?? .localhost).text.prefix(64)), validity,
                .host(names.certificateNames)),
            of: hostKey, signedBy: (certificate, key))
    }

    func hasSigned(_ certificate: X509Certificate) -> Bool { certificate.isSigned(by: self.certificate) }
}

extension Authority {
    /// Reads what `pairFile` wrote; throws `PairFile.Damage`.
    init(_ file: PairFile) throws(PairFile.Damage) {
        do {
            guard let permission = try NamePermission(of: file.certificate), file.certificate.isAuthority else {
                throw PairFile.Damage(reason: "it holds no authority of this host")
            }
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

extension CertificateContent {
    fileprivate init(commonName: String, _ validity: Validity, _ purpose: Purpose) {
        self.init(
            serialNumber: Self.drawnNumber(), organization: "Safelight", commonName: commonName,
            notBefore: validity.notBefore, notAfter: validity.notAfter, purpose: purpose)
    }

    /// 126 random bits, in 16 bytes: RFC 5280 (4.1.2.2) allows 20.
    private static func drawnNumber() -> [UInt8] {
        [UInt8.random(in: 0x40...0x7F)] + (1..<16).map { _ in .random(in: .min ... .max) }
    }
}

/// What the host shows to those who connect: a certificate for all its names and addresses, signed by its authority.
struct HostCertificate: Sendable {
    let certificate: X509Certificate
    let names: SubjectNames
    let validity: Validity
    private let key: P256PrivateKey

    /// Names and addresses that the authority may not speak for are left out: clients would refuse all of it.
    static func make(for names: SubjectNames, by authority: Authority, now: Date) throws -> HostCertificate {
        let key = try P256PrivateKey()
        let names = names.permitted(by: authority.permission)
        let validity = Validity(
            now: now, lifetime: Validity.hostLifetime, noLongerThan: authority.validity.notAfter)
        let certificate = try authority.sign(key, names: names, validity: validity)
        return HostCertificate(certificate: certificate, names: names, validity: validity, key: key)
    }

    /// The authority goes with it where there is one: a person can look at it, and compare its fingerprint, in the
    /// browser's own warning.
    func context(with authority: Authority?) throws -> NIOSSLContext {
        let chain = [certificate] + (authority.map { [$0.certificate] } ?? [])
        var keyBytes = try key.der()
        defer { wipe(&keyBytes) }
        return try NIOSSLContext(
            configuration: .listener(
                certificates: try chain.map { .certificate(try NIOSSLCertificate(bytes: $0.der, format: .der)) },
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

/// From when until when a certificate counts.
struct Validity: Sendable, Equatable {
    static let day: TimeInterval = 86_400
    /// The most that every client accepts of a host certificate (Apple since 2020), in all.
    static let hostLifetime = 397 * day
    static let authorityLifetime = 3_653 * day

    let notBefore: Date
    let notAfter: Date

    /// Begins one day back, for devices whose clock is slow. Both ends count (RFC 5280, 4.1.2.5), hence the second.
    init(now: Date, lifetime: TimeInterval, noLongerThan limit: Date = .distantFuture) {
        let second = now.timeIntervalSince1970.rounded(.down)
        notBefore = Date(timeIntervalSince1970: second - Self.day)
        notAfter = min(notBefore.addingTimeInterval(lifetime - 1), limit)
    }

    init(of certificate: X509Certificate) {
        notBefore = certificate.notBefore
        notAfter = certificate.notAfter
    }

    func hasBegun(at now: Date) -> Bool { now >= notBefore }
    func hasEnded(at now: Date) -> Bool { now > notAfter }

    /// A third of the life is left, or less.
    func isAged(at now: Date) -> Bool {
        notAfter.timeIntervalSince(now) <= notAfter.timeIntervalSince(notBefore) / 3
    }
}

/// Tells a clock that is plainly wrong, such as that of a small computer before it has reached a time server.
enum ClockCheck {
    /// 2026-11-01: this version was not there earlier.
    private static let earliest = Date(timeIntervalSince1970: 1_793_491_200)
    /// 2100-01-01: no certificate form of today is expected to be read by then.
    private static let latest = Date(timeIntervalSince1970: 4_102_444_800)

    /// Why no certificate should be dated by this clock; nil when nothing speaks against it.
    /// - Parameter authority: an authority that this host made at an earlier time, if it has one
    static func complaint(now: Date, isTrusted: Bool, authority: Validity?) -> String? {
        if now < earliest { return "it shows a time before this version was made" }
        if now >= latest { return "it shows a time in a later century" }
        if !isTrusted { return "it has jumped since the daemon last ran, and has not yet proved right" }
        if let authority, !authority.hasBegun(at: now) {
            return "it shows a time before this host's authority was made. If it was wrong then and is right now, "
                + "stop the daemon and put the authority that was kept aside back in its place; where there is none, "
                + "remove the folder and trust the new authority on every device"
        }
        return nil
    }
}

/// Why a host certificate has to be made again.
enum Renewal: Equatable {
    case absent
    case ended
    case notBegun
    case aged
    case missing([String])

    /// Nil when the present one will do.
    /// - Parameter wanted: all names and addresses of this host, also those that the authority may not speak for
    static func reason(
        present: HostCertificate?, wanted: SubjectNames, authority: Authority, now: Date
    ) -> Renewal? {
        guard let present else { return .absent }
        if present.validity.hasEnded(at: now) { return .ended }
        if !present.validity.hasBegun(at: now) { return .notBegun }
        let missing = wanted.permitted(by: authority.permission).missing(in: present.names)
        if !missing.isEmpty { return .missing(missing) }
        return isDue(present.validity, authority: authority.validity, now: now) ? .aged : nil
    }

    /// A certificate that ends with its authority cannot be made to last longer.
    static func isDue(_ present: Validity, authority: Validity, now: Date) -> Bool {
        present.isAged(at: now) && present.notAfter < authority.notAfter
    }
}

extension Renewal: CustomStringConvertible {
    var description: String {
        switch self {
        case .absent: "there is none"
        case .ended: "the former one has ended"
        case .notBegun: "the former one has not begun"
        case .aged: "a third of the former one's life is left"
        case .missing(let names): "the former one lacks \(names.joined(separator: ", "))"
        }
    }
}
