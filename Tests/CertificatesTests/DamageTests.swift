import Foundation
import TestSupport
import Testing

@testable import Certificates

@Suite("Damaged and exchanged files")
struct DamageTests {
    enum Damage: String, CaseIterable {
        case empty, cutOff, garbage, otherKey, keyLost
    }

    private func damage(_ name: String, by damage: Damage, in host: SampleHost) throws {
        let text = String(decoding: try host.folder.bytes(name), as: UTF8.self)
        let other = try Authority.make(
            for: SubjectNames(CertificateNames(dnsNames: ["x"], addresses: [])), now: SampleHost.start)
        let otherText = String(decoding: try other.pairFile.text(), as: UTF8.self)
        let end = "-----END PRIVATE KEY-----\n"
        let certificate = text.components(separatedBy: end)[1]
        let damaged =
            switch damage {
            case .empty: ""
            case .cutOff: String(text.prefix(text.count / 2))
            case .garbage: String(repeating: "\u{0}", count: text.count)
            case .otherKey: otherText.components(separatedBy: end)[0] + end + certificate
            case .keyLost: certificate
            }
        try host.folder.write(name, Array(damaged.utf8))
    }

    @Test("a damaged host certificate is kept aside and made again; the authority stays", arguments: Damage.allCases)
    func damagedHost(how: Damage) async throws {
        let host = try SampleHost()
        let facts = await host.prepared().facts
        try damage("tls/host.pem", by: how, in: host)
        let damaged = try host.folder.bytes("tls/host.pem")
        let next = try SampleHost(in: host.folder)
        #expect(await next.prepared().facts == facts)
        #expect(try next.authority().hasSigned(next.host().certificate))
        #expect(try next.folder.bytes("tls/host.pem.unusable-1") == damaged)
        #expect(next.log.errors.count == 1)
    }

    @Test("a damaged authority is kept aside, and its loss said loudly", arguments: Damage.allCases)
    func damagedAuthority(how: Damage) async throws {
        let host = try SampleHost()
        let facts = await host.prepared().facts
        try damage("tls/authority.pem", by: how, in: host)
        let damaged = try host.folder.bytes("tls/authority.pem")
        let next = try SampleHost(in: host.folder)
        let nextFacts = await next.prepared().facts
        #expect(nextFacts != nil && nextFacts != facts)
        #expect(try next.authority().hasSigned(next.host().certificate))
        #expect(try next.folder.bytes("tls/authority.pem.unusable-1") == damaged)
        #expect(next.log.errors.contains { $0.contains("Every device that trusted") })
    }

    @Test("a removed authority is a lost one")
    func removedAuthority() async throws {
        let host = try SampleHost()
        _ = await host.prepared()
        try host.folder.remove("tls/authority.pem")
        let next = try SampleHost(in: host.folder)
        _ = await next.prepared()
        #expect(try next.authority().hasSigned(next.host().certificate))
        #expect(next.log.errors.contains { $0.contains("Every device that trusted") })
    }

    @Test("a removed folder is a first start")
    func removedFolder() async throws {
        let host = try SampleHost()
        _ = await host.prepared()
        try host.folder.remove("tls")
        let next = try SampleHost(in: host.folder)
        #expect(await next.prepared().facts != nil)
        #expect(next.log.errors.isEmpty)
    }

    @Test("a host certificate of another authority is not served")
    func exchanged() async throws {
        let (one, other) = (try SampleHost(), try SampleHost())
        let facts = await one.prepared().facts
        _ = await other.prepared()
        try one.folder.write("tls/host.pem", other.folder.bytes("tls/host.pem"))
        let next = try SampleHost(in: one.folder)
        #expect(await next.prepared().facts == facts)
        #expect(try next.authority().hasSigned(next.host().certificate))
        #expect(try next.folder.names("tls").contains("host.pem.unusable-1"))
    }

    @Test("a file that cannot be read is not taken for damaged: nothing is replaced")
    func unreadable() async throws {
        let host = try SampleHost()
        let facts = await host.prepared().facts
        let path = host.folder.path + "/tls/authority.pem"
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        // A link is not followed (ELOOP), which stands for every error of reading.
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path + ".away")
        let next = try SampleHost(in: host.folder)
        let certificates = await next.prepared()
        #expect(certificates.facts == nil)
        #expect(try next.folder.names("tls") == ["authority.pem", "authority.pem.away", "host.pem"])
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        await certificates.prepare()
        #expect(certificates.facts == facts)
    }

    @Test("an authority that is not bound to names is none of this host's")
    func unbound() async throws {
        let host = try SampleHost()
        _ = await host.prepared()
        try host.folder.write("tls/authority.pem", host.folder.bytes("tls/host.pem"))
        let next = try SampleHost(in: host.folder)
        _ = await next.prepared()
        #expect(next.log.errors.contains { $0.contains("it holds no authority of this host") })
    }

    @Test("the second damage does not overwrite what was kept of the first")
    func twice() async throws {
        let host = try SampleHost()
        _ = await host.prepared()
        for byte: UInt8 in [1, 2] {
            try host.folder.write("tls/host.pem", [byte])
            _ = await (try SampleHost(in: host.folder)).prepared()
        }
        #expect(try host.folder.bytes("tls/host.pem.unusable-1") == [1])
        #expect(try host.folder.bytes("tls/host.pem.unusable-2") == [2])
    }
}
