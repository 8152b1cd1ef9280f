import Content
import Store

extension SealingPipeline {
    /// Whether the rows of a photo in one piece are made while the disk is at its last bytes. What says more of itself in
    /// its middle or at its end is read there first.
    func mayLedgerWait(for byteCount: UInt64, uploadsInFlight: Int) -> Bool {
        Self.mayLedgerWait(for: byteCount, uploadsInFlight: uploadsInFlight) && isUnderstood(byteCount)
    }

    /// The ledger waits for the last bytes then, and so does everybody who waits for the ledger: not for long where they
    /// are few, nor where nobody else's are on their way to the disk.
    static func mayLedgerWait(for byteCount: UInt64, uploadsInFlight: Int) -> Bool {
        byteCount <= UInt64(SegmentSize.small.plaintextByteCount)
            || (byteCount <= StagedObject.photoByteCount && uploadsInFlight == 1)
    }

    /// Its beginning tells all, as far as that came. What is small is understood when its end comes.
    private func isUnderstood(_ byteCount: UInt64) -> Bool {
        byteCount < UInt64(SegmentSize.small.plaintextByteCount) || lane.mediaFacts != nil
    }
}
