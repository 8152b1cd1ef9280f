import Bytes
import Glibc
import Synchronization
import Threads

/// Objects in the bucket: each is there before the ledger lists it, and goes only after an entry of the log that forgets
/// it. They have the names that they have here.
package final class ObjectTier: Sendable {
    private static let pieceByteCount: UInt64 = 1 << 20

    let remote: any RemoteObjects
    private let folders: ObjectFolders
    /// Wait for the network, each with one object.
    private let pool: BlockingPool
    /// In the bucket, and not yet in the ledger.
    private let sent = Mutex<Set<ObjectID>>([])
    /// On their way into it, and how often each.
    private let sending = Mutex<[ObjectID: Int]>([:])
    private let noteSent = Mutex<(@Sendable (UInt64) -> Void)?>(nil)
    /// In the bucket, and in no ledger: their change failed.
    private let strays = Mutex<Set<ObjectID>>([])

    init(_ remote: any RemoteObjects, _ folders: ObjectFolders) {
        self.remote = remote
        self.folders = folders
        pool = BlockingPool(name: "tier", threads: remote.concurrency)
    }

    func shutdown() async { await pool.shutdown() }

    /// Runs what waits for the network.
    func run<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R { try await pool.run(body) }

    /// Blocking: puts a file that is whole and on disk here.
    /// - Throws: `objectMissing`, `bucketUnreachable`; `ioFailed` with EIO where the disk does not give what it took
    func send(_ id: ObjectID) throws {
        guard let file = try folders.shard(of: id).openIfPresent(id.hex, O_RDONLY) else {
            throw StoreError.objectMissing(id)
        }
        sending.withLock { $0[id, default: 0] += 1 }
        defer { sending.withLock { sending in sending[id] = sending[id].flatMap { $0 > 1 ? $0 - 1 : nil } } }
        _ = try put(id, file, isOnce: true)
        sent.withLock { _ = $0.insert(id) }
        if let noteSent = noteSent.withLock(\.self) { noteSent(try file.byteCount()) }
    }

    private func put(_ id: ObjectID, _ file: OpenFile, isOnce: Bool) throws -> String {
        do {
            return try Self.reaching {
                try remote.put(LogNames.object(id), byteCount: file.byteCount(), isOnce: isOnce) { buffer, offset in
                    try file.read(into: buffer, at: offset)
                }
            }
        } catch StoreError.objectUnreadable {
            throw StoreError.ioFailed(operation: "reading what is to be sent", errno: EIO)
        }
    }

    // MARK: What the bucket may have lost

    enum Again {
        case isThere
        /// It was not, or cut off, and is again.
        case mended
        /// Neither there nor here.
        case isLost
    }

    func byteCountHere(of id: ObjectID) throws -> UInt64? { try folders.shard(of: id).byteCount(of: id.hex) }

    /// Blocking. Puts a published object once more, where the bucket has it not, or says itself that it was given what is
    /// here and has something else. Where it was given something else, nobody knows which of the two is right, and it stays.
    /// - Parameters:
    ///   - isCutOff: whether what the bucket has was found to be less than what it was given, or other bytes
    ///   - isWanted: asked once more before anything is done or said
    func putAgain(
        _ id: ObjectID, isCutOff: (_ byteCount: UInt64) throws -> Bool, while isWanted: () throws -> Bool
    ) throws -> Again {
        let name = LogNames.object(id)
        let there = try Self.reaching { try remote.look(at: name) }
        if let there, try !isCutOff(there.byteCount) { return .isThere }
        let file = try folders.shard(of: id).openIfPresent(id.hex, O_RDONLY)
        guard try isWanted() else { return .isThere }
        guard let file else { return there == nil ? .isLost : .isThere }
        // Something else is there only where its bytes are, too.
        if let there, try there.digest != file.digest(), try Self.reaching({ try remote.digest(of: name) }) != nil {
            return .isThere
        }
        let digest = try put(id, file, isOnce: false)
        try Self.reaching { try remote.requireBack(name, digest) }
        return .mended
    }

    /// Blocking: reads all of it, there and here.
    /// - Parameter requireWanted: asked with each piece; throws when nobody wants it any more
    func isWholeThere(_ id: ObjectID, requireWanted: () throws -> Void) throws -> Bool {
        guard let file = try folders.shard(of: id).openIfPresent(id.hex, O_RDONLY) else { return false }
        let digest = try file.digest(requireWanted: requireWanted)
        return try Self.reaching {
            try remote.askingAgain {
                try $0.digest(of: LogNames.object(id), requireWanted: requireWanted)
            } until: {
                $0 == digest
            } == digest
        }
    }

    /// - Parameter body: gets the bytes of each object that was put
    func whenSent(_ body: @escaping @Sendable (_ byteCount: UInt64) -> Void) { noteSent.withLock { $0 = body } }

    /// Whether a change that comes may list it: a list of what is in the bucket may show it before the ledger does.
    func isOnItsWay(_ id: ObjectID) -> Bool {
        sending.withLock { $0[id] != nil } || sent.withLock { $0.contains(id) }
    }

    /// The last look before an entry lists these: none may be listed that is not there.
    func require(_ ids: [ObjectID]) throws {
        for id in ids where sent.withLock({ $0.remove(id) }) == nil {
            // Put by a run before, or listed a second time.
            let here = try folders.shard(of: id).byteCount(of: id.hex)
            let there = try Self.reaching { try remote.urgent.look(at: LogNames.object(id)) }
            if let there, here == nil || here == there.byteCount { continue }
            try send(id)
            sent.withLock { _ = $0.remove(id) }
        }
    }

    /// Of a change that failed, and of which nothing stands.
    func abandon(_ id: ObjectID) {
        if sent.withLock({ $0.remove(id) }) != nil { strays.withLock { _ = $0.insert(id) } }
    }

    /// Blocking. Those that no ledger lists any more, and what failed changes have left.
    /// - Throws: `bucketUnreachable`
    func remove(_ ids: [ObjectID]) throws {
        let all = strays.withLock { strays in
            defer { strays = [] }
            return ids + strays
        }
        try Self.reaching {
            let remove: @Sendable (ObjectID) throws -> Bool = { [remote] in try remote.remove(LogNames.object($0)) }
            try SideBySide.run(all, threads: remote.concurrency, worker: { _ in remove }, each: { _, _ in })
        }
    }

    /// Nil when it is not in the bucket.
    func open(_ id: ObjectID) throws -> ObjectFile? {
        try byteCount(of: id).map { ObjectFile(in: remote, name: LogNames.object(id), byteCount: $0) }
    }

    /// Brings it here, as a file under its name.
    /// - Returns: nil when it is not in the bucket, or larger than that.
    /// - Throws: `objectUnreadable` for what is not what was put
    func fetch(_ id: ObjectID, atMost limit: UInt64) throws -> OpenFile? {
        try Self.reaching { () throws -> OpenFile? in
            let name = LogNames.object(id)
            guard let object = try remote.look(at: name), object.byteCount <= limit else { return nil }
            let file = try folders.objects.openTemporary()
            let isWhole = try remote.askingAgain { remote in
                let running = try RunningSHA256()
                var offset: UInt64 = 0
                while offset < object.byteCount {
                    let end = min(object.byteCount, offset + Self.pieceByteCount)
                    guard let piece = try remote.read(name, offset..<end), !piece.isEmpty else { return false }
                    try piece.withUnsafeBytes { try running.update($0) }
                    try file.write(piece, at: offset)
                    offset += UInt64(piece.count)
                }
                let digest = Hexadecimal.encode(try running.finish())
                return object.digest == nil || object.digest == digest
            } until: {
                $0
            }
            guard isWhole else { throw StoreError.objectUnreadable }
            try ObjectFolders.hideTime(of: file)
            // Nothing may lie under its name that a crash could leave half-written. The name itself may be lost.
            try file.synchronizeData()
            let shard = try folders.shard(of: id)
            // Somebody else may be faster, with the same bytes.
            if !shard.contains(id.hex) { try? shard.link(file, as: id.hex) }
            return file
        }
    }

    /// Nil when it is not in the bucket.
    func byteCount(of id: ObjectID) throws -> UInt64? {
        try Self.reaching { try remote.look(at: LogNames.object(id)) }?.byteCount
    }

    /// Nobody wants any more what was asked of the bucket; that is no fault of its.
    struct Unwanted: Error {}

    static func reaching<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as StoreError {
            throw error
        } catch let error as Unwanted {
            throw error
        } catch {
            throw StoreError.bucketUnreachable(String(describing: error))
        }
    }
}
