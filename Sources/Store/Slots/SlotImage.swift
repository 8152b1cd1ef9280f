import Glibc

/// What stands in `slots`, as far as the disk can read it.
struct SlotImage: Equatable {
    /// What a disk loses at once at least, as the kernel sees it.
    private static let pageByteCount = 4096

    private var bytes: [UInt8] = []
    /// Where the pages begin that cannot be read.
    private var unreadable: [Int] = []

    /// Of as many bytes as there always are.
    init(reading file: OpenFile) throws(StoreError) {
        bytes.reserveCapacity(SlotTable.fileByteCount)
        for offset in stride(from: 0, to: SlotTable.fileByteCount, by: Self.pageByteCount) {
            if let page = try Self.page(of: file, at: offset) {
                bytes += page
            } else {
                bytes += [UInt8](repeating: 0, count: Self.pageByteCount)
                unreadable.append(offset)
            }
        }
    }

    var unreadableSlotCount: Int { unreadable.count * Self.pageByteCount / SlotTable.slotByteCount }

    /// With random bytes for what cannot be read: slots that open nothing, like those that nobody owns.
    func filled() throws -> [UInt8] {
        var filled = bytes
        for offset in unreadable {
            filled.replaceSubrange(offset..<offset + Self.pageByteCount, with: try randomBytes(Self.pageByteCount))
        }
        return filled
    }

    private static func page(of file: OpenFile, at offset: Int) throws(StoreError) -> [UInt8]? {
        do {
            let page = try file.bytes(at: UInt64(offset), count: pageByteCount)
            return page.count == pageByteCount ? page : nil
        } catch .ioFailed(_, EIO) {
            return nil
        }
    }
}
