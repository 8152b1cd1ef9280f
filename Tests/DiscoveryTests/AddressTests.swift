import Bytes
import Testing

@testable import Discovery

@Suite("Addresses of this host")
struct AddressTests {
    private static func address(_ bytes: [UInt8], _ interface: String = "wlan0") throws -> LocalAddress {
        LocalAddress(try #require(IPAddress(bytes: bytes)), interface: interface)
    }

    @Test("are written in numbers, IPv6 in brackets where it stands in a URL")
    func text() throws {
        let four = try Self.address([192, 168, 1, 20])
        #expect(four.text == "192.168.1.20")
        #expect(four.urlHost == "192.168.1.20")
        let six = try Self.address([0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [0x20])
        #expect(six.text == "2001:db8::20")
        #expect(six.urlHost == "[2001:db8::20]")
    }

    @Test("need a zone exactly where they are link-local IPv6")
    func zones() throws {
        let rest = [UInt8](repeating: 0, count: 14)
        #expect(try Self.address([0xFE, 0x80] + rest).needsZone)
        #expect(try Self.address([0xFE, 0xBF] + rest).needsZone)
        #expect(try !Self.address([0xFE, 0xC0] + rest).needsZone)
        #expect(try !Self.address([0xFD, 0x80] + rest).needsZone)
        #expect(try !Self.address([169, 254, 1, 1]).needsZone)
    }

    @Test("come with the likeliest first: the default route's, others, bridges of containers; IPv4 before IPv6")
    func order() throws {
        let six = [0xFD] + [UInt8](repeating: 0, count: 14) + [7]
        let addresses = [
            try Self.address([172, 17, 0, 1], "docker0"), try Self.address(six, "wlan0"),
            try Self.address([10, 0, 0, 4], "eth1"), try Self.address([192, 168, 1, 20], "wlan0"),
            try Self.address([192, 168, 122, 1], "virbr0"),
        ]
        #expect(
            LocalAddresses.sorted(addresses, defaultInterface: "wlan0").map(\.text)
                == ["192.168.1.20", "10.0.0.4", "172.17.0.1", "192.168.122.1", "fd00::7"])
        #expect(LocalAddresses.sorted(addresses, defaultInterface: nil).first?.text == "10.0.0.4")
    }

    @Test("are read from the kernel without loopback and without zones")
    func current() {
        for address in LocalAddresses.current() {
            #expect(address.text != "::1" && !address.text.hasPrefix("127."))
            #expect(!address.needsZone)
            #expect(!address.interface.isEmpty)
        }
    }
}

@Suite("Names of this host")
struct HostNamesTests {
    @Test("are lower case, each once, with .local after the first label")
    func names() {
        let names = HostNames(
            hostname: "Tower.lan", configured: ["Photos.Example.org.", "localhost"], addresses: [])
        #expect(names.hostname == "tower.lan")
        #expect(names.dotLocal == "tower.local")
        #expect(names.names == ["localhost", "tower.lan", "tower.local", "photos.example.org"])
    }

    @Test("are only localhost for a host without a name", arguments: [nil, "", "localhost"])
    func nameless(hostname: String?) {
        let names = HostNames(hostname: hostname, configured: [], addresses: [])
        #expect(names.hostname == nil)
        #expect(names.dotLocal == nil)
        #expect(names.names == ["localhost"])
    }
}

@Suite("What to type on another device")
struct PageAddressesTests {
    private let names: HostNames

    init() {
        let four = LocalAddress(.ipv4(192, 168, 1, 20), interface: "wlan0")
        let six = LocalAddress(IPAddress(high: 0xfd << 56, low: 7), interface: "wlan0")
        names = HostNames(hostname: "tower", configured: ["nas.home"], addresses: [four, six])
    }

    private func urls(
        _ scope: OpenPort.Scope, dotLocal: Bool = true, own: Bool = false
    ) -> [String] {
        PageAddresses(
            ports: [OpenPort(scope: scope, port: 8080)], names: names, isDotLocalAnswered: dotLocal,
            isCertificateOwn: own
        ).urls
    }

    @Test("is the name of multicast DNS first, then configured names, then numbers")
    func order() {
        #expect(
            urls(.everyAddress(withIPv6: true)) == [
                "http://tower.local:8080/", "http://nas.home:8080/", "http://192.168.1.20:8080/",
                "http://[fd00::7]:8080/",
            ])
    }

    @Test("has no .local where nothing answers it, and no IPv6 where it is not listened on")
    func leftOut() {
        #expect(
            urls(.everyAddress(withIPv6: false), dotLocal: false)
                == ["http://nas.home:8080/", "http://192.168.1.20:8080/"])
    }

    @Test("leads with the names of the owner's own certificate, at https")
    func ownCertificate() {
        #expect(
            urls(.everyAddress(withIPv6: false), own: true) == [
                "https://nas.home:8080/", "https://tower.local:8080/", "https://192.168.1.20:8080/",
            ])
    }

    @Test("is the one address that is listened on, and nothing for loopback")
    func oneAddress() {
        #expect(urls(.one("192.168.1.20")) == ["http://192.168.1.20:8080/"])
        #expect(urls(.thisHost).isEmpty)
    }

    @Test("leaves out the bridges of containers, which no other device reaches")
    func bridges() throws {
        let bridge = LocalAddress(.ipv4(172, 17, 0, 1), interface: "docker0")
        let addresses = PageAddresses(
            ports: [OpenPort(scope: .everyAddress(withIPv6: true), port: 8080)],
            names: HostNames(hostname: nil, configured: [], addresses: [bridge]), isDotLocalAnswered: false,
            isCertificateOwn: false)
        #expect(addresses.urls.isEmpty)
    }

    @Test("names an address once, however many sockets it has")
    func once() {
        let open = OpenPort(scope: .one("192.168.1.20"), port: 8080)
        let twice = PageAddresses(
            ports: [open, open], names: names, isDotLocalAnswered: false, isCertificateOwn: false)
        #expect(twice.urls == ["http://192.168.1.20:8080/"])
    }
}
