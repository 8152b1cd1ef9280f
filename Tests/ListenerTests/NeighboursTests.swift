import Discovery
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import Listener

@Suite("Whose device a connection comes from")
struct NeighboursTests {
    private static let phone: [UInt8] = [2, 0, 0, 0, 0, 7]

    /// What the kernel knows, and how often it was asked.
    private final class Kernel: Sendable {
        let known = Mutex<[NeighbourTable.Neighbour]>([])
        let readCount = Atomic<Int>(0)
        let now = Mutex(NIODeadline.now())

        func knows(_ address: [UInt8], _ linkAddress: [UInt8], interface: UInt32 = 1) {
            known.withLock { $0.append(.init(address: address, interface: interface, linkAddress: linkAddress)) }
        }

        func read() -> NeighbourTable {
            readCount.add(1, ordering: .relaxed)
            return NeighbourTable(known.withLock { $0 })
        }
    }

    private let kernel = Kernel()
    private let neighbours: Neighbours

    init() {
        neighbours = Neighbours(now: { [kernel] in kernel.now.withLock { $0 } }, read: { [kernel] in kernel.read() })
    }

    private func device(at text: String) async throws -> [UInt8]? {
        try await device(at: SocketAddress(ipAddress: text, port: 1))
    }

    private func device(at address: SocketAddress?) async throws -> [UInt8]? {
        try await neighbours.linkAddress(of: address, on: MultiThreadedEventLoopGroup.singleton.any()).get()
    }

    @Test("is known by an IPv4 address, by that address through an IPv6 socket, and by an IPv6 address")
    func families() async throws {
        kernel.knows([10, 0, 0, 7], Self.phone)
        kernel.knows([0xfd] + [UInt8](repeating: 0, count: 14) + [7], Self.phone)
        for text in ["10.0.0.7", "::ffff:10.0.0.7", "fd00::7"] {
            let found = try await device(at: text)
            #expect(found == Self.phone)
        }
        let other = try await device(at: "10.0.0.8")
        #expect(other == nil)
    }

    @Test("is seen as soon as the kernel knows it, and asked for once while it is fresh")
    func refreshed() async throws {
        let unknown = try await device(at: "10.0.0.7")
        #expect(unknown == nil)
        kernel.knows([10, 0, 0, 7], Self.phone)
        for _ in 0..<5 {
            let found = try await device(at: "10.0.0.7")
            #expect(found == Self.phone)
        }
        #expect(kernel.readCount.load(ordering: .relaxed) == 2)
        kernel.now.withLock { $0 = $0 + .seconds(10) }
        let later = try await device(at: "10.0.0.7")
        #expect(later == Self.phone)
        #expect(kernel.readCount.load(ordering: .relaxed) == 3)
    }

    @Test("is not asked for this host itself", arguments: ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
    func loopback(text: String) async throws {
        let ends = [
            try SocketAddress(ipAddress: text, port: 1), try SocketAddress(unixDomainSocketPath: "/run/x"), nil,
        ]
        for end in ends {
            let found = try await device(at: end)
            #expect(found == nil)
        }
        #expect(kernel.readCount.load(ordering: .relaxed) == 0)
    }

    @Test("is told to all who ask at once, and each by a reading that begins after it asked")
    func manyAtOnce() async throws {
        for last in 0..<200 { kernel.knows([10, 0, 1, UInt8(last)], [2, 0, 0, 0, 1, UInt8(last)]) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for last in 0..<200 {
                group.addTask {
                    let found = try await device(at: "10.0.1.\(last)")
                    #expect(found == [2, 0, 0, 0, 1, UInt8(last)])
                }
            }
            try await group.waitForAll()
        }
    }
}
