import Foundation
import TestSupport
import Testing

@testable import Certificates

@Suite("After a crash at any point")
struct CrashTests {
    /// How many file operations `work` takes on a host that nothing happens to.
    private func stepCount(_ work: (SampleHost) async throws -> Void) async throws -> Int {
        let host = try SampleHost()
        try await work(host)
        return host.now.steps.count
    }

    @Test("the next start has a working pair, and keeps an authority that was complete")
    func firstStart() async throws {
        let count = try await stepCount { _ = await $0.prepared() }
        #expect(count > 10)
        for lastStep in 0...count {
            let host = try SampleHost()
            host.change { $0.lastStep = lastStep }
            _ = await host.prepared()
            let complete = try? host.authority()

            let next = try SampleHost(in: host.folder)
            let certificates = await next.prepared()
            #expect(try await certificates.context() != nil, "killed after \(lastStep) operations")
            #expect(try next.authority().hasSigned(next.host().certificate))
            if let complete { #expect(try next.authority().certificate == complete.certificate) }
            #expect(try next.folder.names("tls") == ["authority.pem", "host.pem"])
            #expect(next.log.errors.isEmpty)
        }
    }

    @Test("a renewal that was cut short leaves the former pair or the new one, and the authority as it was")
    func renewal() async throws {
        let base = try SampleHost()
        _ = await base.prepared()
        let authority = try base.folder.bytes("tls/authority.pem")
        let former = try base.folder.bytes("tls/host.pem")
        // A whole renewal comes last.
        let renewed = try SampleHost(in: base.folder)
        renewed.pass(days: 300)
        _ = await renewed.prepared()
        let count = renewed.now.steps.count
        #expect(count > 4)
        for lastStep in 1...count {
            try base.folder.write("tls/host.pem", former)
            let host = try SampleHost(in: base.folder)
            host.pass(days: 300)
            host.change { $0.lastStep = lastStep }
            _ = await host.prepared()
            #expect(try host.authority().hasSigned(host.host().certificate))

            let next = try SampleHost(in: base.folder)
            next.pass(days: 300)
            let certificates = await next.prepared()
            #expect(try await certificates.context() != nil)
            #expect(try next.folder.bytes("tls/authority.pem") == authority)
            #expect(try next.folder.bytes("tls/host.pem") != former)
            #expect(try next.folder.names("tls") == ["authority.pem", "host.pem"])
        }
    }

    @Test("what was left half written is never read", arguments: [0, 1, 100])
    func torn(byteCount: Int) async throws {
        let host = try SampleHost()
        host.change { $0.lastStep = 4 }
        _ = await host.prepared()
        try host.folder.write("tls/authority.pem.new", Array(repeating: 65, count: byteCount))
        let next = try SampleHost(in: host.folder)
        _ = await next.prepared()
        #expect(try next.authority().hasSigned(next.host().certificate))
        #expect(try next.folder.names("tls") == ["authority.pem", "host.pem"])
    }

    @Test("the change of a lost authority can be cut short anywhere, too")
    func lostAuthority() async throws {
        let first = try SampleHost()
        _ = await first.prepared()
        let pair = try first.folder.bytes("tls/host.pem")
        /// Of a host that was well until somebody wrote over its authority.
        func lost() throws -> SampleHost {
            let host = try SampleHost()
            try FileManager.default.createDirectory(
                atPath: host.folder.path + "/tls", withIntermediateDirectories: true)
            try host.folder.write("tls/host.pem", pair)
            try host.folder.write("tls/authority.pem", [1, 2, 3])
            return host
        }
        let whole = try lost()
        _ = await whole.prepared()
        let count = whole.now.steps.count
        #expect(count > 10)
        for lastStep in 1...count {
            let host = try lost()
            let killed = try SampleHost(in: host.folder)
            killed.change { $0.lastStep = lastStep }
            _ = await killed.prepared()
            let next = try SampleHost(in: host.folder)
            #expect(try await next.prepared().context() != nil, "killed after \(lastStep) operations")
            #expect(try next.authority().hasSigned(next.host().certificate))
            #expect(
                try next.folder.names("tls") == [
                    "authority.pem", "authority.pem.unusable-1", "host.pem", "host.pem.unusable-1",
                ])
        }
    }

    @Test("a write that fails leaves the former pair in use, and no rest of itself")
    func failedWrite() async throws {
        let host = try SampleHost()
        let certificates = await host.prepared()
        let former = try host.folder.bytes("tls/host.pem")
        host.pass(days: 300)
        host.change { $0.lastStep = $0.steps.count + 3 }
        await certificates.renewIfDue()
        #expect(try host.folder.bytes("tls/host.pem") == former)
        #expect(try host.folder.names("tls") == ["authority.pem", "host.pem"])
        #expect(try await certificates.context() != nil)
        #expect(host.log.errors.count == 1)
    }
}
