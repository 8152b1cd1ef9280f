import Bytes
import Glibc
import Listener

/// The socket file `console.sock` in a data directory, under a path that is short enough for a socket.
final class ConsoleSocket: Sendable {
    static let fileName = "console.sock"
    /// SwiftNIO, which connects to it, refuses longer ones; unix(7) would take 107.
    private static let mostPathBytes = 103

    let path: String
    private let folder: CInt?

    init(dataPath: String) {
        let direct = "\(dataPath)/\(Self.fileName)"
        let isLong = direct.utf8.count > Self.mostPathBytes
        let opened = isLong ? open(dataPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1
        folder = opened >= 0 ? opened : nil
        path = folder.map { "/proc/self/fd/\($0)/\(Self.fileName)" } ?? direct
    }

    deinit {
        if let folder { close(folder) }
    }
}

extension ConsoleSocket {
    var isListenedTo: Bool { UnixSocketFile.isListenedTo(path) }

    /// As the HTTP client takes it: the path of the socket in percent signs, then that of the request.
    func url(_ request: String) -> String {
        "http+unix://\(PercentEncoding.encode(path) { _ in false })\(request)"
    }
}
