import Foundation
import Listener
import Logging
import NIOCore
import NIOSSL
import Synchronization
import TestSupport
import Testing

@testable import Certificates

/// A host whose clock, names and disk the tests move.
final class SampleHost: Sendable {
    /// 2027-01-15.
    static let start = Date(timeIntervalSince1970: 1_800_000_000)

    let folder: TemporaryFolder
    let log = RecordedLog()
    private let state = Mutex(State())

    init(in folder: TemporaryFolder? = nil, at time: Date = SampleHost.start) throws {
        self.folder = try folder ?? TemporaryFolder()
        change { $0.clock = time }
    }

    struct Killed: Error {}

    struct State {
        var clock = SampleHost.start
        var uptime = Duration.zero
        var isClockTrusted = true
        var isClockProven = true
        var names = CertificateNames(
            dnsNames: ["photos", "photos.local"], configuredNames: ["photos.example.org"],
            addresses: ["192.168.1.20", "fd12:3456::20", "203.0.113.7", "2001:db8:1:2::20"])
        var steps: [FileStep] = []
        /// The number of file operations after which the host is dead.
        var lastStep = Int.max
    }

    var now: State { state.withLock { $0 } }

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    var keeper: CertificateKeeper {
        CertificateKeeper(
            path: folder.path + "/tls", names: { self.now.names }, isClockTrusted: { self.now.isClockTrusted },
            isClockProven: { self.now.isClockProven }, now: { self.now.clock }, logger: log.logger,
            willDo: { step in
                self.change { $0.steps.append(step) }
                let state = self.now
                if state.steps.count > state.lastStep { throw Killed() }
            })
    }

    /// As at a start of the daemon.
    func certificates() -> HostCertificates {
        HostCertificates(keeper, uptime: { self.now.uptime })
    }

    func prepared() async -> HostCertificates {
        let certificates = certificates()
        await certificates.prepare()
        return certificates
    }

    func pass(days: Double) {
        change {
            $0.clock += days * 86_400
            $0.uptime += .seconds(days * 86_400)
        }
    }

    /// What is on disk.
    func authority() throws -> Authority { try Authority(PairFile(text: folder.bytes("tls/authority.pem"))) }
    func host() throws -> HostCertificate { try HostCertificate(PairFile(text: folder.bytes("tls/host.pem"))) }
}

extension HostCertificates {
    /// What a connection to `address` is served with, having waited if it must.
    func context(at address: String? = nil) async throws -> NIOSSLContext? {
        let local = try address.map { try SocketAddress(ipAddress: $0, port: 443) }
        switch offer(for: local) {
        case .ready(let context): return context
        case .later(let make): return try await make()
        case .unavailable: return nil
        }
    }

    func makesWait(at address: String) throws -> Bool {
        if case .later = offer(for: try SocketAddress(ipAddress: address, port: 443)) { return true }
        return false
    }

    var isUnavailable: Bool {
        if case .unavailable = offer(for: nil) { return true }
        return false
    }
}

/// Many connections at the same time; each gets something.
func connect(_ count: Int, to certificates: HostCertificates, at address: String?) async throws {
    try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0..<count { group.addTask { try await certificates.context(at: address) != nil } }
        for try await isServed in group { #expect(isServed) }
    }
}
