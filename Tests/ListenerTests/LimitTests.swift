import Bytes
import Foundation
import ListenerSupport
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import Listener

@Suite("The limits of the door", .timeLimit(.minutes(10)))
struct LimitTests {
    private static let request = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"

    /// Every connection comes from the same other host.
    private static let oneStranger: ConnectionLimiter.Classify = { _, _ in .stranger(IPNetwork(.ipv4(0, 0, 0, 1))) }

    /// Every connection comes from another host of its own.
    private static var manyStrangers: ConnectionLimiter.Classify {
        let last = Atomic<UInt32>(0)
        return { [last = Box(last)] _, _ in
            .stranger(IPNetwork(IPAddress(ipv4: last.value.add(1, ordering: .relaxed).newValue)))
        }
    }

    /// A connection that has got its first answer.
    private static func connection(to door: TestDoor) async throws -> RawClient {
        let client = try await RawClient.connect(to: door.address)
        try await client.send(request)
        #expect(await client.read(until: "/a 0").hasSuffix("/a 0"))
        return client
    }

    /// A connection in the middle of a request, which the door's gate holds up.
    private static func busyConnection(to door: TestDoor) async throws -> RawClient {
        let client = try await RawClient.connect(to: door.address)
        try await client.send("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n")
        await door.events.wait(for: .began("/wait"))
        return client
    }

    /// The host gives a seat back a moment after the client sees the end.
    private static func overflowIsFree(_ door: TestDoor) async {
        while door.limiter.snapshot.overflow > 0 { await Task.yield() }
    }

    @Test("One address has 32 connections; for the next the longest idle one ends, also with TLS")
    func perAddress() async throws {
        try await TestDoor.open(classify: Self.oneStranger) { door in
            var clients: [RawClient] = []
            for _ in 0..<32 { clients.append(try await Self.connection(to: door)) }
            for (index, transport) in Transport.allCases.enumerated() {
                let next = try await RawClient.connect(to: door.address, tls: transport.tls)
                try await next.send(Self.request)
                #expect(await next.read(until: "/a 0").hasSuffix("/a 0"))
                #expect(await clients[index].read().isEmpty)
                clients.append(next)
            }
            #expect(door.limiter.snapshot == .init(strangers: 32, host: 0, overflow: 0, networks: 1))
            for client in clients { try? await client.close() }
            #expect(door.limiter.strangerCount == 34)
        }
    }

