import NIOCore
import Testing

@testable import Listener

@Suite("The count of connections")
struct ConnectionLimiterTests {
    private static func address(_ text: String) throws -> SocketAddress {
        try SocketAddress(ipAddress: text, port: 1)
    }

    private static func peer(_ remote: String, _ local: String) throws -> Peer {
        try Peer.classify(remote: address(remote), local: address(local))
    }

    private func limiter(strangers: Int = 4, address: Int = 2, host: Int = 1, overflow: Int = 1) -> ConnectionLimiter {
        var limits = ListenerLimits()
        limits.strangerConnectionCount = strangers
        limits.addressConnectionCount = address
        limits.hostConnectionCount = host
        limits.overflowConnectionCount = overflow
        return ConnectionLimiter(limits: limits)
    }

    private func admit(_ remote: String, to limiter: ConnectionLimiter) throws -> ConnectionLimiter.Seat? {
        limiter.admit(remote: try Self.address(remote), local: try Self.address("192.168.1.2"))
    }

    @Test(
        "This host is known by loopback and by its own addresses",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("127.9.9.9", "127.0.0.1"), ("::1", "::1"),
            ("::ffff:127.0.0.1", "::ffff:127.0.0.1"), ("192.168.1.2", "192.168.1.2"), ("fd00::2", "fd00::2"),
        ])
    func host(remote: String, local: String) throws {
        #expect(try Self.peer(remote, local) == .host)
    }

    @Test("Any peer by a socket file is this host")
    func socketFile() throws {
        let file = try SocketAddress(unixDomainSocketPath: "/run/safelight")
        #expect(Peer.classify(remote: nil, local: file) == .host)
    }

    @Test(
        "Another host is known by its IPv4 address or its IPv6 network",
        arguments: [
            ("192.168.1.3", "::ffff:192.168.1.3", true), ("192.168.1.3", "192.168.1.4", false),
            ("2001:db8:0:1::1", "2001:db8:0:1:ffff::9", true), ("2001:db8:0:1::1", "2001:db8:0:2::1", false),
            ("0.0.0.1", "::1:0:0:1", false),
        ])
    func networks(one: String, other: String, isSame: Bool) throws {
        let (one, other) = (try Self.peer(one, "10.0.0.1"), try Self.peer(other, "10.0.0.1"))
        #expect(one != .host && other != .host)
        #expect((one == other) == isSame)
    }

    @Test(
        "Devices that share our own IPv6 network or link are told apart by their whole addresses",
        arguments: [("2001:db8:0:1::1", "2001:db8:0:1::9", "2001:db8:0:1::2"), ("fe80::1", "fe80::9", "fe80::2")])
    func neighbours(one: String, other: String, ours: String) throws {
        #expect(try Self.peer(one, ours) != Self.peer(other, ours))
        #expect(try Self.peer(one, ours) == Self.peer(one, ours))
    }

    /// Seated in the middle of a request, so that it gives way to nobody.
    private func admitBusy(_ remote: String, to limiter: ConnectionLimiter) throws -> ConnectionLimiter.Seat? {
        let seat = try admit(remote, to: limiter)
        if let seat { limiter.note(isInRequest: true, seat) }
        return seat
    }

    @Test("One address gets its share and no more, however many seats are free: one idle goes for the next")
    func perAddress() throws {
        let limiter = limiter(strangers: 8)
        let first = try #require(try admitBusy("10.0.0.1", to: limiter))
        #expect(try admit("10.0.0.1", to: limiter)?.lane == .strangers)
        #expect(try admitBusy("10.0.0.1", to: limiter)?.lane == .strangers)
        #expect(limiter.displacedCount == 1)
        #expect(try admit("10.0.0.1", to: limiter)?.lane == .overflow)
        #expect(try admit("10.0.0.2", to: limiter)?.lane == .strangers)
        limiter.release(first)
        #expect(try admit("10.0.0.1", to: limiter)?.lane == .strangers)
        #expect(limiter.strangerCount == 6)
    }

    @Test("One device gets its share by however many addresses, and who is not of this link gets seats by address")
    func perDevice() throws {
        var limits = ListenerLimits()
        limits.deviceConnectionCount = 2
        let limiter = ConnectionLimiter(limits: limits)
        let local = try Self.address("192.168.1.2")
        for last in 3...9 {
            let remote = try Self.address("192.168.1.\(last)")
            #expect(limiter.admit(remote: remote, local: local, device: [2, 0, 0, 0, 0, 1])?.lane == .strangers)
            #expect(limiter.admit(remote: try Self.address("10.0.0.\(last)"), local: local)?.lane == .strangers)
        }
        #expect(limiter.snapshot.strangers == 9 && limiter.displacedCount == 5)
    }

    @Test("Who gives way is told, once")
    func told() async throws {
        let limiter = limiter(strangers: 1)
        let local = try Self.address("192.168.1.2")
        await confirmation { gaveWay in
            let first = limiter.admit(
                remote: try? Self.address("10.0.0.1"), local: local, giveWay: { gaveWay() })
            _ = limiter.admit(remote: try? Self.address("10.0.0.2"), local: local)
            if let first { limiter.release(first) }
            _ = limiter.admit(remote: try? Self.address("10.0.0.3"), local: local)
        }
        #expect(limiter.snapshot.strangers == 1)
    }

    @Test("Over the total there are seats of another kind, then none")
    func total() throws {
        let limiter = limiter(strangers: 2)
        let lanes = try (1...4).map { try admitBusy("10.0.0.\($0)", to: limiter)?.lane }
        #expect(lanes == [.strangers, .strangers, .overflow, nil])
        #expect(limiter.snapshot == .init(strangers: 2, host: 0, overflow: 1, networks: 3))
        #expect(limiter.refusedCount == 1)
    }

    @Test("This host has seats of its own, and no share of them by address")
    func hostSeats() throws {
        let limiter = limiter(strangers: 0, address: 1, host: 2, overflow: 0)
        #expect(try admit("10.0.0.1", to: limiter) == nil)
        #expect(try admitBusy("127.0.0.1", to: limiter)?.lane == .host)
        #expect(try admitBusy("127.0.0.1", to: limiter)?.lane == .host)
        #expect(try admit("127.0.0.1", to: limiter) == nil)
        #expect(limiter.strangerCount == 1)
    }

    @Test("A seat is given back once, however often it is returned")
    func returnedTwice() throws {
        let limiter = limiter()
        let one = try #require(try admit("10.0.0.1", to: limiter))
        _ = try admit("10.0.0.1", to: limiter)
        limiter.release(one)
        limiter.release(one)
        #expect(limiter.snapshot == .init(strangers: 1, host: 0, overflow: 0, networks: 1))
    }

    @Test("Many threads leave nothing behind")
    func threads() async throws {
        let limiter = limiter(strangers: 50, address: 50, host: 50, overflow: 5)
        let local = try Self.address("192.168.1.2")
        let remotes = try (0..<8).map { try Self.address("10.0.0.\($0)") }
        await withTaskGroup(of: Void.self) { group in
            for remote in remotes {
                group.addTask {
                    for _ in 0..<1000 {
                        let seats = (0..<10).map { _ in limiter.admit(remote: remote, local: local) }
                        seats.compactMap { $0 }.forEach(limiter.release)
                    }
                }
            }
        }
        #expect(limiter.snapshot == .init())
        #expect(limiter.strangerCount == 80_000)
    }
}
