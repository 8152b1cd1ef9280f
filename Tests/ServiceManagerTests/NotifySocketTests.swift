import Foundation
import Glibc
import Testing

@testable import ServiceManager

@Suite("Notices to the service manager")
struct NotifySocketTests {
    @Test("arrive as one datagram, at a path and at an abstract name", arguments: [false, true])
    func arrive(isAbstract: Bool) throws {
        let manager = try Manager(isAbstract: isAbstract)
        let socket = try #require(NotifySocket(manager.name))
        #expect(socket.send([.ready, .status("Serving.")]) == 0)
        #expect(socket.send([.stopping]) == 0)
        #expect(manager.receive() == "READY=1\nSTATUS=Serving.")
        #expect(manager.receive() == "STOPPING=1")
    }

    @Test("say what sd_notify says")
    func words() {
        #expect(ServiceNotice.alive.text == "WATCHDOG=1")
        #expect(ServiceNotice.reloading(microseconds: 4711).text == "RELOADING=1\nMONOTONIC_USEC=4711")
    }

    @Test("cannot be forged by what stands in a status")
    func statusIsOneLine() {
        #expect(ServiceNotice.status("a\nSTOPPING=1\r\nb").text == "STATUS=a STOPPING=1 b")
    }

    @Test("tell the error when nobody listens")
    func nobodyListens() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let socket = try #require(NotifySocket(folder.path))
        #expect(socket.send([.ready]) == ENOENT)
    }

    @Test(
        "go to no address that the kernel would not take",
        arguments: ["", "/", "@", "relative", "vsock:2:1234", "/" + String(repeating: "a", count: 108)])
    func addresses(text: String) {
        #expect(NotifySocket(text) == nil)
    }
}

@Suite("What the service manager says by the environment")
struct ServiceEnvironmentTests {
    private func environment(_ variables: [String: String]) -> ServiceEnvironment {
        ServiceEnvironment(variables, processID: 4711)
    }

    @Test("is the watchdog's interval, for the process that it is meant for")
    func watchdog() {
        let asked = ["NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": "60000000"]
        #expect(environment(asked).watchdog == .seconds(60))
        #expect(environment(asked.merging(["WATCHDOG_PID": "4711"]) { $1 }).watchdog == .seconds(60))
        #expect(environment(asked.merging(["WATCHDOG_PID": "4712"]) { $1 }).watchdog == nil)
    }

    @Test(
        "is no watchdog without an interval that makes sense, or without a socket", arguments: ["", "0", "-1", "soon"])
    func noWatchdog(text: String) {
        #expect(environment(["NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": text]).watchdog == nil)
        #expect(environment(["WATCHDOG_USEC": "60000000"]).watchdog == nil)
    }

    @Test("is where it may be remembered what has to outlive the data directory's disk")
    func stateFolder() {
        let home = ["HOME": "/home/anna"]
        #expect(environment(home).stateFolder == "/home/anna/.local/state/safelight")
        #expect(environment(home.merging(["XDG_STATE_HOME": "/state"]) { $1 }).stateFolder == "/state/safelight")
        let service = home.merging(["STATE_DIRECTORY": "/var/lib/safelight:/var/lib/other"]) { $1 }
        #expect(environment(service).stateFolder == "/var/lib/safelight")
        #expect(environment(["HOME": "here"]).stateFolder == nil)
    }

    @Test("is where credentials lie; those that were not given are none")
    func credentials() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("secret".utf8).write(to: folder.appending(path: "safelight.pepper"))
        let credentials = environment(["CREDENTIALS_DIRECTORY": folder.path]).credentials
        #expect(credentials.path(of: "safelight.pepper") == folder.path + "/safelight.pepper")
        #expect(credentials.path(of: "safelight.tls-key") == nil)
        #expect(environment([:]).credentials.path(of: "safelight.pepper") == nil)
    }
}

@Suite("Signs of life")
struct HeartbeatTests {
    private let heartbeat = Heartbeat(watchdog: .seconds(60))

    @Test("come three times in the watchdog's interval when probes are quick")
    func quickProbes() {
        #expect(heartbeat.pause(afterProbeOf: .zero) == .seconds(20))
        #expect(heartbeat.pause(afterProbeOf: .seconds(5)) == .seconds(15))
    }

    @Test("come in time as long as a probe takes less than most of the interval, and a slow disk gets some rest")
    func slowProbes() {
        #expect(heartbeat.pause(afterProbeOf: .seconds(54)) == .seconds(5))
        #expect(heartbeat.pause(afterProbeOf: .seconds(54)) + .seconds(54) < .seconds(60))
    }
}

/// The service manager's end: a real datagram socket.
private final class Manager {
    let name: String
    private let descriptor: CInt

    init(isAbstract: Bool) throws {
        let unique = "safelight-notify-\(UUID().uuidString)"
        name = isAbstract ? "@" + unique : FileManager.default.temporaryDirectory.appending(path: unique).path
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array((isAbstract ? "\0" + unique : name).utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let bound = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        try #require(bound == 0)
    }

    deinit {
        close(descriptor)
        if name.hasPrefix("/") { unlink(name) }
    }

    func receive() -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, CInt(MSG_DONTWAIT))
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
