internal import CLinux
import Glibc

/// A file that grows at its end. A photo that comes in blocks goes past the page cache where the file system lets it
/// (O_DIRECT): it is read back from the disk anyway, and otherwise costs a copy, and memory that others would use.
/// What has become larger than photos are goes by the page cache, for it is likely to be played soon.
///
/// The last bytes, which fill no block, wait for those behind them, or for `writeTail`.
struct AppendedFile {
    /// Of the file system's blocks no common one is larger; offsets, lengths and memory have to fit it.
    static let blockByteCount = 4096
    /// Fewer bytes are faster by the page cache, unless they fill the last block of a file that goes past it: then
    /// nothing is left to write back.
    private static let leastDirectByteCount = 4 * blockByteCount
    /// What the page cache has to write back at once of a photo, so that its sync has little left to wait for, and of
    /// what has become larger than photos are, where fewer requests are faster.
    private static let writeback: (ofPhoto: UInt64, ofMore: UInt64) = (64 << 10, 1 << 20)
    static let photoByteCount: UInt64 = 8 << 20

    let file: OpenFile
    /// The tail included.
    private(set) var byteCount: UInt64
    /// Behind the last block that was written; empty when the page cache, or the file, has what lies there.
    private var tail: [UInt8] = []
    private(set) var isDirect = false
    /// Once the file system has refused it.
    private var mayBeDirect = true
    private var writebackEnd: UInt64

    init(_ file: OpenFile, byteCount: UInt64) {
        self.file = file
        self.byteCount = byteCount
        writebackEnd = byteCount
    }

    /// Where in its block the next byte comes.
    private var offsetInBlock: Int { Int(byteCount % UInt64(Self.blockByteCount)) }

    /// By the page cache.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
        try writeTail()
        try writeCached(bytes, at: byteCount)
        byteCount += UInt64(bytes.count)
        startWriteback()
    }

    /// Past the page cache, if `blocks` lies in memory as the file does: from the block on in which the file ends so
    /// far.
    /// - Parameters:
    ///   - blocks: what is before `start` is overwritten with what the block has there already.
    ///   - start: of the bytes to append.
    mutating func append(_ blocks: UnsafeMutableRawBufferPointer, from start: Int) throws(StoreError) {
        let bytes = UnsafeRawBufferPointer(rebasing: blocks[start...])
        let fillsBlock = isDirect && blocks.count.isMultiple(of: Self.blockByteCount)
        guard mayBeDirect, fillsBlock || bytes.count >= Self.leastDirectByteCount,
            byteCount + UInt64(bytes.count) <= Self.photoByteCount, start == offsetInBlock,
            Int(bitPattern: blocks.baseAddress) % Self.blockByteCount == 0
        else { return try append(bytes) }
        var first = 0
        if tail.count == start {
            UnsafeMutableRawBufferPointer(rebasing: blocks[..<start]).copyBytes(from: tail)
        } else {
            // The page cache has the beginning of this block, or the file itself.
            first = Self.blockByteCount
            try writeCached(UnsafeRawBufferPointer(rebasing: blocks[start..<first]), at: byteCount)
        }
        let end = blocks.count / Self.blockByteCount * Self.blockByteCount
        try writeDirect(
            UnsafeRawBufferPointer(rebasing: blocks[first..<end]), at: byteCount - UInt64(start) + UInt64(first))
        tail = Array(blocks[end...])
        byteCount += UInt64(bytes.count)
        writebackEnd = byteCount
    }

    /// Nothing waits any more; not on disk before a sync.
    mutating func writeTail() throws(StoreError) {
        guard !tail.isEmpty else { return }
        do {
            try tail.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
                try writeCached(bytes, at: byteCount - UInt64(bytes.count))
            }
        } catch let error as StoreError {
            throw error
        } catch {
            throw .failure("pwrite", EIO)
        }
        tail = []
    }

    private mutating func writeDirect(_ blocks: UnsafeRawBufferPointer, at offset: UInt64) throws(StoreError) {
        var done = 0
        if !isDirect {
            isDirect = file.setDirect(true)
            mayBeDirect = isDirect
        }
        while isDirect, done < blocks.count {
            let count = pwrite(
                file.descriptor, blocks.baseAddress.map { $0 + done }, blocks.count - done,
                off_t(clamping: offset) + done)
            if count < 0 {
                if errno == EINTR { continue }
                guard errno == EINVAL else { throw .failure("pwrite") }
            }
            let whole = max(0, count) / Self.blockByteCount * Self.blockByteCount
            // Refused after all, or not a block fits any more: the page cache tells the error, if there is one.
            guard whole > 0 else {
                mayBeDirect = false
                break
            }
            done += whole
        }
        try writeCached(UnsafeRawBufferPointer(rebasing: blocks[done...]), at: offset + UInt64(done))
    }

    private mutating func writeCached(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StoreError) {
        guard bytes.count > 0 else { return }
        if isDirect {
            guard file.setDirect(false) else { throw .failure("fcntl") }
            isDirect = false
        }
        try file.write(bytes, at: offset)
    }

    /// Keeps the final sync short by writing back while the upload still runs. Advice only: its outcome decides
    /// nothing.
    private mutating func startWriteback() {
        let count = byteCount - writebackEnd
        guard count >= (byteCount <= Self.photoByteCount ? Self.writeback.ofPhoto : Self.writeback.ofMore) else {
            return
        }
        _ = linux_start_writeback(file.descriptor, off_t(clamping: writebackEnd), off_t(clamping: count))
        writebackEnd = byteCount
    }
}
