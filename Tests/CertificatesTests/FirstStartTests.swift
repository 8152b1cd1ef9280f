import Foundation
import TestSupport
import Testing

@testable import Certificates

@Suite("The first start, and the next")
struct FirstStartTests {
    @Test("an authority and a host certificate are made, in a folder that only their owner can read")
    func made() async throws {
        let host = try SampleHost()
        let certificates = await host.prepared()
        #expect(certificates.facts?.kind == .authority)
        #expect(try await certificates.context() != nil)
        #expect(try host.folder.names("tls") == ["authority.pem", "host.pem"])
        #expect(try host.folder.mode("tls") == 0o700)
        #expect(try host.folder.mode("tls/authority.pem") == 0o600)
        #expect(try host.folder.mode("tls/host.pem") == 0o600)
        let names = try host.host().names
        #expect(names.dnsNames.map(\.text) == ["photos.local", "photos.example.org", "localhost"])
        #expect(
            names.addresses.map(\.description) == [
                "127.0.0.1", "::1", "192.168.1.20", "fd12:3456::20", "203.0.113.7", "2001:db8:1:2::20",
            ])
        #expect(host.log.errors.isEmpty && host.log.warnings.isEmpty)
    }

    @Test("the second start finds both and writes nothing")
    func second() async throws {
        let host = try SampleHost()
        let first = await host.prepared().facts
        let files = [try host.folder.bytes("tls/authority.pem"), try host.folder.bytes("tls/host.pem")]
        let again = try SampleHost(in: host.folder)
        #expect(await again.prepared().facts == first)
        #expect(files == [try host.folder.bytes("tls/authority.pem"), try host.folder.bytes("tls/host.pem")])
        #expect(again.now.steps == [.makeFolder])
    }

    @Test("every file is on disk before its name is, and the name before anybody relies on it")
    func order() async throws {
        let host = try SampleHost()
        _ = await host.prepared()
        let expected: [FileStep] = ["authority.pem", "host.pem"].flatMap { name -> [FileStep] in
            [
                .create(name + ".new"), .write(name + ".new"), .synchronize(name + ".new"), .rename(name),
                .synchronizeFolder,
            ]
        }
        let steps = host.now.steps.filter { $0 != .makeFolder }
        #expect(steps == [.synchronizeParent] + expected)
    }

    @Test("preparing again, or many connections at once, makes nothing twice")
    func once() async throws {
        let host = try SampleHost()
        let certificates = host.certificates()
        async let prepared: Void = certificates.prepare()
        try await connect(20, to: certificates, at: nil)
        await prepared
        #expect(host.log.notices.count == 2)
    }

    @Test("rights that others have on the files are taken away, with a warning")
    func rights() async throws {
        let host = try SampleHost()
        _ = await host.prepared()
        try host.folder.setMode("tls/authority.pem", 0o644)
        try host.folder.setMode("tls", 0o755)
        let again = try SampleHost(in: host.folder)
        _ = await again.prepared()
        #expect(try host.folder.mode("tls") == 0o700)
        #expect(try host.folder.mode("tls/authority.pem") == 0o600)
        #expect(again.log.warnings.count == 2)
    }

    @Test("a folder that cannot be made is said once, and connections are refused until it can")
    func unusableFolder() async throws {
        let host = try SampleHost()
        try host.folder.write("tls", [1])
        let certificates = await host.prepared()
        #expect(certificates.facts == nil)
        #expect(certificates.isUnavailable)
        try host.folder.remove("tls")
        host.change { $0.uptime += .seconds(11) }
        #expect(try await certificates.context() != nil)
        #expect(host.log.errors.count == 1)
    }
}
