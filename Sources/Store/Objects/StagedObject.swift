internal import CLinux
import Glibc
import Synchronization

/// An object being written: a file without a name, which a crash makes vanish, or the named one of an unfinished
/// upload, of which only what its row lists counts. One writer at a time. Any failure is final: what was written is
/// dropped, and every later call throws the same error.
package final class StagedObject: Sendable {
    private static let writebackByteCount: UInt64 = 1 << 20

    private struct State {
        var file: OpenFile?
        /// Where a file without a name is made for the first bytes; nil once it was.
        var folder: Folder?
        var byteCount: UInt64 = 0
        var writebackEnd: UInt64 = 0
        var isSynchronized = false
        var failure: StoreError?
        /// What of it the ledger lists; nil for a file without a name.
        var listedByteCount: UInt64?
    }

    private let state: Mutex<State>
    private let condition: StoreCondition
    /// Whether it has a name already: then a change of the ledger must not publish it once more.
    package let isPublished: Bool

    /// A file without a name in `folder`, made with the first bytes.
    init(in folder: Folder, condition: StoreCondition) {
        isPublished = false
        state = Mutex(State(folder: folder))
        self.condition = condition
    }

    /// A file with a name, of which so many bytes are listed.
    init(file: OpenFile, condition: StoreCondition, listedByteCount: UInt64) {
        isPublished = true
        state = Mutex(
            State(
                file: file, byteCount: listedByteCount, writebackEnd: listedByteCount,
                listedByteCount: listedByteCount))
        self.condition = condition
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
    package func synchronize() throws {
        try attempt { state, file throws(StoreError) in
            try ObjectFolders.hideTime(of: file)
            try file.synchronizeData()
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
            state.folder = nil
            if state.failure == nil { state.failure = .ioFailed(operation: "using a discarded object", errno: EBADF) }
        }
    }

    /// The file, to be given a name. Once only: a published object is never written again, and Linux links a nameless
    /// file one single time.
    func takeForPublishing() throws -> OpenFile {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            guard !isPublished, let file = state.file, state.isSynchronized else {
                throw StoreError.failure("publishing an object that was not synced", EINVAL)
            }
            state.file = nil
            return file
        }
    }

    private func attempt(_ body: (inout State, OpenFile) throws(StoreError) -> Void) throws {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            do throws(StoreError) {
                if let folder = state.folder {
                    state.file = try folder.openTemporary()
                    state.folder = nil
                }
                guard let file = state.file else { throw StoreError.failure("using a published object", EBADF) }
                try body(&state, file)
            } catch {
                state.failure = error
                state.file = nil
                condition.noteWriteFailure(error)
                throw error
            }
        }
    }

    /// Keeps the final sync short by writing back while the upload still runs. Advice only: its outcome decides
    /// nothing.
    private static func startWriteback(_ state: inout State, _ file: OpenFile) {
        let count = state.byteCount - state.writebackEnd
        guard count >= writebackByteCount else { return }
        _ = linux_start_writeback(file.descriptor, off_t(clamping: state.writebackEnd), off_t(clamping: count))
        state.writebackEnd = state.byteCount
    }
}
