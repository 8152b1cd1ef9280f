import Import
import NIOCore
import Sealing
import Threads

/// One run over a drop folder: each file that is still goes through the door and is read back from the disk of the vaults.
/// Then it is remembered, or deleted where that is asked for. One file at a time; what cannot be sent stays.
final class FolderRun: Sendable {
    private static let pieceByteCount = 256 << 10

    /// What became of one file.
    private enum Outcome {
        case sent
        /// It was sent before, and stays.
        case known
        /// It was sent, and could not be deleted.
        case kept
        /// It is no photo and says nothing of one, or is too large.
        case left
        case unreadable
        /// It changes, or the next run has to look at it for another reason.
        case later
        /// No file can be sent now.
        case held(String)
    }

    /// How a run ended.
    struct Summary: Sendable {
        fileprivate(set) var sent = 0
        fileprivate var kept = 0
        fileprivate var left = 0
        fileprivate var unreadable = 0
        fileprivate var isWhole = true
        fileprivate var reason: String?

        /// For people, without a name; nil while all is well.
        var trouble: String? {
            failure ?? (left == 0 ? nil : "\(Figure.count(left, "file stays", "files stay")) there")
        }

        /// As far as somebody has to do something about it.
        var failure: String? {
            if let reason { return reason }
            if !isWhole { return "not all folders in it can be read" }
            if kept > 0 { return "files cannot be deleted" }
            return unreadable == 0 ? nil : "\(Figure.count(unreadable, "file", "files")) cannot be read"
        }
    }

    private let name: String
    private let folder: DropFolder
    private let taken: TakenFiles
    private let door: DaemonDoor
    private let rest: Duration
    private let removes: Bool
    private let pool: BlockingPool

    /// - Parameters:
    ///   - name: of the folder, under which its files come.
    ///   - rest: as long as that nothing may have happened to a file.
    ///   - removes: whether a file is deleted once it was read back.
    ///   - pool: of one thread.
    init(
        _ folder: DropFolder, name: String, taken: TakenFiles, door: DaemonDoor, rest: Duration, removes: Bool,
        pool: BlockingPool
    ) {
        self.name = name
        self.folder = folder
        self.taken = taken
        self.door = door
        self.rest = rest
        self.removes = removes
        self.pool = pool
    }

    func run() async throws -> Summary {
        var summary = Summary()
        let paths = try await pool.run { [self] in
            let files = folder.files()
            if folder.isWhole { try taken.keep(files) }
            return files.map(\.path)
        }
        for path in paths {
            switch await outcome(of: path) {
            case .sent: summary.sent += 1
            case .kept: summary.kept += 1
            case .left: summary.left += 1
            case .unreadable: summary.unreadable += 1
            case .known, .later: break
            case .held(let reason): summary.reason = reason
            }
            if summary.reason != nil { break }
        }
        summary.isWhole = try await pool.run { [folder] in folder.isWhole }
        return summary
    }

    // MARK: One file

    private func outcome(of path: DropFolder.Path) async -> Outcome {
        do {
            switch try await pool.run({ [self] in folder.look(at: path, rest: rest) }) {
            case .file(let file): return try await send(file)
            case .waits, .none: return .later
            case .unreadable: return .unreadable
            }
        } catch let problem as DaemonProblem {
            return Self.outcome(of: problem)
        } catch is ImportError {
            return .unreadable
        } catch ImportRefusal.all(let reason) {
            return .held(reason)
        } catch is ImportRefusal {
            return .later
        } catch {
            return .held("it fails: \(error)")
        }
    }

    private static func outcome(of problem: DaemonProblem) -> Outcome {
        switch problem.code {
        case "door-shut": .held("the door is shut")
        case "door-expired": .held("the door's last day is over")
        case "door-full": .held("the door is full")
        case "no-such-door": .held("the door is gone")
        case "draining": .held("stopping")
        case "file-too-large", "name-invalid": .left
        // The vault took what had come, and the next run begins anew.
        case "length-mismatch", "session-ended", "no-such-photo", "no-session": .later
        case "disk-full", "vault-full", "guest-full": .held("no room on the disk of the vaults")
        default: .held(problem.code.isEmpty ? problem.title : problem.code)
        }
    }

