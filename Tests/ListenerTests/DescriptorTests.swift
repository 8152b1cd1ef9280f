import Glibc
import NIOCore
import NIOEmbedded
import Testing

@testable import Listener

@Suite("Without descriptors", .timeLimit(.minutes(10)))
struct DescriptorTests {
    private static let request = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"

    /// In a process of its own: no other test is to run out of descriptors.
    @Test(
        "Connections wait while there is no descriptor, health is answered, and all goes on when there are some again")
    func shortage() async {
        await #expect(processExitsWith: .success) {
            do {
                // Whoever has the last descriptor is to give it back soon.
                try await TestDoor.open(limits: ListenerLimits()) { door in
                    // Sockets of this process that will be connected when it has no other descriptor left.
                    let client = try await RawClient.connect(to: door.address)
                    try await client.send(Self.request)
                    _ = await client.read(until: "/a 0")
                    let sockets = (0..<20).map { _ in BlockingSocket() }
                    let fillers = fillDescriptors()
                    for socket in sockets.prefix(3) { try socket.connect(to: door.address) }
                    // With the descriptor kept for this, one after another.
                    try sockets[0].send("GET /health HTTP/1.1\r\nHost: h\r\n\r\n")
                    guard sockets[0].receiveAll().hasPrefix("HTTP/1.1 200 ") else { exit(2) }
                    try sockets[1].send(Self.request)
                    guard sockets[1].receiveAll().hasPrefix("HTTP/1.1 503 ") else { exit(3) }
                    for filler in fillers { Glibc.close(filler) }
                    // Whether the third was accepted before or after, the next is an ordinary one.
                    sockets[2].close()
                    try sockets[3].connect(to: door.address)
                    try sockets[3].send("GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
                    guard sockets[3].receiveAll().hasSuffix("/a 0") else { exit(4) }
                    for (index, socket) in sockets.enumerated() where index != 2 { socket.close() }
                    // The host may have closed it already.
                    try? await client.close()
                }
            } catch let error as IOError {
                // Thrown on, an error would end the process by a signal that says nothing of it.
                exit(100 + error.errnoCode)
            } catch {
                exit(5)
            }
            exit(0)
        }
    }

    @Test("The reserve is spent once, and only on a shortage")
    func reserve() {
        let reserve = DescriptorReserve()
        defer { reserve.close() }
        let shortage = IOError(errnoCode: EMFILE, reason: "accept")
        #expect(!reserve.spend(on: IOError(errnoCode: ECONNABORTED, reason: "accept")))
        #expect(reserve.spend(on: shortage))
        #expect(!reserve.spend(on: shortage))
    }

    @Test("A connection that finds descriptors again is no holder of the last, and the reserve is there again")
    func refilled() {
        let reserve = DescriptorReserve()
        defer { reserve.close() }
        let shortage = IOError(errnoCode: EMFILE, reason: "accept")
        #expect(reserve.spend(on: shortage))
        let channel = EmbeddedChannel()
        reserve.accepted(channel)
        #expect(!reserve.isHeld(by: channel))
        #expect(reserve.spend(on: shortage))
    }
}

/// Opens files until there is no descriptor left.
private func fillDescriptors() -> [CInt] {
    var fillers: [CInt] = []
    while true {
        let filler = open("/dev/null", O_RDONLY)
        guard filler >= 0 else { return fillers }
        fillers.append(filler)
    }
}

/// A client that needs no descriptor but the one it has.
private struct BlockingSocket: Sendable {
    private let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)

    func connect(to address: SocketAddress) throws {
        let result = address.withSockAddr { Glibc.connect(descriptor, $0, socklen_t($1)) }
        if result != 0 { throw IOError(errnoCode: errno, reason: "connect") }
    }

    func send(_ text: String) throws {
        let count = Array(text.utf8).withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, 0) }
        if count < 0 { throw IOError(errnoCode: errno, reason: "send") }
    }

    /// Until the other side closes, or says nothing for long.
    func receiveAll() -> String {
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return String(decoding: received, as: UTF8.self) }
            received += buffer.prefix(count)
        }
    }

    func close() { Glibc.close(descriptor) }
}
