import Bytes
import Testing

@testable import Records
@testable import Web

@Suite("Proxies whose word is believed")
struct TrustedProxiesTests {
    private let proxy = ClientAddress.ip(.ipv4(127, 0, 0, 1))
    private let phone = ClientAddress.ip(.ipv4(192, 168, 1, 30))

    private func origin(
        from peer: ClientAddress, for forwarded: [String], by scheme: [String] = [], isSecure: Bool = false,
        proxies: [String] = ["127.0.0.1", "10.0.0.0/8"]
    ) throws -> TrustedProxies.RequestOrigin {
        try #require(TrustedProxies(proxies))
            .origin(peer: peer, isSecure: isSecure, forwardedFor: forwarded, forwardedProtocol: scheme)
    }

    @Test("say who their client is and whether it came by HTTPS")
    func believed() throws {
        #expect(
            try origin(from: proxy, for: ["192.168.1.30"], by: ["https"]) == .init(client: phone, isSecure: true))
        #expect(
            try origin(from: proxy, for: ["192.168.1.30"], by: ["http"], isSecure: true)
                == .init(client: phone, isSecure: false))
    }

    @Test("nobody else is believed; who says to be at https is told what is missing instead of being led there")
    func strangers() throws {
        #expect(
            try origin(from: phone, for: ["127.0.0.1"], by: ["https"])
                == .init(client: phone, isSecure: false, gap: .proxyNotNamed))
        #expect(
            try origin(from: phone, for: ["127.0.0.1"], by: ["http"]) == .init(client: phone, isSecure: false))
    }

    @Test("what the client itself wrote in front is not believed", arguments: ["127.0.0.1", "10.1.1.1", "garbage", ""])
    func forged(text: String) throws {
        #expect(try origin(from: proxy, for: ["\(text), 192.168.1.30"]).client == phone)
        #expect(try origin(from: proxy, for: [text, "192.168.1.30"]).client == phone)
        #expect(try origin(from: proxy, for: ["\(text), 192.168.1.30, 10.1.1.1"]).client == phone)
    }

    @Test(
        "who stays unknown is never taken for this host",
        arguments: [[], [""], ["unknown"], ["127.0.0.1"], ["10.1.1.1"], ["::1"], ["192.168.1.30, garbage"]])
    func unknown(forwarded: [String]) throws {
        let client = try origin(from: proxy, for: forwarded).client
        #expect(client == .unknown)
        #expect(!client.isLoopback)
    }

    @Test(
        "addresses come in every form that proxies write",
        arguments: [
            "192.168.1.30", "192.168.1.30:50123", "::ffff:192.168.1.30", "[::ffff:192.168.1.30]:50123",
            "\t192.168.1.30 ",
        ])
    func forms(text: String) throws {
        #expect(try origin(from: proxy, for: [text]).client == phone)
    }

    @Test("whoever connects to a socket file is one only where that is said")
    func socketFiles() throws {
        #expect(try origin(from: .unixSocket, for: ["192.168.1.30"]).client == .unixSocket)
        #expect(try origin(from: .unixSocket, for: ["192.168.1.30"], proxies: ["unix"]).client == phone)
    }

    @Test(
        "what is no address or network is refused",
        arguments: ["proxy", "10.0.0.0/33", "10.0.0.0/", "10.0.0/8", "::/129"])
    func refused(text: String) {
        #expect(TrustedProxies([text]) == nil)
    }
}