    @Test("One address with 32 requests gets no other connection but for health, and none of the 32 ends")
    func perAddressBusy() async throws {
        try await TestDoor.open(classify: Self.oneStranger) { door in
            var clients: [RawClient] = []
            for _ in 0..<32 { clients.append(try await Self.busyConnection(to: door)) }
            let busy = try await RawClient.exchange(with: door.address, Self.request)
            #expect(busy.hasPrefix("HTTP/1.1 503 "))
            let health = try await RawClient.exchange(with: door.address, "GET /health HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(health.hasPrefix("HTTP/1.1 200 "))
            door.gate.open()
            for client in clients { #expect(await client.read(until: "/wait 0").hasSuffix("/wait 0")) }
            for client in clients { try await client.close() }
        }
    }

    @Test("At the total, health is answered once, all else is busy, and whoever says nothing gives way")
    func total() async throws {
        var limits = ListenerLimits.unhurried
        limits.strangerConnectionCount = 3
        limits.overflowConnectionCount = 1
        try await TestDoor.open(limits: limits, classify: Self.manyStrangers) { door in
            for _ in 0..<3 { _ = try await Self.busyConnection(to: door) }
            for transport in Transport.allCases {
                await Self.overflowIsFree(door)
                let health = try await RawClient.exchange(
                    with: door.address, tls: transport.tls,
                    "GET /health?x HTTP/1.1\r\nHost: h\r\n\r\nGET /health HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(health.hasPrefix("HTTP/1.1 200 ") && health.hasSuffix("/health?x 0"), "\(health)")
                #expect(health.lowercased().contains("connection: close"))
                await Self.overflowIsFree(door)
                let busy = try await RawClient.exchange(
                    with: door.address, tls: transport.tls,
                    "PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n",
                    String(repeating: "x", count: 100_000))
                #expect(busy.hasPrefix("HTTP/1.1 503 ") && busy.contains("\"code\":\"busy\""), "\(busy)")
                #expect(busy.lowercased().contains("retry-after: 5\r\n"))
            }
            await Self.overflowIsFree(door)
            let waiting = try await RawClient.connect(to: door.address)
            try await waiting.send("GET /health HTTP/1.1\r\n")
            while door.limiter.snapshot.overflow == 0 { await Task.yield() }
            let answer = try await RawClient.exchange(with: door.address, "GET /health HTTP/1.1\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
            #expect(await waiting.read().isEmpty)
            door.gate.open()
        }
    }

    @Test("At the total the longest idle connection of whoever has most ends, and no request")
    func displaced() async throws {
        var limits = ListenerLimits.unhurried
        limits.strangerConnectionCount = 3
        // The first two connections come from one host, each further one from another.
        let ports = Box(Mutex<[Int?]>([]))
        let classify: ConnectionLimiter.Classify = { remote, _ in
            let index = ports.value.withLock { ports in
                if !ports.contains(remote?.port) { ports.append(remote?.port) }
                return ports.firstIndex(of: remote?.port) ?? 0
            }
            return .stranger(IPNetwork(IPAddress(ipv4: UInt32(max(1, index)))))
        }
        try await TestDoor.open(limits: limits, classify: classify) { door in
            let first = try await Self.busyConnection(to: door)
            let second = try await Self.connection(to: door)
            _ = try await Self.connection(to: door)
            _ = try await Self.connection(to: door)
            await door.events.wait(for: .closedByRule("displaced"))
            #expect(await second.read().isEmpty)
            door.gate.open()
            #expect(await first.read(until: "/wait 0").hasSuffix("/wait 0"))
            #expect(door.limiter.snapshot.strangers == 3)
        }
    }

    @Test("A connection over the total that says nothing is closed early")
    func silentOverflow() async throws {
        var limits = ListenerLimits.unhurried
        limits.strangerConnectionCount = 0
        limits.overflowHeaderTime = .milliseconds(200)
        try await TestDoor.open(limits: limits, classify: Self.manyStrangers) { door in
            let client = try await RawClient.connect(to: door.address)
            await door.events.wait(for: .closedByRule("headerLate"))
            #expect(await client.read().isEmpty)
        }
    }

    @Test("This host is served while all seats of others are taken")
    func hostLane() async throws {
        var limits = ListenerLimits.unhurried
        limits.strangerConnectionCount = 2
        limits.overflowConnectionCount = 0
        let isHost = Atomic<Bool>(false)
        let box = Box(isHost)
        let strangers = Self.manyStrangers
        let classify: ConnectionLimiter.Classify = {
            box.value.load(ordering: .relaxed) ? .host : strangers($0, $1)
        }
        try await TestDoor.open(limits: limits, classify: classify) { door in
            for _ in 0..<2 { _ = try await Self.busyConnection(to: door) }
            let answer = try await RawClient.exchange(with: door.address, Self.request)
            #expect(answer.isEmpty)
            box.value.store(true, ordering: .relaxed)
            _ = try await Self.connection(to: door)
            #expect(door.limiter.snapshot == .init(strangers: 2, host: 1, overflow: 0, networks: 2))
            door.gate.open()
        }
    }

    @Test("What one device opens faster than its pace waits for its turn, and is served then")
    func arrivalPace() async throws {
        var limits = ListenerLimits.unhurried
        limits.arrivalPace = .init(burst: 2, rate: 1, commonRate: 20)
        try await TestDoor.open(limits: limits, classify: Self.oneStranger) { door in
            for _ in 0..<8 {
                let answer = try await RawClient.exchange(
                    with: door.address, "GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
                #expect(answer.hasSuffix("/a 0"))
            }
            #expect(door.limiter.refusedCount == 0)
        }
    }

    @Test("Of those that come without end few wait; the rest is closed, and another device is served meanwhile")
    func arrivalFlood() async throws {
        var limits = ListenerLimits.unhurried
        limits.arrivalPace = .init(burst: 2, rate: 1, commonRate: 1)
        let isOther = Box(Atomic<Bool>(false))
        let classify: ConnectionLimiter.Classify = { _, _ in
            .stranger(IPNetwork(IPAddress(ipv4: isOther.value.load(ordering: .relaxed) ? 2 : 1)))
        }
        try await TestDoor.open(limits: limits, classify: classify) { door in
            var clients: [RawClient] = []
            while door.limiter.refusedCount < 8 { clients.append(try await RawClient.connect(to: door.address)) }
            #expect(clients.count > AcceptRateHandler.mostWaitingOfOne)
            isOther.value.store(true, ordering: .relaxed)
            _ = try await Self.connection(to: door)
            for client in clients { try? await client.close() }
        }
    }

    @Test("A thousand connections opened and dropped leave no seat and no descriptor")
    func droppedConnections() async throws {
        try await TestDoor.open { door in
            _ = try await Self.connection(to: door).close()
            for round in 0..<20 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for index in 0..<50 {
                        group.addTask { try await Self.drop(index + round, door) }
                    }
                    try await group.waitForAll()
                }
            }
            while door.limiter.snapshot != .init() { await Task.yield() }
        }
    }

    /// In one of the ways in which connections end.
    private static func drop(_ index: Int, _ door: TestDoor) async throws {
        let tls = index % 5 == 4 ? RawClient.anyCertificate : nil
        let client = try await RawClient.connect(to: door.address, tls: tls)
        switch index % 5 {
        case 0: try await client.close()
        case 1: try await client.reset()
        case 2:
            try await client.send("PUT /put HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nphoto")
            try await client.reset()
        case 3:
            try await client.send("\u{16}\u{3}\u{1}")
            try await client.close()
        default:
            try await client.send(request)
            _ = await client.read(until: "/a 0")
            try await client.close()
        }
    }
}

/// Carries what cannot be copied.
final class Box<Value: ~Copyable & Sendable>: Sendable {
    let value: Value

    init(_ value: consuming Value) { self.value = value }
}
