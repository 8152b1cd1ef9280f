import Logging
import Synchronization

/// Tells the owner by which names people ask for this host in vain: each name once, and few of them, for anybody may make
/// some up.
final class UnknownNames: Sendable {
    private static let most = 16
    private static let longest = 100
    private let logger: Logger
    private let known = Mutex<Set<String>>([])

    init(logger: Logger) { self.logger = logger }

    func note(_ host: String?) {
        guard let host, (1...Self.longest).contains(host.utf8.count), host.utf8.allSatisfy(Self.isOfName) else {
            return
        }
        let name = host.lowercased()
        let isNew = known.withLock { $0.count < Self.most && $0.insert(name).inserted }
        guard isNew else { return }
        logger.notice(
            "somebody asks for this host by a name that it does not know; hosts in the configuration adds it",
            metadata: ["name": "\(name)"])
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: ".-_:[]".utf8.contains(byte)
        }
    }
}
