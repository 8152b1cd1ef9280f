import Glibc

/// The socket file `console.sock` in a data directory, under a path that is short enough for a socket.
final class ConsoleSocket: Sendable {
    static let fileName = "console.sock"
    /// SwiftNIO, which connects to it, refuses longer ones; unix(7) would take 107.
    private static let mostPathBytes = 103

    let path: String
    private let folder: CInt?

    init(dataPath: String) {
        let direct = "\(dataPath)/\(Self.fileName)"
        let opened = direct.utf8.count > Self.mostPathBytes ? open(dataPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1
        folder = opened >= 0 ? opened : nil
        path = folder.map { "/proc/self/fd/\($0)/\(Self.fileName)" } ?? direct
    }

    deinit {
        if let folder { close(folder) }
    }
}

extension ConsoleSocket {
    /// False when nobody listens: a file that a killed daemon left is one that refuses.
    var isListenedTo: Bool {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(Self.mostPathBytes)) }
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    /// As the HTTP client takes it: the path of the socket in percent signs, then that of the request.
    func url(_ request: String) -> String {
        let escaped = path.utf8.map { byte in
            let digits = String(byte, radix: 16)
            return "%" + (digits.count < 2 ? "0" + digits : digits)
        }
        return "http+unix://\(escaped.joined())\(request)"
    }
}
