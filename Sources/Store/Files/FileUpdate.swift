import Glibc

extension OpenFile {
    private static let pageByteCount = 4096
    private static let pagesAtOnce = 64

    /// Gives a database's file the content of another one, by writing the pages that differ over what they were. Data and
    /// times are on disk on return.
    ///
    /// The first page goes before all others change and comes back behind them: what a power cut leaves in the midst of it
    /// is no database, and not one of two moments.
    /// - Parameter read: fills the buffer from an offset in the other one, and returns how much there was.
    /// - Returns: how many bytes of the content were written.
    @discardableResult
    func update(
        to byteCount: UInt64, reading read: (UnsafeMutableRawBufferPointer, UInt64) throws -> Int
    ) throws -> UInt64 {
        let size = Self.pageByteCount * Self.pagesAtOnce
        let buffers = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * size, alignment: Self.pageByteCount)
        defer { buffers.deallocate() }
        func piece(at offset: UInt64, _ most: Int) throws -> (wanted: UnsafeRawBufferPointer, present: Int) {
            let count = Int(min(UInt64(most), byteCount - offset))
            let wanted = UnsafeMutableRawBufferPointer(rebasing: buffers[..<count])
            guard try read(wanted, offset) == count else { throw StoreError.failure("reading the ledger", EIO) }
            let present = UnsafeMutableRawBufferPointer(rebasing: buffers[size..<size + count])
            return (UnsafeRawBufferPointer(wanted), try self.read(into: present, at: offset))
        }
        let present = UnsafeRawBufferPointer(rebasing: buffers[size...])

        let head = try piece(at: 0, Self.pageByteCount)
        let first = Array(head.wanted)
        var (hasBegun, written): (Bool, UInt64) = (false, 0)
        func begin() throws {
            guard !hasBegun else { return }
            hasBegun = true
            try write([UInt8](repeating: 0, count: first.count), at: 0)
            try synchronizeData()
        }
        if !Self.isSame(0..<first.count, head.wanted, present, head.present) { try begin() }
        var offset = UInt64(first.count)
        while offset < byteCount {
            let (wanted, presentCount) = try piece(at: offset, size)
            for range in Self.differing(wanted, present, presentCount) {
                try begin()
                try write(UnsafeRawBufferPointer(rebasing: wanted[range]), at: offset + UInt64(range.lowerBound))
                written += UInt64(range.count)
            }
            offset += UInt64(wanted.count)
        }
        if try self.byteCount() > byteCount {
            try begin()
            overwriteWithZeros(descriptor, from: off_t(clamping: byteCount))
            try truncate(to: byteCount)
        }
        if hasBegun {
            try synchronizeData()
            try write(first, at: 0)
            written += UInt64(first.count)
        }
        // They tell of this moment, whether anything had changed or not.
        guard futimens(descriptor, nil) == 0 else { throw StoreError.failure("futimens") }
        try synchronize()
        return written
    }

    /// Where pages differ, as ranges of bytes; what is not there differs.
    private static func differing(
        _ wanted: UnsafeRawBufferPointer, _ present: UnsafeRawBufferPointer, _ presentCount: Int
    ) -> [Range<Int>] {
        guard !isSame(0..<wanted.count, wanted, present, presentCount) else { return [] }
        var ranges: [Range<Int>] = []
        for start in stride(from: 0, to: wanted.count, by: pageByteCount) {
            let page = start..<min(start + pageByteCount, wanted.count)
            guard !isSame(page, wanted, present, presentCount) else { continue }
            if let last = ranges.last, last.upperBound == page.lowerBound {
                ranges[ranges.count - 1] = last.lowerBound..<page.upperBound
            } else {
                ranges.append(page)
            }
        }
        return ranges
    }

    private static func isSame(
        _ range: Range<Int>, _ wanted: UnsafeRawBufferPointer, _ present: UnsafeRawBufferPointer, _ presentCount: Int
    ) -> Bool {
        guard range.upperBound <= presentCount, let wanted = wanted.baseAddress, let present = present.baseAddress
        else {
            return false
        }
        return memcmp(wanted + range.lowerBound, present + range.lowerBound, range.count) == 0
    }
}
