import Listener
import Testing

@testable import Web

/// What a real connection tells the routes about itself.
@Suite struct ListeningTests {
    private static let hello = "GET /api/hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

    @Test("One port answers both; encrypted is what came through TLS")
    func scheme() async throws {
        try await WebHost.run { host in
            try await host.listening { port in
                let plain = try await RawConnection.exchange(port: port, [Self.hello])
                #expect(plain.contains("\"secure\":false"))
                let secure = try await RawConnection.exchange(.tls(port: port), [Self.hello])
                #expect(secure.contains("\"secure\":true"))
            }
        }
    }

    @Test("A target that claims https encrypts nothing, and one that claims http takes nothing away")
    func claimedScheme() async throws {
        try await WebHost.run { host in
            try await host.listening { port in
                let claimsHTTPS = Self.hello.replacing("GET /", with: "GET https://localhost/")
                let plain = try await RawConnection.exchange(port: port, [claimsHTTPS])
                #expect(plain.contains("\"secure\":false"))
                let claimsHTTP = Self.hello.replacing("GET /", with: "GET http://localhost/")
                let secure = try await RawConnection.exchange(.tls(port: port), [claimsHTTP])
                #expect(secure.contains("\"secure\":true"))
            }
        }
    }

    @Test("Over a unix socket one sits at the host itself")
    func unix() async throws {
        try await WebHost.run { host in
            let path = host.folder + "/s"
            try await host.listening(on: .unix(path: path)) { _ in
                let request = Self.hello.replacing("/api/hello", with: "/api/addresses")
                let answer = try await RawConnection.exchange(.unix(path: path), [request])
                #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains("darkroom.local"), "\(answer)")
            }
        }
    }

    @Test("IPv4 to a socket for both families is IPv4", arguments: ["127.0.0.1", "::1"])
    func bothFamilies(address: String) async throws {
        try await WebHost.run { host in
            try await host.listening(on: .tcp(host: "::", port: 0)) { port in
                let name = address.contains(":") ? "[\(address)]" : address
                let request = Self.hello.replacing("localhost", with: "\(name):\(port)").replacing(
                    "hello", with: "addresses")
                let answer = try await RawConnection.exchange(.tcp(host: address, port: port), [request])
                #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
            }
        }
    }

    @Test("An answer to HEAD has no body, whatever it says", arguments: ["/", "/api/photos", "/nothing", "/api/hello"])
    func head(uri: String) async throws {
        try await WebHost.run { host in
            try await host.listening { port in
                let request = Self.hello.replacing("GET /api/hello", with: "HEAD \(uri)")
                let answer = try await RawConnection.exchange(port: port, [request])
                #expect(answer.hasSuffix("\r\n\r\n"), "\(answer)")
            }
        }
    }

    @Test("An upgrade is named in Connection too, also where the connection ends")
    func upgrade() async throws {
        try await WebHost.run { host in
            try await host.listening { port in
                let request = Self.hello.replacing("/api/hello", with: "/connect/secure")
                let answer = try await RawConnection.exchange(port: port, [request])
                #expect(answer.hasPrefix("HTTP/1.1 426 ") && answer.contains("Upgrade: TLS/1.3\r\n"))
                #expect(answer.contains("Connection: Upgrade, close\r\n"))
            }
        }
    }
}
