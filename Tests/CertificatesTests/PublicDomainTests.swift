import Foundation
import TestSupport
import Testing

@testable import Certificates

@Suite("Names that may be somebody else's")
struct PublicDomainTests {
    private func vouchedFor(own: [String] = [], configured: [String] = []) -> [String] {
        let names = CertificateNames(dnsNames: own, configuredNames: configured, addresses: [])
        return NamePermission(for: SubjectNames(names)).domains.map(\.text)
    }

    @Test(
        "of the host's own names those count that nobody on the Internet can have",
        arguments: [
            "photos", "com", "cloud", "xn--fiqs8s", "local", "lan", "internal", "home.arpa", "fritz.box", "nas.home",
            "photos.example.org", "co.uk", "localhost.localdomain", "Photos.", ".local", "arpa", "my_nas",
        ])
    func ownNames(name: String) {
        #expect(vouchedFor(own: [name]) == ["localhost"])
    }

    @Test(
        "names below the domains of homes are vouched for",
        arguments: ["nas.local", "nas.lan", "nas.home.arpa", "a.nas.internal", "NAS.Local.", "nas.localhost"])
    func homeNames(name: String) {
        #expect(vouchedFor(own: [name]).count == 2)
        #expect(vouchedFor(configured: [name]).count == 2)
    }

    @Test(
        "what the owner configures is vouched for where it can be his own",
        arguments: [
            "photos.example.org",
            "example.org", "Fotos.Example.DE.", "xn--gre-6ka8i.example", "nas.fritz.box", "a.duckdns.org",
            "me.example.co.uk",
        ])
    func configured(name: String) {
        #expect(vouchedFor(configured: [name]).count == 2)
    }

    @Test(
        "a configured domain under which others have theirs is not, and neither is what is no name",
        arguments: [
            "photos", "com", "com.", "co.uk", "CO.UK", "com.au", "co.jp", "gov.uk", "duckdns.org", "local", "home.arpa",
            "*.example.org", "größe.example", "*", "photos.example.org:8080", "https://photos.example.org",
        ])
    func configuredPublic(name: String) {
        #expect(vouchedFor(configured: [name]) == ["localhost"])
        #expect(SubjectNames(CertificateNames(dnsNames: [], configuredNames: [name], addresses: [])).leftOut == [name])
    }

    @Test("the log names once what is configured in vain, and nothing for a bare host name")
    func saidOnce() async throws {
        let host = try SampleHost()
        _ = await host.prepared()
        #expect(host.log.warnings.isEmpty)
        let other = try SampleHost(in: host.folder)
        other.change { $0.names.configuredNames.append("cloud") }
        let certificates = await other.prepared()
        await certificates.renewIfDue()
        #expect(other.log.warnings.filter { $0.contains("cloud") }.count == 1)
    }

