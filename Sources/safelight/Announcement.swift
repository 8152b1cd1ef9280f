import Discovery
import Synchronization
import Vaults

/// Tells the person at the terminal where the page is, once all addresses are listened on.
final class Announcement: Sendable {
    private struct State {
        var listening: [(address: ListenAddress, port: Int)] = []
    }

    private let expected: Int
    private let setupCode: String
    private let settings: Settings
    private let state = Mutex(State())

    init(expected: Int, setupCode: String, settings: Settings) {
        self.expected = expected
        self.setupCode = setupCode
        self.settings = settings
    }

    func listening(on address: ListenAddress, port: Int?) {
        let complete = state.withLock { state -> [(address: ListenAddress, port: Int)]? in
            state.listening.append((address, port ?? address.port))
            return state.listening.count == expected ? state.listening : nil
        }
        if let complete { announce(complete) }
    }

    private func announce(_ listening: [(address: ListenAddress, port: Int)]) {
        var lines: [String] = []
        for (address, port) in listening {
            let hosts =
                address.isWildcard
                ? ["127.0.0.1"]
                    + LocalAddresses.current().filter { address.host == "::" || $0.family == .ipv4 }.map(\.urlHost)
                : [address.host.contains(":") ? "[\(address.host)]" : address.host]
            lines += hosts.map { "http://\($0):\(port)/" }
        }
        let first = lines.first ?? ""
        Terminal.print("Safelight is ready: \(first)")
        for line in lines.dropFirst() { Terminal.print("                and: \(line)") }
        if settings.vaults.registration == .code {
            Terminal.print("To create a vault from another device, its setup code is \(setupCode)")
        }
        Terminal.print(
            "This version speaks plain HTTP: whoever shares the network can read what is sent. Use it on a network that you trust."
        )
    }
}
