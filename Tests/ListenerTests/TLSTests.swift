import ListenerSupport
import NIOCore
import NIOSSL
import Synchronization
import TestSupport
import Testing

@testable import Listener

@Suite("TLS", .timeLimit(.minutes(10)))
struct TLSTests {
    private static let request = "GET /ends HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

    private static func client(_ change: (inout TLSConfiguration) -> Void) -> TLSConfiguration {
        var configuration = RawClient.anyCertificate
        change(&configuration)
        return configuration
    }

    @Test("1.2 and 1.3 are spoken", arguments: [TLSVersion.tlsv12, .tlsv13])
    func versions(version: TLSVersion) async throws {
        try await TestDoor.open { door in
            let configuration = Self.client {
                $0.minimumTLSVersion = version
                $0.maximumTLSVersion = version
            }
            let answer = try await RawClient.exchange(with: door.address, tls: configuration, Self.request)
            #expect(answer.hasSuffix("https 127.0.0.1 127.0.0.1"))
        }
    }

    @Test("Older versions are not", arguments: [TLSVersion.tlsv1, .tlsv11])
    func oldVersions(version: TLSVersion) async throws {
        try await TestDoor.open { door in
            let configuration = Self.client {
                $0.minimumTLSVersion = version
                $0.maximumTLSVersion = version
            }
            let answer = try await RawClient.exchange(with: door.address, tls: configuration, Self.request)
            #expect(answer.isEmpty)
        }
    }

    @Test(
        "Of TLS 1.2 only suites with forward secrecy and authenticated encryption are taken",
        arguments: [
            (NIOTLSCipher.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, true),
            (.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, true),
            (.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, true), (.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA, false),
            (.TLS_RSA_WITH_AES_128_GCM_SHA256, false), (.TLS_RSA_WITH_AES_256_CBC_SHA, false),
        ])
    func suites(suite: NIOTLSCipher, isTaken: Bool) async throws {
        try await TestDoor.open { door in
            let configuration = Self.client {
                $0.maximumTLSVersion = .tlsv12
                $0.cipherSuiteValues = [suite]
            }
            let answer = try await RawClient.exchange(with: door.address, tls: configuration, Self.request)
            #expect(answer.isEmpty != isTaken)
        }
    }

