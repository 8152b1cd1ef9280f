import Sealing
import Store

/// How large objects become: whole blocks of the disk, whose number says little about the size of the original.
enum ObjectSize {
    private static let block = UInt64(StagedObject.blockByteCount)

    /// The size of the object of a photo that comes in one piece; `UInt64.max` when that is more than fits.
    static func ofOneRun(content byteCount: UInt64) -> UInt64 {
        end(ofRunAt: UInt64(PhotoRecord.preamble.count), plaintext: Padme.paddedByteCount(byteCount)) ?? .max
    }

    /// Zeros behind the content in its last run: to the size that Padmé gives the whole content, and on to the end of a
    /// block. The disk gives blocks whole anyway, and where the file goes past the page cache no last bytes are left
    /// for it.
    /// - Parameters:
    ///   - start: where in the object the run begins.
    ///   - runByteCount: bytes of the content that lie in that run.
    static func padding(ofContent byteCount: UInt64, lastRunAt start: UInt64, runByteCount: UInt64) -> UInt64 {
        let plaintext = runByteCount + (Padme.paddedByteCount(byteCount) - byteCount)
        guard let end = end(ofRunAt: start, plaintext: plaintext),
            let padded = ChunkLayout.plaintextByteCount(sealed: Int(end - start))
        else { return plaintext - runByteCount }
        return UInt64(padded) - runByteCount
    }

    /// The first end of a block at which a run of so many bytes, or of a few more, can end. Nil when no file is that
    /// large.
    private static func end(ofRunAt start: UInt64, plaintext: UInt64) -> UInt64? {
        let (least, overflow) = start.addingReportingOverflow(ChunkLayout.sealedByteCount(plaintext: plaintext))
        guard !overflow, least < UInt64(Int.max) - 2 * block else { return nil }
        var end = (least + block - 1) / block * block
        // A message cannot end within the tag of a chunk.
        while ChunkLayout.plaintextByteCount(sealed: Int(end - start)) == nil { end += block }
        return end
    }
}
