internal import CLinux
import Glibc
import Synchronization

/// An object being written: a file without a name up to its last sync, which a crash makes vanish, or the named one of
/// an unfinished upload, of which only what its row lists counts. One writer at a time. Any failure is final: what was
/// written is dropped, and every later call throws the same error.
package final class StagedObject: Sendable {
    /// A larger one gets its name only once its bytes are on disk: what a power cut leaves under a name that no row
    /// lists lies in quarantine for a month.
    private static let earlyNameByteCount: UInt64 = 16 << 20

    private struct State {
        var file: AppendedFile?
        var isBegun = false
        /// Set from its sync until a change of the ledger takes it.
        var name: UnlistedName?
        /// Kept when the file is closed.
        var byteCount: UInt64 = 0
        var isSynchronized = false
        var failure: StoreError?
        /// What of it the ledger lists; nil for a file without a name.
        var listedByteCount: UInt64?

        mutating func dropName() {
            name?.drop()
            name = nil
        }
    }

    private let state: Mutex<State>
    /// Drawn before it is given. Apart from the rest, which whoever writes holds for as long as the disk takes.
    private let drawnName = Mutex<UnlistedName?>(nil)
    private let condition: StoreCondition
    /// Nil for a file with a name.
    private let naming: ObjectNaming?
    /// Whether it has a name already: then a change of the ledger must not publish it once more.
    package var isPublished: Bool { naming == nil }

    /// A file without a name, made with the first bytes.
    init(naming: ObjectNaming, condition: StoreCondition) {
        state = Mutex(State())
        self.naming = naming
        self.condition = condition
    }

    /// A file with a name, of which so many bytes are listed.
    init(file: OpenFile, condition: StoreCondition, listedByteCount: UInt64) {
        naming = nil
        state = Mutex(
            State(
                file: AppendedFile(file, byteCount: listedByteCount), isBegun: true, byteCount: listedByteCount,
                listedByteCount: listedByteCount))
        self.condition = condition
    }

    deinit {
        // Whoever lost interest before a change of the ledger took it.
        state.withLock { $0.dropName() }
    }

    package var byteCount: UInt64 { state.withLock { $0.byteCount } }

    /// Appends. Throws `diskFull` when there is no room.
    package func write(_ bytes: UnsafeRawBufferPointer) throws {
        try append { file throws(StoreError) in try file.append(bytes) }
    }

    /// Appends what is in `blocks` from `start` on, past the page cache if that is where it comes in a block of the
    /// file, and the memory is aligned like one. What is before `start` may be overwritten.
    package func write(_ blocks: UnsafeMutableRawBufferPointer, from start: Int) throws {
        try append { file throws(StoreError) in try file.append(blocks, from: start) }
    }

    /// What is no larger is on disk soon after its last byte, also where much has to be written back.
    package static let photoByteCount = AppendedFile.photoByteCount

    /// In which memory and file have to be aligned for that.
    package static let blockByteCount = AppendedFile.blockByteCount

    private func append(_ body: (inout AppendedFile) throws(StoreError) -> Void) throws {
        try attempt { state, file throws(StoreError) in
            state.isSynchronized = false
            try body(&file)
            state.byteCount = file.byteCount
        }
    }

    /// Waits until everything written is on disk. A failure also turns the store degraded.
    ///
    /// A file without a name gets it before that, where it is small: file systems with a journal then write both in one
    /// commit, and little is left to wait for when the folder is synced.
    package func synchronize() throws {
        try attempt { state, file throws(StoreError) in
            try file.writeTail()
            let file = file.file
            try ObjectFolders.hideTime(of: file)
            let isEarly = state.byteCount <= Self.earlyNameByteCount
            if isEarly { try giveName(file, &state) }
            try file.synchronizeData()
            if !isEarly { try giveName(file, &state) }
            state.isSynchronized = true
        }
    }

    /// A change of the ledger that lists all that was written, for a published object, is durable.
    package func markListed() {
        state.withLock { $0.listedByteCount = $0.byteCount }
    }

    /// Ends writing and leaves the file as it is: for a change of which nobody knows whether it came through.
    package func release() {
        state.withLock { state in
            state.listedByteCount = nil
            state.file = nil
            state.dropName()
        }
    }

    /// Drops what was written and is not listed. Cutting it off is for the room only: whoever goes on cuts again.
    package func discard() {
        state.withLock { state in
            if let listed = state.listedByteCount, listed < state.byteCount, let file = state.file?.file {
                try? file.truncate(to: listed)
                try? ObjectFolders.hideTime(of: file)
            }
            state.file = nil
            state.dropName()
            if state.failure == nil { state.failure = .ioFailed(operation: "using a discarded object", errno: EBADF) }
        }
    }

    /// The name under which it can be opened for reading once it is synchronized, whether or not a row lists it.
    package func arrivingName() throws -> ObjectID { try drawName() }

    /// The name that it has or will have, for the rows that list it: known before it is synchronized.
    func drawName() throws -> ObjectID {
        guard let naming else { throw StoreError.failure("naming an object that has a name", EINVAL) }
        return try drawnName(by: naming).id
    }

    private func drawnName(by naming: ObjectNaming) throws(StoreError) -> UnlistedName {
        try drawnName.withLock { drawn throws(StoreError) in
            if let drawn { return drawn }
            let name = try naming.drawName()
            drawn = name
            return name
        }
    }

    /// Its name, under which it lies. Once only: a published object is never written again.
    func takeForPublishing() throws -> UnlistedName {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            guard let name = state.name, state.isSynchronized else {
                throw StoreError.failure("publishing an object that was not synced", EINVAL)
            }
            state.file = nil
            state.name = nil
            return name
        }
    }

    private func attempt(_ body: (inout State, inout AppendedFile) throws(StoreError) -> Void) throws {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            do throws(StoreError) {
                if !state.isBegun, let naming {
                    state.file = AppendedFile(try naming.makeFile(), byteCount: 0)
                    state.isBegun = true
                }
                guard var file = state.file else { throw StoreError.failure("using a published object", EBADF) }
                // It changes in its place, not in a copy.
                state.file = nil
                try body(&state, &file)
                state.file = file
            } catch {
                state.failure = error
                state.file = nil
                state.dropName()
                condition.noteWriteFailure(error)
                throw error
            }
        }
    }

    private func giveName(_ file: OpenFile, _ state: inout State) throws(StoreError) {
        guard let naming, state.name == nil else { return }
        let name = try drawnName(by: naming)
        try name.give(to: file)
        state.name = name
    }
}

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
