import Glibc
import Synchronization

/// `store.header`: three copies, of which any good one heals the others.
final class HeaderFile: Sendable {
    private let file: OpenFile
    private let condition: StoreCondition
    private let current: Mutex<HostHeader>

    private init(_ file: OpenFile, _ condition: StoreCondition, _ header: HostHeader) {
        self.file = file
        self.condition = condition
        current = Mutex(header)
    }

    var header: HostHeader { current.withLock { $0 } }

    /// The header that counts, read without changing anything; nil when there is no file.
    static func inspect(in folder: Folder) throws(StoreError) -> HostHeader? {
        guard let file = try folder.openIfPresent(StoreLayout.header, O_RDONLY) else { return nil }
        return try choose(copies(in: file))
    }

    /// The header that counts, read without changing anything.
    /// - Parameter path: that of the folder, for the refusal when there is no store in it.
    @discardableResult
    static func require(in folder: Folder, path: String) throws(StoreError) -> HostHeader {
        try choose(copies(in: requireFile(in: folder, path: path)))
    }

    /// The same of a store that this program may change.
    @discardableResult
    static func requireChangeable(in folder: Folder, path: String) throws(StoreError) -> HostHeader {
        let header = try require(in: folder, path: path)
        try header.requireChangeable()
        return header
    }

    /// Whether something may be noted in a folder: it holds a store, and none of a later version, of which not a byte is
    /// changed. A store whose header is damaged has its notes all the same: a daemon may be serving it.
    static func takesNotes(_ folder: Folder) -> Bool {
        guard folder.contains(StoreLayout.header) else { return false }
        do {
            return try inspect(in: folder)?.features.areChangeable ?? false
        } catch {
            if case .newerFormat = error { return false }
            return true
        }
    }

    static func requireFile(in folder: Folder, path: String) throws(StoreError) -> OpenFile {
        guard let file = try folder.openIfPresent(StoreLayout.header, O_RDONLY) else {
            throw .unusable("\(path) has no \(StoreLayout.header); it is not a data directory.")
        }
        return file
    }

    static func copies(in file: OpenFile) throws(StoreError) -> [HeaderCopy.Content] {
        var copies: [HeaderCopy.Content] = []
        for index in 0..<HeaderCopy.count { copies.append(try copy(index, in: file)) }
        return copies
    }

    /// One that the disk cannot read is damaged: the others stand in for it.
    private static func copy(_ index: Int, in file: OpenFile) throws(StoreError) -> HeaderCopy.Content {
        let bytes: [UInt8]
        do {
            bytes = try file.bytes(at: UInt64(index * HeaderCopy.byteCount), count: HeaderCopy.byteCount)
        } catch .ioFailed(_, EIO) {
            return .damaged
        }
        return try HeaderCopy.decode(bytes)
    }

    /// The file with all three copies good.
    static func bytes(of header: HostHeader) throws(StoreError) -> [UInt8] {
        let copy = try HeaderCopy.encode(header)
        return copy + copy + copy
    }

    /// Refuses when a copy is of a newer format, or when none is good.
    static func choose(_ copies: [HeaderCopy.Content]) throws(StoreError) -> HostHeader {
        var best: HostHeader?
        var newer: UInt32?
        for case .newer(let version) in copies { newer = max(newer ?? 0, version) }
        for case .valid(let header) in copies where header.sequence > best?.sequence ?? 0 { best = header }
        if best == nil {
            for case .damagedNewer(let version) in copies { newer = newer ?? version }
        }
        if let newer { throw .newerFormat(found: newer, supported: HostHeader.supportedFormatVersion) }
        guard let best else {
            throw .unusable(
                "All three copies in \(StoreLayout.header) are damaged. Put this file back from a backup; "
                    + "nothing else was touched.")
        }
        return best
    }

    /// Opens the file and writes damaged or older copies again.
    static func open(
        in folder: Folder, condition: StoreCondition, _ report: inout StartupReport
    ) throws(StoreError) -> HeaderFile {
        let file = try folder.open(StoreLayout.header, O_RDWR)
        let copies = try copies(in: file)
        let header = try choose(copies)
        let opened = HeaderFile(file, condition, header)
        for index in copies.indices where copies[index] != .valid(header) { opened.heal(index, &report) }
        return opened
    }

    /// Another copy is good: one that cannot be written is no reason to keep anybody from the photos.
    private func heal(_ index: Int, _ report: inout StartupReport) {
        do {
            try write(header, to: [index])
            report.healedHeaderCopies += 1
        } catch {
            report.notes.append(
                "Header copy \(index) is damaged and could not be written again (\(error)); the next start tries again."
            )
        }
    }

    /// The file of a new store, complete and synced under its name.
    static func create(_ header: HostHeader, in folder: Folder) throws(StoreError) {
        let bytes = try bytes(of: header)
        try folder.unlink(StoreLayout.newHeader)
        let file = try folder.open(StoreLayout.newHeader, O_RDWR | O_CREAT | O_EXCL)
        try file.write(bytes, at: 0)
        try file.synchronize()
        try folder.rename(StoreLayout.newHeader, to: StoreLayout.header)
        try folder.synchronize()
    }

    /// Writes `header` under the next sequence number, each copy synced before the next is touched.
    func replace(_ header: HostHeader) throws {
        try condition.requireSound()
        try current.withLock { current in
            var next = header
            next.sequence = current.sequence + 1
            next.writer = HostHeader.currentWriter
            try write(next, to: Array(0..<HeaderCopy.count))
            current = next
        }
    }

    private func write(_ header: HostHeader, to copies: [Int]) throws(StoreError) {
        let bytes = try HeaderCopy.encode(header)
        for index in copies {
            do {
                try file.write(bytes, at: UInt64(index * HeaderCopy.byteCount))
                try file.synchronizeData()
            } catch {
                condition.noteWriteFailure(error)
                throw error
            }
        }
    }
}
