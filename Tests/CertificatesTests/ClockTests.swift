import Foundation
import TestSupport
import Testing

@testable import Certificates

@Suite("While the clock is wrong")
struct ClockTests {
    @Test(
        "nothing is made: before this version, in a later century",
        arguments: [-4_000_000_000, 0, 1_700_000_000, 4_102_444_800, 60_000_000_000_000.0])
    func plainlyWrong(time: Double) async throws {
        let host = try SampleHost()
        host.change { $0.clock = Date(timeIntervalSince1970: time) }
        let certificates = await host.prepared()
        #expect(certificates.facts == nil)
        #expect(try host.folder.names("tls").isEmpty)
        await #expect(throws: CertificateError.self) { try await certificates.context() }
        #expect(host.log.errors.count == 1)
    }

    @Test("the first connection after the clock was set gets a certificate")
    func made() async throws {
        let host = try SampleHost()
        host.change { $0.isClockTrusted = false }
        let certificates = await host.prepared()
        await #expect(throws: CertificateError.self) { try await certificates.context() }
        host.change { $0.isClockTrusted = true }
        #expect(try await certificates.context() != nil)
        #expect(certificates.facts != nil)
    }

    @Test("a pair that stands is served, and neither renewed nor replaced", arguments: [0.0, 4_200_000_000])
    func served(time: Double) async throws {
        let host = try SampleHost()
        let facts = await host.prepared().facts
        let files = [try host.folder.bytes("tls/authority.pem"), try host.folder.bytes("tls/host.pem")]
        let next = try SampleHost(in: host.folder)
        next.change { $0.clock = Date(timeIntervalSince1970: time) }
        let certificates = await next.prepared()
        #expect(certificates.facts == facts)
        #expect(try await certificates.context(at: "192.168.1.99") != nil)
        #expect(files == [try host.folder.bytes("tls/authority.pem"), try host.folder.bytes("tls/host.pem")])
    }

    @Test("a clock earlier than the authority is wrong, or was: nothing is thrown away on such a doubt")
    func beforeAuthority() async throws {
        let host = try SampleHost()
        host.pass(days: 1_000)
        _ = await host.prepared()
        let next = try SampleHost(in: host.folder)
        next.change { $0.names.addresses.append("10.3.3.3") }
        #expect(try await next.prepared().context() != nil)
        #expect(try next.host().certificate == host.host().certificate)
        #expect(next.log.errors.contains { $0.contains("before this host's authority was made") })
    }

    @Test("a lost authority is not replaced while the clock is wrong; its last host certificate is served")
    func lostAuthority() async throws {
        let host = try SampleHost()
        _ = await host.prepared()
        try host.folder.write("tls/authority.pem", [0])
        let next = try SampleHost(in: host.folder)
        next.change { $0.isClockTrusted = false }
        let certificates = await next.prepared()
        #expect(certificates.facts == nil)
        #expect(try await certificates.context(at: "192.168.1.99") != nil)
        #expect(try next.folder.names("tls") == ["authority.pem", "host.pem"])
    }

    @Test("an authority that was put back meanwhile is used, not replaced")
    func putBack() async throws {
        let host = try SampleHost()
        let facts = await host.prepared().facts
        let authority = try host.folder.bytes("tls/authority.pem")
        try host.folder.write("tls/authority.pem", [0])
        let next = try SampleHost(in: host.folder)
        next.change { $0.isClockTrusted = false }
        let certificates = await next.prepared()
        try host.folder.write("tls/authority.pem", authority)
        next.change { $0.isClockTrusted = true }
        await certificates.prepare()
        #expect(certificates.facts == facts)
        #expect(try next.folder.bytes("tls/authority.pem") == authority)
    }

    @Test("a host certificate from a future that was none is made again when the clock is right")
    func fromTheFuture() async throws {
        let host = try SampleHost()
        _ = await host.prepared()
        host.pass(days: 1_000)
        _ = await host.prepared()
        let next = try SampleHost(in: host.folder)
        #expect(try await next.prepared().context() != nil)
        #expect(try next.host().validity.hasBegun(at: SampleHost.start))
    }

    @Test("an authority whose ten years are over is replaced, and kept")
    func ended() async throws {
        let host = try SampleHost()
        let facts = await host.prepared().facts
        host.pass(days: 3_660)
        let certificates = await host.prepared()
        #expect(certificates.facts != facts)
        #expect(try host.authority().hasSigned(host.host().certificate))
        #expect(try host.folder.names("tls").contains("authority.pem.unusable-1"))
        #expect(host.log.errors.contains { $0.contains("it ended on") })
    }

    @Test("an authority that has ended by a clock which has just jumped there stays; devices trust it")
    func endedByAJump() async throws {
        let host = try SampleHost()
        let facts = await host.prepared().facts
        let later = try SampleHost(in: host.folder)
        later.change { $0.isClockProven = false }
        later.pass(days: 3_660)
        let certificates = await later.prepared()
        #expect(certificates.facts == facts)
        #expect(try later.folder.names("tls") == ["authority.pem", "host.pem"])
        later.change { $0.clock = SampleHost.start }
        await certificates.prepare()
        #expect(try await certificates.context() != nil)
        #expect(certificates.facts == facts)
    }
}
