import Foundation
import Glibc
import NIOCore
import NIOSSL
import Testing

@testable import Listener

@Suite("One door for all", .timeLimit(.minutes(10)))
struct ListenerTests {
    private static let request = "GET /ends HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

    @Test("One port answers HTTP and HTTPS, and each request knows which it came by")
    func bothProtocols() async throws {
        try await TestDoor.open { door in
            let plain = try await RawClient.exchange(with: door.address, Self.request)
            #expect(plain.hasSuffix("\r\n\r\nhttp 127.0.0.1 127.0.0.1"))
            let secure = try await RawClient.exchange(
                with: door.address, tls: RawClient.anyCertificate, Self.request)
            #expect(secure.hasSuffix("\r\n\r\nhttps 127.0.0.1 127.0.0.1"))
        }
    }

    @Test("An IPv6 address is listened on, and :: takes IPv4 too", arguments: ["::1", "::"])
    func ipv6(host: String) async throws {
        try await TestDoor.open(at: .tcp(host: host, port: 0)) { door in
            let six = try SocketAddress(ipAddress: "::1", port: door.port)
            #expect(try await RawClient.exchange(with: six, Self.request).hasSuffix("http ::1 ::1"))
            guard host == "::" else { return }
            let four = try SocketAddress(ipAddress: "127.0.0.1", port: door.port)
            let answer = try await RawClient.exchange(with: four, tls: RawClient.anyCertificate, Self.request)
            #expect(answer.hasSuffix("https ::ffff:127.0.0.1 ::ffff:127.0.0.1"))
        }
    }

    @Test("A name is listened on")
    func name() async throws {
        try await TestDoor.open(at: .tcp(host: "localhost", port: 0)) { door in
            let answer = try await RawClient.exchange(with: door.address, Self.request)
            #expect(answer.contains("\r\n\r\nhttp "))
        }
    }

    @Test("A socket file is made for owner and group, answers, and is gone at the end")
    func socketFile() async throws {
        let path = "/tmp/safelight-\(UInt64.random(in: 0 ... .max))"
        try await TestDoor.open(at: .unix(path: path)) { door in
            var status = stat()
            #expect(lstat(path, &status) == 0 && status.st_mode & 0o7777 == 0o660)
            let address = try SocketAddress(unixDomainSocketPath: path)
            #expect(try await RawClient.exchange(with: address, Self.request).hasSuffix("http file file"))
            #expect(door.limiter.strangerCount == 0)
        }
        #expect(access(path, F_OK) != 0)
    }

    @Test("A socket file that nobody answers on is replaced, one that somebody answers on is not")
    func staleSocketFile() async throws {
        let path = "/tmp/safelight-\(UInt64.random(in: 0 ... .max))"
        let stale = try UnixSocketFile.listen(path: path, isPrivate: false, backlog: 1)
        Glibc.close(stale.descriptor)
        try await TestDoor.open(at: .unix(path: path)) { _ in
            await #expect(throws: ListenerError.self) { try await TestDoor.open(at: .unix(path: path)) { _ in } }
            let address = try SocketAddress(unixDomainSocketPath: path)
            #expect(try await RawClient.exchange(with: address, Self.request).hasSuffix("http file file"))
        }
    }

    @Test("A file that is no socket is left alone")
    func otherFile() async throws {
        let path = "/tmp/safelight-\(UInt64.random(in: 0 ... .max))"
        try Data("photos".utf8).write(to: URL(filePath: path))
        defer { unlink(path) }
        await #expect(throws: ListenerError.self) { try await TestDoor.open(at: .unix(path: path)) { _ in } }
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("photos".utf8))
    }

    @Test("A socket file that another process has made of this name meanwhile is not removed")
    func othersSocketFile() throws {
        let path = "/tmp/safelight-\(UInt64.random(in: 0 ... .max))"
        defer { unlink(path) }
        let ours = try UnixSocketFile.listen(path: path, isPrivate: false, backlog: 1)
        // Still open, so that its inode is not used again.
        #expect(rename(path, path + "-moved") == 0)
        defer { unlink(path + "-moved") }
        let others = try UnixSocketFile.listen(path: path, isPrivate: false, backlog: 1)
        ours.file.remove()
        #expect(access(path, F_OK) == 0)
        others.file.remove()
        #expect(access(path, F_OK) != 0)
        for descriptor in [ours.descriptor, others.descriptor] { Glibc.close(descriptor) }
    }

    @Test("A socket that is open already is listened on")
    func inherited() async throws {
        let path = "/tmp/safelight-\(UInt64.random(in: 0 ... .max))"
        defer { unlink(path) }
        let (_, descriptor) = try UnixSocketFile.listen(path: path, isPrivate: false, backlog: 1)
        try await TestDoor.open(at: .inherited(descriptor: descriptor)) { _ in
            let address = try SocketAddress(unixDomainSocketPath: path)
            #expect(try await RawClient.exchange(with: address, Self.request).hasSuffix("http file file"))
        }
        // Whoever made it removes it.
        #expect(access(path, F_OK) == 0)
    }

    @Test("A TCP socket that is open already is listened on, bound or listening", arguments: [true, false])
    func inheritedTCP(listens: Bool) async throws {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        try SocketAddress(ipAddress: "127.0.0.1", port: 0).withSockAddr { address, size in
            #expect(bind(descriptor, address, socklen_t(size)) == 0)
        }
        if listens { #expect(listen(descriptor, 1) == 0) }
        try await TestDoor.open(at: .inherited(descriptor: descriptor)) { door in
            let answer = try await RawClient.exchange(with: door.address, Self.request)
            #expect(answer.hasSuffix("http 127.0.0.1 127.0.0.1"))
        }
    }

    @Test("A descriptor that is no socket to listen on is refused")
    func badDescriptors() async throws {
        let file = open("/dev/null", O_RDONLY)
        let datagrams = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
        defer {
            Glibc.close(file)
            Glibc.close(datagrams)
        }
        for descriptor in [file, datagrams, 9999] {
            await #expect(throws: ListenerError.self) {
                try await TestDoor.open(at: .inherited(descriptor: descriptor)) { _ in }
            }
        }
    }

    @Test("What cannot be listened on is said")
    func cannotListen() async throws {
        try await TestDoor.open { door in
            for endpoint in [
                Endpoint.tcp(host: "127.0.0.1", port: door.port), .tcp(host: "192.0.2.1", port: 0),
                .tcp(host: "no.such.host.invalid", port: 0), .unix(path: "/no/such/folder/socket"),
                .unix(path: String(repeating: "x", count: 200)),
            ] {
                await #expect(throws: ListenerError.self) { try await TestDoor.open(at: endpoint) { _ in } }
            }
            let taken = await #expect(throws: ListenerError.self) {
                try await TestDoor.open(at: .tcp(host: "127.0.0.1", port: door.port)) { _ in }
            }
            #expect(taken?.description == "cannot listen on 127.0.0.1:\(door.port): Address already in use")
        }
    }
}
