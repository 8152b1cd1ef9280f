import Foundation
import TestSupport
import Testing

@testable import Certificates

@Suite("Renewal by events")
struct RenewalTests {
    @Test(
        "a connection at a new private address waits for a certificate that names it",
        arguments: ["192.168.1.99", "fd77::1"])
    func newAddress(address: String) async throws {
        let host = try SampleHost()
        let certificates = await host.prepared()
        #expect(try certificates.makesWait(at: address))
        #expect(try await certificates.context(at: address) != nil)
        #expect(try host.host().names.addresses.map(\.description).contains(address))
        #expect(try !certificates.makesWait(at: address))
    }

    @Test("an address that was learned stays in later certificates")
    func learned() async throws {
        let host = try SampleHost()
        let certificates = await host.prepared()
        _ = try await certificates.context(at: "192.168.1.99")
        host.pass(days: 300)
        await certificates.renewIfDue()
        #expect(try host.host().names.addresses.map(\.description).contains("192.168.1.99"))
    }

    @Test(
        "an address outside of what the authority may speak for never makes anybody wait",
        arguments: ["198.51.100.4", "2001:db8:9::1"])
    func foreignAddress(address: String) async throws {
        let host = try SampleHost()
        let certificates = await host.prepared()
        let steps = host.now.steps.count
        #expect(try !certificates.makesWait(at: address))
        #expect(try await certificates.context(at: address) != nil)
        #expect(host.now.steps.count == steps)
    }

    @Test("a host on which every address is its own does not renew without end")
    func anyAddress() async throws {
        let host = try SampleHost()
        let certificates = await host.prepared()
        for number in 1...200 { #expect(try await certificates.context(at: "10.9.0.\(number)") != nil) }
        let made = host.now.steps.filter { $0 == .rename("host.pem") }.count
        #expect(made <= OfferState.learnedLimit + 1)
    }

    @Test("connections that wait for the same address are served by one renewal")
    func together() async throws {
        let host = try SampleHost()
        let certificates = await host.prepared()
        try await connect(30, to: certificates, at: "10.0.0.9")
        #expect(host.now.steps.filter { $0 == .rename("host.pem") }.count == 2)
    }

    @Test("when a third of its life is left a connection is served at once, and the renewal follows")
    func aged() async throws {
        let host = try SampleHost()
        let certificates = await host.prepared()
        let before = try await certificates.context()
        let former = try host.host().certificate
        host.pass(days: 260)
        await certificates.renewIfDue()
        #expect(try host.host().certificate == former)
        host.pass(days: 10)
        #expect(try await certificates.context() === before)
        await certificates.renewIfDue()
        #expect(try host.host().certificate != former)
        #expect(try host.host().validity.isAged(at: host.now.clock) == false)
        #expect(try await certificates.context() !== before)
    }

    @Test("an ended certificate is not shown once a new one can be made")
    func ended() async throws {
        let host = try SampleHost()
        let certificates = await host.prepared()
        host.pass(days: 500)
        let context = try await certificates.context()
        #expect(context != nil)
        #expect(try !host.host().validity.hasEnded(at: host.now.clock))
    }

    @Test("a new address among the host's own is named at the next daily look; one that went changes nothing")
    func daily() async throws {
        let host = try SampleHost()
        let certificates = await host.prepared()
        host.change { $0.names.addresses.removeFirst() }
        await certificates.renewIfDue()
        #expect(try host.host().names.addresses.map(\.description).contains("192.168.1.20"))
        host.change { $0.names.addresses = ["10.5.5.5"] }
        await certificates.renewIfDue()
        #expect(try host.host().names.addresses.map(\.description) == ["127.0.0.1", "::1", "10.5.5.5"])
    }

    @Test("a host that was renamed is told once that its authority does not know the new name")
    func renamed() async throws {
        let host = try SampleHost()
        let certificates = await host.prepared()
        host.change { $0.names.dnsNames = ["renamed", "renamed.local"] }
        await certificates.renewIfDue()
        await certificates.renewIfDue()
        #expect(host.log.warnings.count == 1)
        #expect(host.log.warnings.first?.contains("warn at renamed.local,") == true)
        #expect(try host.folder.names("tls") == ["authority.pem", "host.pem"])
    }

    @Test("an address that a provider changes is no reason for a warning")
    func providerAddress() async throws {
        let host = try SampleHost()
        let certificates = await host.prepared()
        host.change { $0.names.addresses = ["2001:db8:9::1"] }
        await certificates.renewIfDue()
        #expect(host.log.warnings.isEmpty && host.log.errors.isEmpty)
    }

    @Test("after a failed renewal the disk rests for ten seconds, whatever comes in")
    func rest() async throws {
        let host = try SampleHost()
        let certificates = await host.prepared()
        host.change { $0.lastStep = 0 }
        #expect(try await certificates.context(at: "10.0.0.1") != nil)
        let steps = host.now.steps.count
        for number in 2...50 { #expect(try await certificates.context(at: "10.0.0.\(number)") != nil) }
        #expect(host.now.steps.count == steps)
        host.change { $0.lastStep = .max }
        host.change { $0.uptime += .seconds(11) }
        #expect(try await certificates.context(at: "10.0.0.1") != nil)
        #expect(try host.host().names.addresses.map(\.description).contains("10.0.0.1"))
        #expect(host.log.errors.count == 1)
    }
}
