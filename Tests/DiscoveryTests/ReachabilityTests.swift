import Foundation
import TestSupport
import Testing

@testable import Discovery

@Suite("Why no other device has come")
struct ReachabilityTests {
    private func advice(
        neighbours: Int?, strangers: Int = 0, ufw: FirewallFacts.State = .unknown,
        firewalld: FirewallFacts.State = .unknown
    ) -> Reachability.Advice {
        Reachability(
            neighbourCount: neighbours, strangerCount: strangers, firewall: .init(ufw: ufw, firewalld: firewalld)
        ).advice(port: 8080)
    }

    @Test("nothing is to be said once a device has come")
    func reached() {
        #expect(advice(neighbours: 0, strangers: 1, ufw: .on) == .none)
    }

    @Test("nobody but the router in sight: the network keeps devices apart, firewall or not")
    func isolation() {
        #expect(advice(neighbours: 0) == .isolationLikely)
        #expect(advice(neighbours: 0, ufw: .on) == .isolationLikely)
    }

    @Test("devices in sight and a firewall on: the firewall, with the command that opens the port")
    func firewall() {
        #expect(
            advice(neighbours: 3, ufw: .on)
                == .firewallLikely(program: "ufw", command: "sudo ufw allow 8080/tcp"))
        #expect(
            advice(neighbours: nil, ufw: .off, firewalld: .on)
                == .firewallLikely(
                    program: "firewalld",
                    command: "sudo firewall-cmd --permanent --add-port=8080/tcp && sudo firewall-cmd --reload"))
    }

    @Test("nothing points anywhere: no guess is made")
    func unknown() {
        #expect(advice(neighbours: nil) == .unknown)
        #expect(advice(neighbours: 2, ufw: .off) == .unknown)
    }
}

@Suite("What the system tells about its network")
struct SystemFilesTests {
    private let folder: TemporaryFolder
    private var root: String { folder.path }

    init() throws { folder = try TemporaryFolder() }

    private func write(_ text: String, _ path: String) throws {
        let file = folder.file(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// As the kernel of a little-endian machine prints them: bytes of an address from right to left.
    private static let routes = """
        Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
        eth0	00000000	0101A8C0	0003	0	0	600	00000000	0	0	0
        wlan0	00000000	0101A8C0	0003	0	0	100	00000000	0	0	0
        wlan0	0001A8C0	00000000	0001	0	0	600	00FFFFFF	0	0	0

        """

    @Test("the default route has the smallest metric, and its gateway is the router")
    func routes() {
        let table = RoutingTable(Self.routes)
        #expect(table.defaultInterface == "wlan0")
        #expect(table.gateways == [[192, 168, 1, 1]])
        #expect(RoutingTable("").defaultInterface == nil)
    }

    @Test("neighbours are devices, however many addresses each has, and routers are none")
    func routerIsNoNeighbour() {
        let router: [UInt8] = [2, 0, 0, 0, 0, 1]
        let table = NeighbourTable(
            [
                .init(address: [192, 168, 1, 1], interface: 2, linkAddress: router),
                .init(address: [192, 168, 1, 30], interface: 2, linkAddress: [2, 0, 0, 0, 0, 2]),
                .init(address: [192, 168, 1, 31], interface: 2, linkAddress: [2, 0, 0, 0, 0, 2]),
                .init(
                    address: [UInt8](repeating: 7, count: 16), interface: 2, linkAddress: [2, 0, 0, 0, 0, 3],
                    isRouter: true),
            ], gateways: RoutingTable(Self.routes).gateways)
        #expect(Reachability.read(strangerCount: 0, neighbours: table, root: root).neighbourCount == 1)
    }

    @Test("absent files mean that nothing is known")
    func nothing() throws {
        let facts = Reachability.read(strangerCount: 0, neighbours: nil, root: root)
        #expect(facts.neighbourCount == nil)
        #expect(facts.firewall == FirewallFacts(ufw: .unknown, firewalld: .unknown))
    }

    @Test(
        "ufw is on when its file says so",
        arguments: [
            ("# a comment\nENABLED=yes\nLOGLEVEL=low\n", FirewallFacts.State.on), ("ENABLED=no\n", .off),
            ("ENABLED = \"yes\"\n", .on), ("#ENABLED=yes\n", .unknown), ("", .unknown),
        ])
    func ufw(text: String, state: FirewallFacts.State) throws {
        try write(text, "etc/ufw/ufw.conf")
        #expect(FirewallFacts.read(root: root).ufw == state)
    }

    @Test("firewalld is on when its unit runs, which a link that points nowhere says")
    func firewalld() throws {
        let units = folder.file("run/systemd/units")
        try FileManager.default.createDirectory(at: units, withIntermediateDirectories: true)
        #expect(FirewallFacts.read(root: root).firewalld == .unknown)
        try FileManager.default.createSymbolicLink(
            atPath: units.path + "/invocation:firewalld.service", withDestinationPath: "4f1c")
        #expect(FirewallFacts.read(root: root).firewalld == .on)
    }

    @Test("this machine's own files are read")
    func own() throws {
        let table = try #require(RoutingTable.read())
        #expect(table.routes.allSatisfy { !$0.interface.isEmpty })
        #expect(NeighbourTable.read() != nil)
    }
}
