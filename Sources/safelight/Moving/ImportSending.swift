import Dispatch
import Import
import NIOCore
import Synchronization
import Threads
import Web

/// The second reading of sources: one thread reads in order, some tasks send, and what is sent is told what lies beside
/// it. In constant memory: each task has a few pieces in hand.
final class ImportSending: Sendable {
    private static let pieceByteCount = 128 << 10
    /// Photos that are told at once.
    private static let tellingCount = 64

    /// What became of one photo.
    enum Outcome: Sendable {
        case stored(ImportPayload.State)
        case refused(String)
        case busy
    }

    private struct State {
        var outcomes: [Int: Outcome] = [:]
        var untold: [Int] = []
        var failure: (any Error)?
    }

    private let scan: ScannedSources
    private let vault: any ImportVault
    private let told: @Sendable ([Int]) async throws -> Void
    private let progress: @Sendable (UInt64) -> Void
    private let state: Mutex<State> = Mutex(State())
    private let isStopped = Atomic(false)
    /// Places for files on their way.
    private let places = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - told: is given photos that were stored, to say of them what lies beside them.
    ///   - progress: is told of bytes that were sent.
    init(
        _ scan: ScannedSources, vault: any ImportVault, told: @escaping @Sendable ([Int]) async throws -> Void,
        progress: @escaping @Sendable (UInt64) -> Void
    ) {
        self.scan = scan
        self.vault = vault
        self.told = told
        self.progress = progress
        for _ in 0..<DaemonClient.connections { places.signal() }
    }

    func outcome(of photo: Int) -> Outcome? { state.withLock { $0.outcomes[photo] } }

    /// - Parameter wanted: photos of the plan, by their places.
    /// - Throws: `ImportRefusal.all`, and what the reading of a source says.
    func send(_ wanted: Set<Int>, stored: @escaping @Sendable (Int, ImportPayload.State) -> Void) async throws {
        let (files, continuation) = AsyncStream.makeStream(of: OutgoingFile.self)
        let pool = BlockingPool(name: "import", threads: 1)
        let reading = pool.start { [self] in
            defer { continuation.finish() }
            try read(wanted) { continuation.yield($0) }
        }
        await withDiscardingTaskGroup { group in
            for await file in files {
                group.addTask { [self] in await send(file, stored) }
            }
        }
        let end: Result<Void, any Error>
        do {
            end = .success(try await reading.value())
        } catch {
            end = .failure(error)
        }
        await pool.shutdown()
        if let failure = state.withLock({ $0.failure }) { throw failure }
        try end.get()
        try await tellRest()
    }

    private func tellRest() async throws {
        let rest = state.withLock { state in
            defer { state.untold = [] }
            return state.untold
        }
        if !rest.isEmpty { try await told(rest) }
    }

    // MARK: The tasks that send

    private func send(_ file: OutgoingFile, _ stored: @Sendable (Int, ImportPayload.State) -> Void) async {
        do {
            let photo = try await vault.send(file)
            note(.stored(photo), of: file)
            stored(file.photo, photo)
            try await tellSome(file.photo)
        } catch ImportRefusal.file(let reason) {
            note(.refused(reason), of: file)
        } catch ImportRefusal.busy {
            note(.busy, of: file)
        } catch let error as ImportError {
            note(.refused(error.description), of: file)
        } catch {
            state.withLock { $0.failure = $0.failure ?? error }
            isStopped.store(true, ordering: .relaxed)
        }
        file.pieces.abandon()
        places.signal()
    }

    private func note(_ outcome: Outcome, of file: OutgoingFile) {
        state.withLock { $0.outcomes[file.photo] = outcome }
    }

    private func tellSome(_ photo: Int) async throws {
        let some = state.withLock { state in
            state.untold.append(photo)
            guard state.untold.count >= Self.tellingCount else { return [Int]() }
            defer { state.untold = [] }
            return state.untold
        }
        if !some.isEmpty { try await told(some) }
    }

    // MARK: The thread that reads

