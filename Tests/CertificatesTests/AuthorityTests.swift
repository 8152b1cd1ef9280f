import Bytes
import Foundation
import Sealing
import Signing
import SigningSupport
import Testing

@testable import Certificates

@Suite("The authority and what it signs")
struct AuthorityTests {
    let names = SubjectNames(
        CertificateNames(
            dnsNames: ["photos", "photos.local"], configuredNames: ["photos.example.org"],
            addresses: ["192.168.1.20", "203.0.113.7", "2001:db8:1:2::20"]))
    let authority: Authority

    init() throws {
        authority = try Authority.make(for: names, now: SampleHost.start)
    }

    @Test("the host certificate is accepted by whoever trusts the authority")
    func accepted() throws {
        let host = try HostCertificate.make(for: names, by: authority, now: SampleHost.start)
        #expect(try isAccepted(host.certificate, by: authority.certificate))
        #expect(authority.hasSigned(host.certificate))
    }

    @Test("nobody who trusts another authority accepts it")
    func otherAuthority() throws {
        let other = try Authority.make(for: names, now: SampleHost.start)
        let host = try HostCertificate.make(for: names, by: authority, now: SampleHost.start)
        #expect(try !isAccepted(host.certificate, by: other.certificate))
        #expect(!other.hasSigned(host.certificate))
        #expect(other.certificate.subject != authority.certificate.subject)
    }

    @Test(
        "a stolen authority cannot speak for the Internet",
        arguments: [
            CertificateName.domain("example.com"), .domain("example.org"), .domain("local"), .domain("myphotos.local"),
            .domain("photos"), .domain("www.example.photos"),
            .address([8, 8, 8, 8]),
            .address([203, 0, 113, 8]),
            .address([0x20, 1, 0xD, 0xB8, 0, 1, 0, 3] + [0, 0, 0, 0, 0, 0, 0, 1]),
        ])
    func forged(name: CertificateName) throws {
        #expect(try !isAccepted(authority.forge([name]), by: authority.certificate))
    }

    @Test(
        "it can speak for what a host may be given in a private network, and for its own household's range",
        arguments: [
            "192.168.77.1", "10.9.8.7", "172.20.1.1", "169.254.3.3", "100.100.1.1", "fd99::1", "fe80::5",
            "203.0.113.7", "2001:db8:1:2:ffff::1",
        ])
    func permitted(address: String) throws {
        let bytes = try #require(IPAddress(address)).bytes
        #expect(try isAccepted(authority.forge([.address(bytes)]), by: authority.certificate))
    }

    @Test("names that it may not speak for are left out of the host certificate, which stays good")
    func leftOut() throws {
        let wanted = SubjectNames(CertificateNames(dnsNames: ["renamed.local"], addresses: ["8.8.8.8", "10.0.0.1"]))
        let host = try HostCertificate.make(for: wanted, by: authority, now: SampleHost.start)
        #expect(host.names.dnsNames.map(\.text) == ["localhost"])
        #expect(host.names.addresses.map(\.description) == ["127.0.0.1", "::1", "10.0.0.1"])
        #expect(try isAccepted(host.certificate, by: authority.certificate))
    }

    @Test("what binds it is critical: authority with no authority below, name constraints, key usage")
    func critical() throws {
        let fields = try CertificateFields(authority.certificate)
        #expect(authority.certificate.isAuthority && fields.pathLength == 0)
        for name in ["basicConstraints", "nameConstraints", "keyUsage"] {
            #expect(fields.extensions.first { $0.name == name }?.isCritical == true)
        }
        #expect(try NamePermission(of: authority.certificate) == authority.permission)
    }

    @Test("it lives ten years, its host certificates no longer than 397 days in all; both begin a day back")
    func validity() throws {
        let host = try HostCertificate.make(for: names, by: authority, now: SampleHost.start).certificate
        let day: TimeInterval = 86_400
        // Both ends count.
        #expect(host.notAfter.timeIntervalSince(host.notBefore) + 1 == 397 * day)
        #expect(host.notBefore == SampleHost.start - day)
        #expect(authority.certificate.notBefore == SampleHost.start - day)
        let years = authority.certificate.notAfter.timeIntervalSince(SampleHost.start) / (365.25 * day)
        #expect((9.9...10.1).contains(years))
    }

    @Test("a host certificate never outlives its authority")
    func lastYear() throws {
        let late = authority.validity.notAfter - 100 * 86_400
        let host = try HostCertificate.make(for: names, by: authority, now: late)
        #expect(host.validity.notAfter == authority.validity.notAfter)
        #expect(!Renewal.isDue(host.validity, authority: authority.validity, now: late + 99 * 86_400))
    }

    @Test("a host without a name gets an authority all the same, and a long name fits")
    func oddNames() throws {
        for name in ["", String(repeating: "a", count: 63) + ".local"] {
            let names = SubjectNames(CertificateNames(dnsNames: [name], addresses: []))
            let authority = try Authority.make(for: names, now: SampleHost.start)
            let host = try HostCertificate.make(for: names, by: authority, now: SampleHost.start)
            #expect(try isAccepted(host.certificate, by: authority.certificate))
            #expect(authority.certificate.commonName.count <= 64)
            #expect(host.certificate.commonName.count <= 64)
        }
    }

    @Test("serial numbers are random, positive and short enough for everybody")
    func serialNumbers() throws {
        let numbers = try (0..<20).map { _ in
            let host = try HostCertificate.make(for: names, by: authority, now: SampleHost.start)
            return try CertificateFields(host.certificate).serialNumber
        }
        #expect(Set(numbers).count == 20)
        #expect(numbers.allSatisfy { $0.count == 16 && $0.first.map { $0 < 0x80 } == true })
    }

    @Test("facts say what a person compares: name, fingerprint of the DER, the last day")
    func facts() throws {
        let facts = try CertificateFacts(kind: .authority, certificate: authority.certificate)
        #expect(facts.name.hasPrefix("Safelight on photos ("))
        #expect(facts.fingerprint.bytes == (try SHA256Hasher.hash(facts.der)))
        #expect(try X509Certificate(der: facts.der) == authority.certificate)
        let documents = try PEMDocument.all(in: Array(facts.pem.utf8))
        #expect(documents == [PEMDocument(label: "CERTIFICATE", der: authority.certificate.der)])
        #expect(facts.notAfter == authority.validity.notAfter)
    }
}
