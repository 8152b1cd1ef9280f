import Store
import TestSupport

/// Writes one row per group, as an open vault seals its head, and remembers what it was told.
final class SampleParticipant: LedgerParticipant {
    let head = RowID.random()
    let calls = Box<[String]>([])
    let failuresLeft: Box<Int>

    init(failures: Int = 0) {
        failuresLeft = Box(failures)
    }

    func willCommit(_ transaction: LedgerTransaction) throws {
        calls.value.append("will")
        if failuresLeft.value > 0 {
            failuresLeft.value -= 1
            throw SampleError.refused
        }
        let number = try transaction.row(head)?.first ?? 0
        try transaction.putRow(head, [UInt8](repeating: number + 1, count: 512))
    }

    func didCommit() { calls.value.append("did") }

    func didRollBack() { calls.value.append("rolled back") }
}
