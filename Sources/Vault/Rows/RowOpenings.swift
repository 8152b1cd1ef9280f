import Content
import NIOCore
import Records
import Store
import Threads

/// Opens a vault's rows on other threads while more of them are read. Blocking.
struct RowOpenings {
    /// Batches on their way at most, one more than can be opened at the same time: memory is theirs.
    private static let limit = System.coreCount + 1

    private let threads: SealingThreads
    private let makeCodec: @Sendable () throws -> RowCodec
    private var filling = RowBatch()
    /// The oldest first.
    private var running: [StartedWork<RowFindings>] = []

    /// - Parameter makeCodec: one for each batch, for the vault whose rows they are
    init(on threads: SealingThreads, makeCodec: @escaping @Sendable () throws -> RowCodec) {
        self.threads = threads
        self.makeCodec = makeCodec
    }

    /// Takes a row in; waits while too many are on their way, and adds to `found` what the oldest of them say.
    mutating func append(
        _ number: UInt64, _ id: RowID, _ body: UnsafeRawBufferPointer, to found: inout RowFindings
    ) throws {
        filling.append(number, id, body)
        guard filling.isFull else { return }
        if running.count >= Self.limit { try takeOldest(into: &found) }
        start()
    }

    /// Waits for all rows that were taken in.
    mutating func finish(into found: inout RowFindings) throws {
        start()
        while !running.isEmpty { try takeOldest(into: &found) }
    }

    private mutating func start() {
        running.append(threads.start { [makeCodec, filling] in try filling.open(makeCodec) })
        filling = RowBatch()
    }

    private mutating func takeOldest(into found: inout RowFindings) throws {
        found.add(try running.removeFirst().waitForResult().get())
    }
}