    @Test("HTTP/1.1 is agreed on, also with a client that would rather speak HTTP/2")
    func applicationProtocol() async throws {
        try await TestDoor.open { door in
            let configuration = Self.client { $0.applicationProtocols = ["h2", "http/1.1"] }
            let client = try await RawClient.connect(to: door.address, tls: configuration)
            try await client.send(Self.request)
            #expect(await client.read().hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test(
        "What only looks like TLS is closed",
        arguments: ["\u{16}GET / HTTP/1.1\r\n\r\n", "\u{16}\u{3}\u{1}\u{0}\u{5}garbage that is no hello"])
    func garbage(bytes: String) async throws {
        try await TestDoor.open { door in
            let answer = try await RawClient.exchange(with: door.address, bytes)
            #expect(!answer.contains("HTTP"))
        }
    }

    @Test("A hello that trickles in has the time of a header")
    func trickledHello() async throws {
        var limits = ListenerLimits.unhurried
        limits.headerTime = .milliseconds(300)
        try await TestDoor.open(limits: limits) { door in
            let client = try await RawClient.connect(to: door.address)
            let trickle = Task {
                for byte in [0x16, 0x03, 0x01, 0x02, 0x00] as [UInt8] {
                    try await client.channel.writeAndFlush(ByteBuffer(bytes: [byte]))
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
            await door.events.wait(for: .closedByRule("headerLate"))
            #expect(await client.read().isEmpty)
            trickle.cancel()
        }
    }

    @Test("A handshake that is not followed by a request has the time of a header")
    func silentAfterHandshake() async throws {
        var limits = ListenerLimits.unhurried
        limits.headerTime = .milliseconds(300)
        try await TestDoor.open(limits: limits) { door in
            let client = try await RawClient.connect(to: door.address, tls: RawClient.anyCertificate)
            // On a busy machine the time may end within the handshake.
            try? await client.send("GET / HTTP/1.1\r\n")
            await door.events.wait(for: .closedByRule("headerLate"))
            #expect(await client.read().isEmpty)
        }
    }

    @Test("Without a certificate TLS is closed and plain HTTP is answered", arguments: [true, false])
    func unavailable(hasSource: Bool) async throws {
        let source = hasSource ? TestTLS { _ in .unavailable } : nil
        try await TestDoor.open(tls: source) { door in
            let secure = try await RawClient.exchange(with: door.address, tls: RawClient.anyCertificate, Self.request)
            #expect(secure.isEmpty)
            let plain = try await RawClient.exchange(with: door.address, Self.request)
            #expect(plain.hasSuffix("http 127.0.0.1 127.0.0.1"))
        }
    }

    @Test("The certificate is asked for by the local address, and its making is waited for")
    func later() async throws {
        let gate = Gate()
        let asked = Mutex<[String]>([])
        let source = TestTLS { local in
            asked.withLock { $0.append(local?.ipAddress ?? "") }
            return .later {
                await gate.pass()
                return try TestCertificate.context.get()
            }
        }
        try await TestDoor.open(tls: source) { door in
            async let answer = RawClient.exchange(with: door.address, tls: RawClient.anyCertificate, Self.request)
            // Others are served meanwhile.
            let other = try await RawClient.exchange(with: door.address, Self.request)
            #expect(other.contains("http 127.0.0.1"))
            gate.open()
            #expect(try await answer.hasSuffix("https 127.0.0.1 127.0.0.1"))
            #expect(asked.withLock { $0 } == ["127.0.0.1"])
        }
    }

    @Test("A certificate that cannot be made closes the connection")
    func laterFails() async throws {
        struct Unmakeable: Error {}
        try await TestDoor.open(tls: TestTLS { _ in .later { throw Unmakeable() } }) { door in
            let answer = try await RawClient.exchange(with: door.address, tls: RawClient.anyCertificate, Self.request)
            #expect(answer.isEmpty)
        }
    }

    @Test("A certificate that takes too long has the time of a header, and may still come")
    func laterTooLate() async throws {
        let gate = Gate()
        var limits = ListenerLimits.unhurried
        limits.headerTime = .milliseconds(200)
        let source = TestTLS { _ in
            .later {
                await gate.pass()
                return try TestCertificate.context.get()
            }
        }
        try await TestDoor.open(tls: source, limits: limits) { door in
            let client = try await RawClient.connect(to: door.address, tls: RawClient.anyCertificate)
            await door.events.wait(for: .closedByRule("headerLate"))
            #expect(await client.read().isEmpty)
            gate.open()
        }
    }

    @Test("A client that leaves while its certificate is made leaves nothing behind")
    func leavesWhileWaiting() async throws {
        let gate = Gate()
        let (asked, asking) = AsyncStream.makeStream(of: Void.self)
        let source = TestTLS { _ in
            .later {
                asking.yield()
                await gate.pass()
                return try TestCertificate.context.get()
            }
        }
        try await TestDoor.open(tls: source) { door in
            let client = try await RawClient.connect(to: door.address, tls: RawClient.anyCertificate)
            for await _ in asked { break }
            try await client.reset()
            gate.open()
        }
    }

    @Test("A whole body comes through TLS, and one that is cut off is an error")
    func bodies() async throws {
        try await TestDoor.open { door in
            let body = String(repeating: "x", count: 3_000_000)
            let whole = try await RawClient.exchange(
                with: door.address, tls: RawClient.anyCertificate,
                "PUT /put HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 3000000\r\n\r\n", body)
            #expect(whole.hasSuffix("/put 3000000"))
            _ = try await RawClient.exchange(
                with: door.address, tls: RawClient.anyCertificate,
                "PUT /put HTTP/1.1\r\nHost: h\r\nContent-Length: 3000000\r\n\r\n", "photo", finishes: true)
            await door.events.wait(for: .failed("the connection ended within a request's body"))
        }
    }
}
