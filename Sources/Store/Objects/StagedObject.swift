internal import CLinux
import Glibc
import Synchronization

/// An object being written: a file without a name up to its last sync, which a crash makes vanish, or the named one of
/// an unfinished upload, of which only what its row lists counts. One writer at a time. Any failure is final: what was
/// written is dropped, and every later call throws the same error.
package final class StagedObject: Sendable {
    /// What is written back at once of a photo, so that its sync has little left to wait for, and of what has become
    /// larger than photos are, where fewer requests are faster.
    private static let writeback: (ofPhoto: UInt64, ofMore: UInt64) = (64 << 10, 1 << 20)
    private static let photoByteCount: UInt64 = 8 << 20
    /// A larger one gets its name only once its bytes are on disk: what a power cut leaves under a name that no row
    /// lists lies in quarantine for a month.
    private static let earlyNameByteCount: UInt64 = 16 << 20

    private struct State {
        var file: OpenFile?
        var isBegun = false
        /// Set from its sync until a change of the ledger takes it.
        var name: UnlistedName?
        var byteCount: UInt64 = 0
        var writebackEnd: UInt64 = 0
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
                file: file, isBegun: true, byteCount: listedByteCount, writebackEnd: listedByteCount,
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
        try attempt { state, file throws(StoreError) in
            state.isSynchronized = false
            try file.write(bytes, at: state.byteCount)
            state.byteCount += UInt64(bytes.count)
            Self.startWriteback(&state, file)
        }
    }

    /// Waits until everything written is on disk. A failure also turns the store degraded.
    ///
    /// A file without a name gets it before that, where it is small: file systems with a journal then write both in one
    /// commit, and little is left to wait for when the folder is synced.
    package func synchronize() throws {
        try attempt { state, file throws(StoreError) in
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
            if let listed = state.listedByteCount, listed < state.byteCount, let file = state.file {
                try? file.truncate(to: listed)
                try? ObjectFolders.hideTime(of: file)
            }
            state.file = nil
            state.dropName()
            if state.failure == nil { state.failure = .ioFailed(operation: "using a discarded object", errno: EBADF) }
        }
    }

    /// Its name, for the rows that list it. Once only: a published object is never written again.
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

    private func attempt(_ body: (inout State, OpenFile) throws(StoreError) -> Void) throws {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            do throws(StoreError) {
                if !state.isBegun, let naming {
                    state.file = try naming.makeFile()
                    state.isBegun = true
                }
                guard let file = state.file else { throw StoreError.failure("using a published object", EBADF) }
                try body(&state, file)
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
        state.name = try naming.name(file)
    }

    /// Keeps the final sync short by writing back while the upload still runs. Advice only: its outcome decides
    /// nothing.
    private static func startWriteback(_ state: inout State, _ file: OpenFile) {
        let count = state.byteCount - state.writebackEnd
        guard count >= (state.byteCount <= photoByteCount ? writeback.ofPhoto : writeback.ofMore) else { return }
        _ = linux_start_writeback(file.descriptor, off_t(clamping: state.writebackEnd), off_t(clamping: count))
        state.writebackEnd = state.byteCount
    }
}
