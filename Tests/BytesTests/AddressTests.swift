import Bytes
import Testing

@Suite("Addresses and networks")
struct AddressTests {
    @Test(
        "addresses are read in every spelling",
        arguments: [
            ("192.168.1.2", "192.168.1.2"), ("::ffff:192.168.1.2", "192.168.1.2"), ("[fd00::1]", "fd00::1"),
            ("fe80::1%eth0", "fe80::1"), ("2001:DB8:0:0::1", "2001:db8::1"),
        ])
    func addresses(text: String, canonical: String) {
        #expect(IPAddress(text)?.description == canonical)
    }

    @Test("what is no address is none", arguments: ["", "photos", "1.2.3", "256.1.1.1", "[::1", "1.2.3.4/24", "::g"])
    func notAddresses(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(
        "an IPv4 address has four numbers of one form",
        arguments: [
            "", ".", "1", "1.2.3", "1.2.3.", ".1.2.3", "1..2.3", "1.2.3.4.", "1.2.3.4.5", "256.1.1.1", "1.1.1.300",
            "1.1.1.1000", "01.1.1.1", "1.1.1.00", "1.1.1.-1", "1.1.1.+1", "1.1.1.1 ", "1.1.1.x", "١.1.1.1",
        ])
    func otherForms(text: String) {
        #expect(IPAddress(ipv4: text) == nil)
    }

    @Test("every number of an IPv4 address is read")
    func everyNumber() {
        for number in UInt8.min...UInt8.max {
            #expect(IPAddress(ipv4: "\(number).0.255.\(number)") == .ipv4(number, 0, 255, number))
        }
    }

    @Test(
        "networks hold what shares their first bits",
        arguments: [
            ("10.0.0.0", 8, "10.255.1.1", true), ("10.0.0.0", 8, "11.0.0.1", false),
            ("172.16.0.0", 12, "172.31.0.1", true), ("172.16.0.0", 12, "172.32.0.1", false),
            ("100.64.0.0", 10, "100.127.255.255", true), ("100.64.0.0", 10, "100.128.0.0", false),
            ("fc00::", 7, "fdff::1", true), ("fc00::", 7, "fe00::1", false), ("::1", 128, "::2", false),
            ("10.0.0.0", 8, "::10.0.0.1", false),
        ])
    func networks(base: String, length: Int, address: String, isInside: Bool) throws {
        let network = IPNetwork(try #require(IPAddress(base)), prefixLength: length)
        #expect(network.contains(try #require(IPAddress(address))) == isInside)
        #expect(IPNetwork(constraint: network.constraint) == network)
    }

    @Test("networks end where their bits end")
    func ends() throws {
        let network = try #require(IPNetwork("192.168.16.0/20"))
        #expect(network.contains(.ipv4(192, 168, 31, 255)))
        #expect(!network.contains(.ipv4(192, 168, 32, 0)))
        #expect(try #require(IPNetwork("fd00::/8")).contains(IPAddress(high: 0xfd07_0707_0707_0707, low: 7)))
    }

    @Test("an address is its bytes, and IPv4 in IPv6's clothes is IPv4")
    func bytes() throws {
        let four: [UInt8] = [192, 168, 1, 20]
        #expect(try #require(IPAddress(bytes: four)).bytes == four)
        #expect(IPAddress(bytes: [UInt8](repeating: 0, count: 10) + [0xff, 0xff] + four) == IPAddress(bytes: four))
        let six: [UInt8] = Array(1...16)
        #expect(try #require(IPAddress(bytes: six)).bytes == six)
        for count in [0, 3, 5, 15, 17] { #expect(IPAddress(bytes: [UInt8](repeating: 1, count: count)) == nil) }
    }

    @Test(
        "a network of every length holds its own first address and not the one that differs in its last bit",
        arguments: ["255.255.255.255", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"])
    func lengths(text: String) throws {
        let address = try #require(IPAddress(text))
        for length in 1...address.bytes.count * 8 {
            let network = IPNetwork(address, prefixLength: length)
            var bytes = address.bytes
            #expect(network.contains(address) && IPNetwork(constraint: network.constraint) == network)
            bytes[(length - 1) / 8] ^= 1 << UInt8(7 - (length - 1) % 8)
            #expect(!network.contains(try #require(IPAddress(bytes: bytes))), "\(length)")
        }
    }

    @Test(
        "what is no address or network is refused", arguments: ["10.0.0.0/33", "10.0.0.0/", "10.0.0/8", "::/129", "x"])
    func refused(text: String) {
        #expect(IPNetwork(text) == nil)
    }
}
