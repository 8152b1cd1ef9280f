import Sealing
import Store

/// How large objects become: whole blocks of the disk, whose number says little about the size of the original.
package enum ObjectSize {
    private static let block = UInt64(StagedObject.blockByteCount)

    /// The size of the object of a photo that comes in one piece; `UInt64.max` when that is more than fits.
    package static func ofOneRun(content byteCount: UInt64) -> UInt64 {
        let start = UInt64(PhotoRecord.preamble.count)
        guard let padded = plaintextByteCount(atLeast: Padme.paddedByteCount(byteCount), from: start) else {
            return .max
        }
        return start + ChunkLayout.sealedByteCount(plaintext: padded)
    }

    /// Zeros behind the content in its last run: to the size that Padmé gives the whole content, and on to the end of a
    /// block. The disk gives blocks whole anyway, and where the file goes past the page cache no last bytes are left
    /// for it.
    /// - Parameters:
    ///   - start: where in the object the run begins.
    ///   - runByteCount: bytes of the content that lie in that run.
    package static func padding(ofContent byteCount: UInt64, lastRunAt start: UInt64, runByteCount: UInt64) -> UInt64 {
        let least = runByteCount + (Padme.paddedByteCount(byteCount) - byteCount)
        return (plaintextByteCount(atLeast: least, from: start) ?? least) - runByteCount
    }

    /// What a run takes that has so many bytes or a few more, and ends with a block. Nil when no file is that large.
    private static func plaintextByteCount(atLeast least: UInt64, from start: UInt64) -> UInt64? {
        let (leastEnd, overflow) = start.addingReportingOverflow(ChunkLayout.sealedByteCount(plaintext: least))
        guard !overflow, leastEnd < UInt64(Int.max) - 2 * block else { return nil }
        var end = (leastEnd + block - 1) / block * block
        while true {
            if let fitting = ChunkLayout.plaintextByteCount(sealed: Int(end - start)) { return UInt64(fitting) }
            // A message cannot end within the tag of a chunk.
            end += block
        }
    }
}
