import Foundation
import Import
import Logging
import NIOCore
import Records
import Sealing
import Synchronization
import Threads
import Vaults

/// One watched folder: each file that is complete goes through the door, is read back from the disk of the vaults, and
/// is then remembered, or deleted where that is asked for. One file at a time; what cannot be taken stays.
final class InboxRun: Sendable {
    private static let pieceByteCount = 256 << 10
    /// After what no event tells the end of: a disk that is full, a folder whose disk is not mounted.
    private static let pause: Duration = .seconds(60)
    private static let isNotWhole = "not all folders in it can be read"

    /// What became of one file.
    private enum Outcome: Equatable {
        case taken
        /// It was, and could not be deleted.
        case kept
        /// It stays, and is looked at again when it changes.
        case left
        /// As it stays, but for now.
        case unreadable
        case again
        case held(WatchedFolder.Hold, reason: String)
    }

    private enum Stay {
        /// It is none that is taken, until it changes.
        case left
        case unreadable
        /// It was taken, and could not be deleted.
        case kept
    }

    private struct State {
        var isStopping = false
        var trouble: String?
        var isWhole = true
        /// Files that lie there still, and why, as they were looked at last.
        var staying: [SettlingFiles.Path: Stay] = [:]

        func count(_ why: Stay) -> Int { staying.values.count { $0 == why } }
    }

    let settings: InboxSettings
    private let door: DoorToken
    private let service: VaultService
    private let taken: TakenFiles
    private let waker: Waker
    private let logger: Logger
    private let pool = BlockingPool(name: "inbox", threads: 1)
    private let session = Mutex<Session?>(nil)
    private let state = Mutex(State())

    init(
        _ settings: InboxSettings, door: DoorToken, service: VaultService, taken: TakenFiles, logger: Logger
    ) throws {
        self.settings = settings
        self.door = door
        self.service = service
        self.taken = taken
        self.logger = logger
        waker = try Waker()
    }

    /// A door may be open again.
    func wake() { waker.wake() }

    func stop() {
        state.withLock { $0.isStopping = true }
        waker.wake()
    }

    /// For people, without a name; nil while all is well.
    var trouble: String? {
        state.withLock { state in
            if let trouble = state.trouble { return trouble }
            if !state.isWhole { return Self.isNotWhole }
            if state.count(.kept) > 0 { return "files cannot be deleted" }
            let (unreadable, left) = (state.count(.unreadable), state.count(.left))
            if unreadable > 0 { return "\(Figure.count(unreadable, "file", "files")) cannot be read" }
            return left == 0 ? nil : "\(Figure.count(left, "file stays", "files stay")) there"
        }
    }

    func run() async {
        while !isStopping {
            do {
                try await serve(try await opened())
            } catch {
                note(trouble: "the folder is not there", "\(error)")
                let deadline = ContinuousClock.now + Self.pause
                try? await pool.run { [waker] in waker.wait(until: deadline) }
            }
        }
        await pool.shutdown()
    }

    private var isStopping: Bool { state.withLock { $0.isStopping } }

    private func opened() async throws -> WatchedFolder {
        forget([], isFolder: true)
        state.withLock { $0.isWhole = true }
        return try await pool.run { [self] in
            let folder = try WatchedFolder(path: settings.path, waker: waker) { [weak self] path, isFolder in
                self?.forget(path, isFolder: isFolder)
            }
            try taken.keep(folder.present())
            return folder
        }
    }

    /// What is not there any more stays no more.
    private func forget(_ path: SettlingFiles.Path, isFolder: Bool) {
        let folder = path.isEmpty ? [] : path + [UInt8(ascii: "/")]
        func isOther(_ other: SettlingFiles.Path) -> Bool { other != path && !(isFolder && other.starts(with: folder)) }
        state.withLock { state in state.staying = state.staying.filter { isOther($0.key) } }
    }