    /// As an earlier version made it on a host that is called so.
    private func formerAuthority(_ name: String, in host: SampleHost) throws -> Authority {
        var names = SubjectNames.none
        for text in [name, "photos.local", "localhost"] { names.append(try #require(DNSName(text))) }
        let authority = try Authority.make(for: names, now: host.now.clock)
        try FileManager.default.createDirectory(at: host.folder.file("tls"), withIntermediateDirectories: false)
        try host.folder.setMode("tls", 0o700)
        try host.folder.write("tls/authority.pem", try authority.pairFile.text())
        return authority
    }

    @Test("an authority of an earlier version stays in use, and is said to speak for a domain of the Internet")
    func former() async throws {
        let host = try SampleHost()
        let authority = try formerAuthority("photos", in: host)
        let certificates = await host.prepared()
        #expect(certificates.facts?.der == authority.certificate.der)
        #expect(certificates.facts?.publicDomains == ["photos"])
        #expect(host.log.warnings.count { $0.contains("earlier version") } == 1)
        #expect(certificates.names("photos.local") && !certificates.names("photos"))
    }

    @Test(
        "one that speaks for a name with dots that nobody configured is said to do so, too",
        arguments: ["nas.example.net", "nas.fritz.box", "my.photos.example.org"])
    func formerWithDots(name: String) async throws {
        let host = try SampleHost()
        _ = try formerAuthority(name, in: host)
        let certificates = await host.prepared()
        #expect(certificates.facts?.publicDomains == [name])
        #expect(host.log.warnings.count { $0.contains("earlier version") } == 1)
        let folder = host.folder.path + "/tls"
        #expect(try CertificateFacts.authority(inFolder: folder, configuredNames: [])?.publicDomains == [name])
    }

    @Test(
        "one that speaks for names that the owner configured, or of homes, is fine",
        arguments: [
            "photos.example.org", "nas.lan", "photos.local",
        ])
    func formerOfOwnNames(name: String) async throws {
        let host = try SampleHost()
        _ = try formerAuthority(name, in: host)
        let certificates = await host.prepared()
        #expect(certificates.facts?.publicDomains == [])
        let folder = host.folder.path + "/tls"
        let facts = try CertificateFacts.authority(inFolder: folder, configuredNames: ["Photos.Example.org"])
        #expect(facts?.publicDomains == [])
    }

    @Test("a new one in its place is served at once, speaks for the host alone, and keeps no file of the former")
    func renewed() async throws {
        let host = try SampleHost()
        _ = try formerAuthority("photos", in: host)
        let certificates = await host.prepared()
        let former = certificates.facts
        try await certificates.renewAuthority()
        #expect(certificates.facts != former)
        #expect(certificates.facts?.publicDomains == [])
        #expect(try host.folder.names("tls") == ["authority.pem", "host.pem"])
        #expect(try host.authority().hasSigned(host.host().certificate))
        #expect(try host.host().names.dnsNames.map(\.text) == ["photos.local", "photos.example.org", "localhost"])
        let next = try SampleHost(in: host.folder)
        #expect(await next.prepared().facts == certificates.facts)
        #expect(next.log.warnings.isEmpty && next.log.errors.isEmpty)
    }

    @Test("a crash amid that leaves the former authority or the new one, and each gets a certificate")
    func crash() async throws {
        for lastStep in 0...14 {
            let host = try SampleHost()
            let former = try formerAuthority("photos", in: host)
            let certificates = await host.prepared()
            host.change { $0.lastStep = $0.steps.count + lastStep }
            try? await certificates.renewAuthority()
            let next = try SampleHost(in: host.folder)
            let restarted = await next.prepared()
            #expect(try await restarted.context() != nil, "killed after \(lastStep) operations")
            #expect(try next.authority().hasSigned(next.host().certificate))
            #expect(try next.folder.names("tls") == ["authority.pem", "host.pem"])
            #expect(next.log.errors.isEmpty)
            if lastStep == 0 { #expect(try next.authority().certificate == former.certificate) }
        }
    }

    @Test("while the clock is wrong none is made, and the present one stays")
    func wrongClock() async throws {
        let host = try SampleHost()
        let certificates = await host.prepared()
        let facts = certificates.facts
        host.change { $0.clock = Date(timeIntervalSince1970: 0) }
        await #expect(throws: Certificates.CertificateError.self) { try await certificates.renewAuthority() }
        #expect(certificates.facts == facts)
    }

    @Test(
        "OpenSSL takes nothing of the Internet from the authority of a host that is called like a domain",
        arguments: ["photos", "cloud", "com"])
    func openSSL(hostname: String) async throws {
        let host = try SampleHost(at: Date())
        host.change { $0.names = CertificateNames(dnsNames: [hostname, hostname + ".local"], addresses: []) }
        _ = await host.prepared()
        let authority = try host.authority()
        #expect(try verify(hostname + ".local", by: authority, in: host.folder))
        for victim in ["www.example.\(hostname)", hostname, "www.example.org"] {
            #expect(try !verify(victim, by: authority, in: host.folder))
        }
    }

    private func verify(_ name: String, by authority: Authority, in folder: TemporaryFolder) throws -> Bool {
        let leaf = try authority.forge([.domain(name)], at: Date())
        try folder.write("ca.pem", authority.certificate.text())
        try folder.write("leaf.pem", leaf.text())
        let arguments = ["verify", "-purpose", "sslserver", "-verify_hostname", name]
        let files = ["-CAfile", folder.path + "/ca.pem", folder.path + "/leaf.pem"]
        return (try? Program("/usr/bin/env", ["openssl"] + arguments + files).run())?.contains(": OK") ?? false
    }
}