    private func read(_ wanted: Set<Int>, _ yield: (OutgoingFile) -> Void) throws {
        let bySource = Dictionary(grouping: wanted) { scan.files[scan.plan.photos[$0].file].source }
        for (number, photos) in bySource.sorted(by: { $0.key < $1.key }) {
            let start = scan.starts[number]
            var waiting = Dictionary(uniqueKeysWithValues: photos.map { (scan.plan.photos[$0].file, $0) })
            do {
                let reader = try scan.sources[number].open(scan.unpacker)
                while !waiting.isEmpty, !isStopped.load(ordering: .relaxed), let entry = try reader.next() {
                    guard let photo = waiting[start + entry.ordinal] else { continue }
                    guard entry.path == scan.files[start + entry.ordinal].path else {
                        throw ImportError.source("it changed while it was read")
                    }
                    waiting[start + entry.ordinal] = nil
                    places.wait()
                    try read(entry, as: photo, reader, yield)
                }
            } catch ImportError.source(let reason) {
                // The other sources have their photos all the same.
                for photo in waiting.values { state.withLock { $0.outcomes[photo] = .refused(reason) } }
                continue
            }
            guard !isStopped.load(ordering: .relaxed) else { return }
            // It is shorter than it was.
            for photo in waiting.values {
                state.withLock { $0.outcomes[photo] = .refused("it changed while it was read") }
            }
        }
    }

    private func read(
        _ entry: ImportEntry, as photo: Int, _ reader: any EntryReader, _ yield: (OutgoingFile) -> Void
    ) throws {
        let (planned, pieces) = (scan.plan.photos[photo], PieceChannel())
        yield(
            OutgoingFile(
                photo: photo, name: planned.name, byteCount: scan.files[planned.file].byteCount,
                modifiedAt: entry.modifiedAt, waitsAs: planned.waitsAs, pieces: pieces))
        do {
            while true {
                var piece = ByteBufferAllocator().buffer(capacity: Self.pieceByteCount)
                let count = try piece.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.pieceByteCount) {
                    try reader.read(into: $0)
                }
                guard count > 0 else { break }
                guard pieces.push(piece) else { return }
                progress(UInt64(count))
            }
            pieces.finish()
        } catch {
            pieces.finish(.failure(error))
            if case ImportError.source = error { throw error }
        }
    }
}

/// Pieces of one file, on their way from the thread that reads to the task that sends: a few at a time, so that whoever
/// is slower holds the other back.
final class PieceChannel: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    private static let mostWaiting = 4

    private struct State {
        var pieces: [ByteBuffer] = []
        var end: Result<Void, any Error>?
        var isAbandoned = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    private let room = DispatchSemaphore(value: 0)

    init() { for _ in 0..<Self.mostWaiting { room.signal() } }

    // MARK: By the thread that reads

    /// Blocking.
    /// - Returns: false once nobody takes them any more.
    func push(_ piece: ByteBuffer) -> Bool {
        room.wait()
        return change { state in
            guard !state.isAbandoned else { return false }
            state.pieces.append(piece)
            return true
        }
    }

    func finish(_ end: Result<Void, any Error> = .success(())) {
        change { $0.end = $0.end ?? end }
    }

    // MARK: By the task that sends

    /// Lets the reader go on with the next file, whatever is left of this one.
    func abandon() {
        change { state in
            state.isAbandoned = true
            state.pieces = []
        }
        room.signal()
    }

    func makeAsyncIterator() -> Iterator { Iterator(channel: self) }

    struct Iterator: AsyncIteratorProtocol {
        let channel: PieceChannel

        func next() async throws -> ByteBuffer? { try await channel.next() }
    }

    private func next() async throws -> ByteBuffer? {
        while true {
            if let piece = state.withLock({ $0.pieces.isEmpty ? nil : $0.pieces.removeFirst() }) {
                room.signal()
                return piece
            }
            if let end = state.withLock({ $0.end }) {
                // What was pushed before the end comes before it.
                guard state.withLock({ $0.pieces.isEmpty }) else { continue }
                try end.get()
                return nil
            }
            await withCheckedContinuation { continuation in
                let isNews = state.withLock { state in
                    guard state.pieces.isEmpty, state.end == nil else { return true }
                    state.waiting = continuation
                    return false
                }
                if isNews { continuation.resume() }
            }
        }
    }

    @discardableResult
    private func change<R: Sendable>(_ body: (inout State) -> R) -> R {
        let (result, waiting) = state.withLock { state in
            let result = body(&state)
            return (result, state.waiting.take())
        }
        waiting?.resume()
        return result
    }
}
