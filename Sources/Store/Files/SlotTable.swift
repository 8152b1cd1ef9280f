import Glibc
import Synchronization

/// The file `slots`: 262,144 slots of 256 random-looking bytes, for ever. Which of them mean something is not known
/// here.
package final class SlotTable: Sendable {
    package static let slotCount = 1 << 18
    package static let slotByteCount = 256
    package static let hashByteCount = 4
    static let fileByteCount = slotCount * slotByteCount
    /// Of a store that was made before the first release.
    private static let formerFileByteCount: UInt64 = 16 << 20

    private static let rewrittenCount = 8

    private let file: OpenFile
    private let condition: StoreCondition
    private let writing = Mutex(())
    /// Where writes go that others have to know of; nil where the slots are alone.
    private let route = Mutex<(@Sendable ([(position: UInt32, bytes: [UInt8])]) throws -> Void)?>(nil)

    init(_ file: OpenFile, _ condition: StoreCondition) {
        self.file = file
        self.condition = condition
    }

    static func open(in folder: Folder, condition: StoreCondition) throws(StoreError) -> SlotTable {
        let file = try folder.openIfPresent(StoreLayout.slots, O_RDWR)
        guard try file?.byteCount() != formerFileByteCount else {
            throw .unusable(
                "This data directory was made by a version of before the first release, which this one cannot open. "
                    + "Nothing was changed. Save the photos with that version, and begin with an empty directory.")
        }
        guard let file, try file.byteCount() == UInt64(fileByteCount) else {
            throw .unusable(
                "The file \(StoreLayout.slots) is missing or has a wrong size; without it no password opens anything. "
                    + "Put it back from a backup; nothing else was touched.")
        }
        return SlotTable(file, condition)
    }

    static func create(in folder: Folder, isFilled: Bool) throws(StoreError) {
        let file = try folder.open(StoreLayout.slots, O_RDWR | O_CREAT | O_EXCL)
        guard isFilled else { return try file.truncate(to: UInt64(fileByteCount)) }
        let (part, batch) = (8 << 20, 1 << 20)
        for start in stride(from: 0, to: fileByteCount, by: part) {
            for offset in stride(from: start, to: min(start + part, fileByteCount), by: batch) {
                try file.write(randomBytes(batch), at: UInt64(offset))
            }
            try file.synchronize()
            // What nobody will read for long would take the place of what the host's programs do read, and memory that was
            // let go of just now is written to several times as fast as other memory.
            file.forgetCached()
        }
    }

    package func read(_ position: UInt32) throws -> [UInt8] {
        let bytes = try file.bytes(at: Self.offset(position), count: Self.slotByteCount)
        guard bytes.count == Self.slotByteCount else { throw StoreError.failure("reading a slot", EIO) }
        return bytes
    }

    /// Many at once, from an offset in the file; random bytes, which open nothing, where the disk cannot read them.
    func block(at offset: Int, byteCount: Int) throws -> [UInt8] {
        if let bytes = try bytesIfReadable(at: UInt64(offset), byteCount) { return bytes }
        var bytes: [UInt8] = []
        for position in offset / Self.slotByteCount..<(offset + byteCount) / Self.slotByteCount {
            let slot = try readIfReadable(UInt32(position))
            bytes += try slot ?? randomBytes(Self.slotByteCount)
        }
        return bytes
    }

    private func bytesIfReadable(at offset: UInt64, _ count: Int) throws(StoreError) -> [UInt8]? {
        do {
            let bytes = try file.bytes(at: offset, count: count)
            return bytes.count == count ? bytes : nil
        } catch .ioFailed(_, EIO) {
            return nil
        }
    }

    /// Nil when the disk cannot read it.
    package func readIfReadable(_ position: UInt32) throws -> [UInt8]? {
        do {
            return try read(position)
        } catch StoreError.ioFailed(_, EIO) {
            return nil
        }
    }

    /// Nil for each that the disk cannot read. Throws when it can read none: that is more than a bad sector, and says
    /// nothing of what stands there.
    package func readReplicas(_ positions: [UInt32]) throws -> [[UInt8]?] {
        let replicas = try positions.map { try readIfReadable($0) }
        guard replicas.contains(where: { $0 != nil }) else { throw StoreError.failure("reading slots", EIO) }
        return replicas
    }

    /// Writes 256 bytes to each position, then syncs once. After a failure the slots may hold old or new bytes and
    /// the store is degraded.
    package func write(_ slots: [(position: UInt32, bytes: [UInt8])]) throws {
        guard slots.allSatisfy({ $0.bytes.count == Self.slotByteCount }) else {
            throw StoreError.ioFailed(operation: "writing a slot that is not 256 bytes", errno: EINVAL)
        }
        try condition.requireSound()
        if let route = route.withLock(\.self) { return try route(slots) }
        try writeHere(slots)
    }

    /// From now on writes are handed on, and come back by `writeHere`.
    func setRoute(_ route: @escaping @Sendable ([(position: UInt32, bytes: [UInt8])]) throws -> Void) {
        self.route.withLock { $0 = route }
    }

    func writeHere(_ slots: [(position: UInt32, bytes: [UInt8])]) throws {
        guard !slots.isEmpty else { return }
        try writing.withLock { _ in try writeAndSynchronize(slots) }
    }

    /// Fills with random bytes those positions whose content still begins its SHA-256 with the 4-byte `hash`; a slot
    /// that somebody else has taken since keeps its bytes. All are written: after a sync that failed, what is read here
    /// need not be what is on disk.
    /// - Returns: the positions that the disk cannot read, which stay as they are.
    @discardableResult
    package func overwriteWithFiller(_ positions: [(position: UInt32, hash: [UInt8])]) throws -> Set<UInt32> {
        try condition.requireSound()
        let route = route.withLock(\.self)
        let (slots, unreadable) = try writing.withLock { _ in
            var slots: [UInt32: [UInt8]] = [:]
            var unreadable: Set<UInt32> = []
            for (position, hash) in positions {
                guard let present = try slots[position] ?? readIfReadable(position) else {
                    unreadable.insert(position)
                    continue
                }
                let isOurs = try hash.count == Self.hashByteCount && sha256(present).starts(with: hash)
                slots[position] = isOurs ? try randomBytes(Self.slotByteCount) : present
            }
            if route == nil { try writeAndSynchronize(slots.map { ($0.key, $0.value) }) }
            return (slots, unreadable)
        }
        if let route, !slots.isEmpty { try route(slots.map { ($0.key, $0.value) }) }
        return unreadable
    }

    /// Writes some slots again with the bytes they have, so that the time of the file tells of no vault when something that
    /// opens it was made or changed.
    func rewriteSome() throws {
        try condition.requireSound()
        try writing.withLock { _ in
            var slots: [(position: UInt32, bytes: [UInt8])] = []
            for _ in 0..<Self.rewrittenCount {
                let position = UInt32.random(in: 0..<UInt32(Self.slotCount))
                if let bytes = try readIfReadable(position) { slots.append((position, bytes)) }
            }
            do {
                try writeAndSynchronize(slots)
            } catch StoreError.diskFull {
                // A file system that writes everything to a new place had no room; the bytes are as they were.
            }
        }
    }

    private func writeAndSynchronize(_ slots: [(position: UInt32, bytes: [UInt8])]) throws(StoreError) {
        guard !slots.isEmpty else { return }
        do {
            for slot in slots { try file.write(slot.bytes, at: Self.offset(slot.position)) }
            try file.synchronizeData()
        } catch {
            // Part of the slots may be written; only a probe shows whether the disk can be believed again.
            condition.markDegraded()
            throw error
        }
    }

    private static func offset(_ position: UInt32) -> UInt64 {
        UInt64(position) * UInt64(slotByteCount)
    }
}

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
