import Glibc

/// What stands in `slots`, as far as the disk can read it: by its digest, for the file is large.
struct SlotImage: Equatable {
    /// What a disk loses at once at least, as the kernel sees it.
    private static let pageByteCount = 4096
    private static let blockByteCount = 1 << 20

    /// SHA-256 of as many bytes as there always are, with zeros for what cannot be read.
    private let digest: [UInt8]
    /// Where the pages begin that cannot be read.
    private let unreadable: [UInt64]

    init(reading file: OpenFile) throws {
        try self.init(reading: file) { _, _ in }
    }

    /// Reads, and writes what was read to `target`, with random bytes for what cannot be read: slots that open nothing,
    /// like those that nobody owns. It is not synced.
    /// - Returns: besides, the digest of what was written.
    static func copying(_ file: OpenFile, to target: OpenFile) throws -> (image: SlotImage, written: FileDigest?) {
        let running = try RunningSHA256()
        let image = try SlotImage(reading: file) { piece, offset in
            let bytes = try piece ?? randomBytes(pageByteCount)
            try bytes.withUnsafeBytes { try running.update($0) }
            try target.write(bytes, at: offset)
        }
        return (image, FileDigest(bytes: try running.finish()))
    }

    /// - Parameter each: gets each piece and where it begins; nil for a page that cannot be read.
    private init(reading file: OpenFile, each: ([UInt8]?, UInt64) throws -> Void) throws {
        let running = try RunningSHA256()
        let nothing = [UInt8](repeating: 0, count: Self.pageByteCount)
        var unreadable: [UInt64] = []
        for block in stride(from: 0, to: SlotTable.fileByteCount, by: Self.blockByteCount) {
            if let bytes = try Self.bytes(of: file, at: block, count: Self.blockByteCount) {
                try bytes.withUnsafeBytes { try running.update($0) }
                try each(bytes, UInt64(block))
                continue
            }
            for offset in stride(from: block, to: block + Self.blockByteCount, by: Self.pageByteCount) {
                let page = try Self.bytes(of: file, at: offset, count: Self.pageByteCount)
                if page == nil { unreadable.append(UInt64(offset)) }
                try (page ?? nothing).withUnsafeBytes { try running.update($0) }
                try each(page, UInt64(offset))
            }
        }
        digest = try running.finish()
        self.unreadable = unreadable
    }

    var unreadableSlotCount: Int { unreadable.count * Self.pageByteCount / SlotTable.slotByteCount }

    private static func bytes(of file: OpenFile, at offset: Int, count: Int) throws(StoreError) -> [UInt8]? {
        do {
            let bytes = try file.bytes(at: UInt64(offset), count: count)
            return bytes.count == count ? bytes : nil
        } catch .ioFailed(_, EIO) {
            return nil
        }
    }
}
