import NIOCore
import Store

/// Opens a vault's rows on the engine's threads while more of them are read. Blocking.
struct RowOpenings {
    /// Batches on their way at most, one more than can be opened at the same time: memory is theirs.
    private static let limit = System.coreCount + 1

    private let vault: OpenVault
    private var filling = RowBatch()
    /// The oldest first.
    private var running: [StartedWork<RowFindings>] = []

    init(vault: OpenVault) { self.vault = vault }

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
        running.append(vault.engine.start { [vault, filling] in try filling.open(vault) })
        filling = RowBatch()
    }

    private mutating func takeOldest(into found: inout RowFindings) throws {
        found.add(try running.removeFirst().waitForResult().get())
    }
}
