import Bytes
import NIOCore
import Testing

@testable import Certificates

@Suite("Names and addresses")
struct NameTests {
    @Test("a connection's local address is that of its socket; a unix socket has none")
    func socketAddresses() throws {
        #expect(IPAddress(try SocketAddress(ipAddress: "::ffff:10.0.0.1", port: 1)) == IPAddress("10.0.0.1"))
        #expect(IPAddress(try SocketAddress(unixDomainSocketPath: "/tmp/socket")) == nil)
    }

    @Test("DNS names are taken in lower case without a last dot")
    func dnsNames() {
        #expect(DNSName("Photos.LOCAL.")?.text == "photos.local")
        #expect(DNSName("my_host-1")?.text == "my_host-1")
    }

    @Test(
        "what no browser would look up is no name",
        arguments: [
            "", ".", "*.local", "a..b", "-a", "a-", "a b", "größe", "192.168.1.300", "a/b",
            String(repeating: "a", count: 64), String(repeating: "abc.", count: 64) + "a",
        ])
    func notDNSNames(text: String) {
        #expect(DNSName(text) == nil)
    }

    @Test("a name lies within itself and the names above it only")
    func within() throws {
        let domain = try #require(DNSName("photos.local"))
        #expect(domain.isWithin(domain))
        #expect(DNSName("www.photos.local")?.isWithin(domain) == true)
        #expect(DNSName("myphotos.local")?.isWithin(domain) == false)
        #expect(DNSName("local")?.isWithin(domain) == false)
    }

    @Test("a host speaks for its names, localhost and its addresses, each once; a configured address counts as one")
    func subjectNames() {
        let names = SubjectNames(
            CertificateNames(
                dnsNames: ["photos", "photos.local", "PHOTOS.local"], configuredNames: ["192.168.1.9", "*.bad"],
                addresses: ["192.168.1.9", "0.0.0.0"]),
            and: [IPAddress("10.1.1.1")].compactMap { $0 })
        #expect(names.dnsNames.map(\.text) == ["photos.local", "localhost"])
        #expect(names.addresses.map(\.description) == ["192.168.1.9", "127.0.0.1", "::1", "10.1.1.1"])
        #expect(names.title?.text == "photos")
    }

    @Test("a host with very many addresses keeps those that a connection asked for")
    func limit() throws {
        let asked = try #require(IPAddress("10.1.1.1"))
        let names = SubjectNames(
            CertificateNames(dnsNames: [], addresses: (0..<200).map { "10.0.0.\($0)" }), and: [asked])
        #expect(names.addresses.count == SubjectNames.limit)
        #expect(names.contains(asked))
    }
}