    private func serve(_ folder: WatchedFolder) async throws {
        var hold = WatchedFolder.Hold.none
        note(trouble: nil)
        while !isStopping {
            let present = hold
            switch try await pool.run({ folder.next(present) }) {
            case .gone: throw ImportError.source("it is gone")
            case .woken: hold = .none
            case .readable(let all):
                state.withLock { $0.isWhole = all }
                if !all { warn(Self.isNotWhole) }
            case .unreadable(let path): note(.unreadable, of: path)
            case .file(let file):
                let outcome = await outcome(of: file, in: folder)
                if case .held(let until, let reason) = outcome {
                    hold = until
                    note(trouble: reason)
                } else if outcome == .taken || outcome == .kept {
                    note(trouble: nil)
                }
                note(outcome, of: file.path)
                switch outcome {
                case .taken, .left: break
                case .unreadable, .kept: try await pool.run { folder.postpone(file) }
                case .again, .held: try await pool.run { folder.putBack(file) }
                }
            }
        }
    }

    private func note(_ outcome: Outcome, of path: SettlingFiles.Path) {
        let stay: Stay? =
            switch outcome {
            case .left: .left
            case .unreadable: .unreadable
            case .kept: .kept
            case .taken, .again, .held: nil
            }
        state.withLock { $0.staying[path] = stay }
    }

    private func note(trouble: String?, _ reason: String? = nil) {
        let isNews = state.withLock { state in
            defer { state.trouble = trouble }
            return state.trouble != trouble
        }
        if isNews, let trouble { warn(trouble, reason) }
    }

    private func warn(_ trouble: String, _ reason: String? = nil) {
        var metadata: Logger.Metadata = ["folder": "\(settings.name)", "reason": "\(trouble)"]
        metadata["detail"] = reason.map { "\($0)" }
        logger.warning("a watched folder is not taken from; what lies there stays", metadata: metadata)
    }

    // MARK: One file

    private func outcome(of file: ArrivingFile, in folder: WatchedFolder) async -> Outcome {
        do {
            return try await take(file, in: folder)
        } catch let error as VaultError {
            return Self.outcome(of: error)
        } catch is ImportError {
            return .unreadable
        } catch {
            return .held(.until(.now + Self.pause), reason: "it fails: \(error)")
        }
    }

    private static func outcome(of error: VaultError) -> Outcome {
        switch error {
        case .doorShut: .held(.untilWoken, reason: "the door is shut")
        case .doorExpired: .held(.untilWoken, reason: "the door's last day is over")
        case .doorFull: .held(.untilWoken, reason: "the door is full")
        case .noSuchDoor: .held(.untilWoken, reason: "the door is gone")
        case .draining: .held(.untilWoken, reason: "stopping")
        case .fileTooLarge, .nameInvalid: .left
        // It grew or shrank meanwhile; or the vault took what had come, and the next visit begins.
        case .lengthMismatch, .sessionEnded, .noSuchPhoto: .again
        case .diskFull, .vaultFull, .guestFull: .held(.until(.now + pause), reason: "no room on the disk of the vaults")
        default: .held(.until(.now + pause), reason: error.code)
        }
    }

    private func take(_ file: ArrivingFile, in folder: WatchedFolder) async throws -> Outcome {
        if try await pool.run({ [taken] in try taken.contains(file.path, file.sign) }) {
            return try await settle(file, nil, in: folder)
        }
        guard try await pool.run({ try file.isWanted() }) else { return .left }
        let session = try await currentSession()
        if let digest = try await storedDigest(of: file, in: session) {
            return try await settle(file, digest, in: folder)
        }
        let reading = FileReading(file, pool: pool, pieceByteCount: Self.pieceByteCount)
        let digest = try await session.give(
            file.name, path: path(of: file), byteCount: file.sign.byteCount,
            modifiedAt: Date(timeIntervalSince1970: Double(file.sign.modifiedAt) / 1e9)
        ) { [self] in
            try requireRunning()
            return try await reading.next()
        }
        // Not what it was when its end was read: what came is kept, and it comes once more as it is now.
        guard try await pool.run({ file.isUnchanged }) else { return .again }
        guard let digest, digest == (try reading.digest()) else {
            return .held(.until(.now + Self.pause), reason: "what was stored could not be read back")
        }
        return try await settle(file, digest, in: folder)
    }

