import Testing

@testable import Content
@testable import Uploads

@Suite("What the ledger waits for")
struct LedgerWaitTests {
    @Test(
        "the ledger waits for the disk where a photo is small, or comes alone",
        arguments: [
            (0, 1, true), (98_304, 16, true), (98_305, 1, true), (98_305, 2, false), (8 << 20, 1, true),
            (8 << 20 + 1, 1, false),
        ] as [(UInt64, Int, Bool)])
    func ledgerWaits(byteCount: UInt64, uploadsInFlight: Int, waits: Bool) {
        #expect(SealingPipeline.mayLedgerWait(for: byteCount, uploadsInFlight: uploadsInFlight) == waits)
    }
}
