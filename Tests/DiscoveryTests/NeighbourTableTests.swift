import Glibc
import Testing

@testable import Discovery

@Suite("The neighbours of this host")
struct NeighbourTableTests {
    private static let phone: [UInt8] = [2, 0, 0, 0, 0, 9]

    /// An answer of the kernel: `struct nlmsghdr`, then `body`.
    private static func message(kind: UInt16, _ body: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        withUnsafeBytes(of: UInt32(16 + body.count)) { bytes += $0 }
        withUnsafeBytes(of: kind) { bytes += $0 }
        return bytes + [UInt8](repeating: 0, count: 10) + body
    }

    /// An entry of the table, with an attribute that we do not know between those that we do.
    private static func entry(
        _ address: [UInt8], _ linkAddress: [UInt8], state: UInt16 = 2, flags: UInt8 = 0, interface: UInt32 = 3
    ) -> [UInt8] {
        var body: [UInt8] = [UInt8(address.count == 4 ? AF_INET : AF_INET6), 0, 0, 0]
        withUnsafeBytes(of: interface) { body += $0 }
        withUnsafeBytes(of: state) { body += $0 }
        body += [flags, 1]
        body += attribute(1, address) + attribute(8, [1, 2, 3, 4, 5]) + attribute(2, linkAddress)
        return message(kind: 28, body)
    }

    private static func attribute(_ kind: UInt16, _ value: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        withUnsafeBytes(of: UInt16(4 + value.count)) { bytes += $0 }
        withUnsafeBytes(of: kind) { bytes += $0 }
        bytes += value
        return bytes + [UInt8](repeating: 0, count: RouteNetlink.aligned(bytes.count) - bytes.count)
    }

    private static func neighbours(_ datagrams: [UInt8]...) -> [NeighbourTable.Neighbour]? {
        var answer = RouteNetlink.Answer()
        for datagram in datagrams where !answer.take(datagram[...]) { return nil }
        return answer.isComplete ? answer.neighbours : nil
    }

    private static let end = message(kind: 3, [0, 0, 0, 0])

    @Test("are read from as many answers as the kernel gives, of both families")
    func bothFamilies() {
        let (four, six): ([UInt8], [UInt8]) = ([10, 0, 0, 9], [0xfd] + [UInt8](repeating: 9, count: 15))
        let found = Self.neighbours(Self.entry(four, Self.phone) + Self.entry(six, Self.phone, flags: 0x80), Self.end)
        #expect(
            found == [
                .init(address: four, interface: 3, linkAddress: Self.phone),
                .init(address: six, interface: 3, linkAddress: Self.phone, isRouter: true),
            ])
    }

    @Test(
        "are devices that have answered: nobody, everybody and a group are none",
        arguments: [
            entry([10, 0, 0, 9], phone, state: 0x01), entry([10, 0, 0, 9], phone, state: 0x20),
            entry([10, 0, 0, 9], [0, 0, 0, 0, 0, 0]), entry([10, 0, 0, 9], [1, 0, 0x5e, 0, 0, 1]),
            entry([10, 0, 0, 9], []), entry([10, 0, 0], phone), message(kind: 16, phone + [0, 0]),
        ])
    func others(datagram: [UInt8]) {
        #expect(Self.neighbours(datagram + Self.end) == [])
    }

    @Test("are unknown where the kernel says no, or nothing that can be read")
    func errors() {
        #expect(Self.neighbours(Self.message(kind: 2, [0xff, 0xff, 0xff, 0xff])) == nil)
        let whole = Self.entry([10, 0, 0, 9], Self.phone)
        for count in 1..<whole.count { #expect(Self.neighbours(Array(whole.prefix(count)), Self.end) == nil) }
    }

    @Test("are told apart by interface where an address is of one link only")
    func links() {
        let address: [UInt8] = [0xfe, 0x80] + [UInt8](repeating: 0, count: 14)
        let table = NeighbourTable([
            .init(address: address, interface: 1, linkAddress: [2, 0, 0, 0, 0, 1]),
            .init(address: address, interface: 2, linkAddress: [2, 0, 0, 0, 0, 2]),
        ])
        #expect(table.linkAddress(of: address, interface: 2) == [2, 0, 0, 0, 0, 2])
        #expect(table.linkAddress(of: address, interface: 3) == nil)
        #expect(table.linkAddress(of: address) == nil)
    }

    @Test("are not one device because a gateway answers for them")
    func gateway() {
        let table = NeighbourTable(
            [
                .init(address: [10, 0, 0, 1], interface: 1, linkAddress: Self.phone),
                .init(address: [10, 0, 0, 7], interface: 1, linkAddress: Self.phone),
            ], gateways: [[10, 0, 0, 1]])
        #expect(table.linkAddress(of: [10, 0, 0, 7]) == nil)
        #expect(table.linkAddress(of: [10, 0, 0, 1]) == nil)
    }

    @Test("are told by the kernel of this machine")
    func kernel() {
        #expect(NeighbourTable.read() != nil)
    }
}