    /// Where it lies, for what lies beside it.
    private func path(of file: ArrivingFile) -> String {
        "\(settings.name)/\(String(decoding: file.path, as: UTF8.self))"
    }

    /// It was stored and read back. Where it is to be deleted, what lies there now has to be that very content.
    /// - Parameter digest: of what was stored; nil for the content that is remembered of this path.
    private func settle(_ file: ArrivingFile, _ digest: [UInt8]?, in folder: WatchedFolder) async throws -> Outcome {
        try await pool.run { [self] in
            if settings.removes {
                let removal = try folder.remove(file) {
                    let present = try file.digest(onPiece: requireRunning)
                    return try digest.map { $0 == present } ?? taken.contains(file.path, content: present)
                }
                switch removal {
                case .done: return .taken
                case .changed:
                    // It comes as the other file that it is.
                    try taken.forget(file.path)
                    return .again
                case .refused: break
                }
            }
            if let digest { try taken.note(file.path, file.sign, content: digest) }
            return settings.removes ? .kept : .taken
        }
    }

    private func requireRunning() throws {
        if isStopping { throw VaultError.draining }
    }

    /// One for each day; its owner may have taken what it had given.
    private func currentSession() async throws -> Session {
        if let session = session.withLock({ $0 }), session.isUsable { return session }
        let new = try await service.sender(with: door)
        session.withLock { $0 = new }
        return new
    }

    /// The digest of a file whose content need not be sent again: it was taken from here under other times, or was sent
    /// before the daemon was killed. Nil where neither is known.
    private func storedDigest(of file: ArrivingFile, in session: Session) async throws -> [UInt8]? {
        let isRemembered = try await pool.run { [taken] in try taken.knows(file.path) }
        let mayBeGiven = try await session.hasGiven(ofByteCount: file.sign.byteCount)
        guard isRemembered || mayBeGiven else { return nil }
        let (digest, isTaken) = try await pool.run { [self] in
            let digest = try file.digest(onPiece: requireRunning)
            return (digest, try file.isUnchanged && taken.contains(file.path, content: digest))
        }
        if isTaken { return digest }
        guard mayBeGiven, try await pool.run({ file.isUnchanged }) else { return nil }
        return try await session.readBack(byteCount: file.sign.byteCount, sha256: digest) ? digest : nil
    }
}

/// Reads a file from its beginning to its end, and hashes it on the way.
///
/// `@unchecked Sendable`: each step is awaited before the next.
private final class FileReading: @unchecked Sendable {
    private let file: ArrivingFile
    private let pool: BlockingPool
    private let pieceByteCount: Int
    private var hasher: SHA256Hasher?
    private var offset: UInt64 = 0

    init(_ file: ArrivingFile, pool: BlockingPool, pieceByteCount: Int) {
        self.file = file
        self.pool = pool
        self.pieceByteCount = pieceByteCount
    }

    /// Nil at the end.
    func next() async throws -> ByteBuffer? {
        try await pool.run { [self] in
            var piece = ByteBufferAllocator().buffer(capacity: pieceByteCount)
            let count = try piece.writeWithUnsafeMutableBytes(minimumWritableBytes: pieceByteCount) { room in
                try file.read(at: offset, into: room)
            }
            guard count > 0 else { return nil }
            if hasher == nil { hasher = try SHA256Hasher() }
            try piece.withUnsafeReadableBytes { try hasher?.update($0) }
            offset += UInt64(count)
            return piece
        }
    }

    /// Of what was read; asked once.
    func digest() throws -> [UInt8] {
        guard let done = hasher.take() else { return [] }
        return try done.finalize()
    }
}