    private func send(_ file: ArrivingFile) async throws -> Outcome {
        if try await pool.run({ [taken] in try taken.contains(file.path, file.sign) }) {
            return removes ? try await settle(file, nil) : .known
        }
        guard try await pool.run({ try file.isWanted() }) else { return .left }
        if let digest = try await storedDigest(of: file) { return try await settle(file, digest) }
        let pieces = PieceChannel()
        let reading = pool.start { try Self.read(file, into: pieces) }
        let stored: Result<[UInt8]?, any Error>
        do {
            stored = .success(try await door.send(pieces, of: file, path: path(of: file)))
        } catch {
            stored = .failure(error)
        }
        pieces.abandon()
        let digest = try await reading.value()
        guard let readBack = try stored.get(), readBack == digest else {
            return .held("what was stored could not be read back")
        }
        // Not what it was when it was opened: what came is kept, and it comes once more as it is then.
        guard try await pool.run({ file.isUnchanged }) else { return .later }
        return try await settle(file, readBack)
    }

    /// - Returns: the SHA-256 of what was read; nil where nobody took all of it.
    private static func read(_ file: ArrivingFile, into pieces: PieceChannel) throws -> [UInt8]? {
        do {
            var hasher = try SHA256Hasher()
            var offset: UInt64 = 0
            while true {
                var piece = ByteBufferAllocator().buffer(capacity: pieceByteCount)
                let count = try piece.writeWithUnsafeMutableBytes(minimumWritableBytes: pieceByteCount) {
                    try file.read(at: offset, into: $0)
                }
                guard count > 0 else { break }
                try piece.withUnsafeReadableBytes { try hasher.update($0) }
                offset += UInt64(count)
                guard pieces.push(piece) else { return nil }
            }
            pieces.finish()
            return try hasher.finalize()
        } catch {
            pieces.finish(.failure(error))
            return nil
        }
    }

    /// Where it lies, for what lies beside it.
    private func path(of file: ArrivingFile) -> String { "\(name)/\(String(decoding: file.path, as: UTF8.self))" }

    /// It was stored and read back. Where it is to be deleted, what lies there now has to be that very content.
    /// - Parameter digest: of what was stored; nil for the content that is remembered of this path.
    private func settle(_ file: ArrivingFile, _ digest: [UInt8]?) async throws -> Outcome {
        try await pool.run { [self] in
            if removes {
                let removal = try folder.remove(file) {
                    let present = try file.digest()
                    return try digest.map { $0 == present } ?? taken.contains(file.path, content: present)
                }
                switch removal {
                case .done: return .sent
                case .changed:
                    // It comes as the other file that it is.
                    try taken.forget(file.path)
                    return .later
                case .refused: break
                }
            }
            if let digest { try taken.note(file.path, file.sign, content: digest) }
            return removes ? .kept : .sent
        }
    }

    /// The digest of a file whose content need not be sent again: it was sent from here under other times, or before a run
    /// was killed. Nil where neither is known.
    private func storedDigest(of file: ArrivingFile) async throws -> [UInt8]? {
        let isRemembered = try await pool.run { [taken] in try taken.knows(file.path) }
        let mayBeGiven = try await door.has(byteCount: file.sign.byteCount, digest: nil)
        guard isRemembered || mayBeGiven else { return nil }
        let (digest, isTaken, isUnchanged) = try await pool.run { [taken] in
            let digest = try file.digest()
            return (digest, try taken.contains(file.path, content: digest), file.isUnchanged)
        }
        guard isUnchanged else { return nil }
        if isTaken { return digest }
        guard mayBeGiven else { return nil }
        return try await door.has(byteCount: file.sign.byteCount, digest: digest) ? digest : nil
    }
}
