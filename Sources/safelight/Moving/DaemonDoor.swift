import Bytes
import FoundationEssentials
import Import
import Records
import Synchronization
import Web

/// A door of the daemon that runs, for whoever has its code.
final class DaemonDoor: Sendable {
    private let daemon: DaemonClient
    private let code: DoorToken
    /// Of the session of today; nil before it begins.
    private let token = Mutex<String?>(nil)

    init(_ daemon: DaemonClient, code: DoorToken) {
        self.daemon = daemon
        self.code = code
    }

    /// Whether a file of this content lies at the door, read back from disk just now.
    /// - Parameter digest: its SHA-256; nil to ask whether one of this length may lie there, or was taken from there lately.
    /// - Throws: `DaemonProblem`, `ImportRefusal.all`.
    func has(byteCount: UInt64, digest: [UInt8]?) async throws -> Bool {
        let question = ImportPayload.DropQuestion(size: byteCount, sha256: digest)
        return try await authorized { authorization in
            try await daemon.ask(
                .POST, "/import/door/find", authorization, ImportPayload.DropAnswer.self, question
            ).isGiven
        }
    }

    /// - Parameter path: where the file lies, folders and name.
    /// - Returns: SHA-256 of what was read back from disk; nil where it is not what came.
    /// - Throws: as `has`; `ImportRefusal.file`, and what the pieces end with.
    func send(_ pieces: PieceChannel, of file: ArrivingFile, path: String) async throws -> [UInt8]? {
        let query = [
            "modified=\(file.sign.modifiedAt / 1_000_000)", "path=\(DaemonClient.escaped(path))",
        ]
        let stored = try await daemon.send(
            pieces, ofByteCount: file.sign.byteCount, to: "/import/door/photos/\(DaemonClient.escaped(file.name))",
            query,
            "Bearer \(token.withLock { $0 } ?? "")", ImportPayload.Dropped.self)
        return stored.sha256.flatMap(Hexadecimal.decode)
    }

    /// A session ends with its day, and when the vault takes what came by it; then the next one begins.
    private func authorized<R: Sendable>(_ body: (String) async throws -> R) async throws -> R {
        if let token = token.withLock({ $0 }) {
            do {
                return try await body("Bearer \(token)")
            } catch let problem as DaemonProblem where problem.status == 401 {
                // It is over.
            }
        }
        // The heap of this program is wiped as it is freed.
        let credentials = Data(":\(try code.code())".utf8).base64EncodedString()
        let session = try await daemon.ask(
            .POST, "/import/door", "Basic \(credentials)", ImportPayload.Session.self)
        token.withLock { $0 = session.token }
        return try await body("Bearer \(session.token)")
    }
}
