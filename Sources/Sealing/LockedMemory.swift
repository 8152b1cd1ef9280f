import Glibc
import Synchronization

/// Pages that are never swapped out, never part of a core dump, and empty in a forked child.
///
/// Locked memory is scarce (RLIMIT_MEMLOCK is often 8 MiB), so secrets of up to 128 bytes, which nearly all are, share
/// pages; a page once locked for them stays and is used again. Larger secrets have pages of their own.
enum LockedMemory {
    static let slotByteCount = 128

    private static let freeSlots = Mutex<[LockedBlock]>([])

    /// Zero-filled memory for at least `byteCount` bytes.
    static func allocate(byteCount: Int) throws -> LockedBlock {
        if byteCount > slotByteCount { return try lockPages(byteCount: byteCount) }
        return try freeSlots.withLock { slots in
            if slots.isEmpty { slots = try lockSlots() }
            return slots.removeLast()
        }
    }

    /// Takes back a block. It is wiped here, so that no way of giving it back forgets to.
    static func release(_ block: LockedBlock) {
        cleanse(UnsafeMutableRawBufferPointer(start: block.start, count: block.byteCount))
        if block.byteCount == slotByteCount {
            freeSlots.withLock { $0.append(block) }
        } else {
            // Unmapping also unlocks.
            munmap(block.start, block.byteCount)
        }
    }

    private static func lockSlots() throws -> [LockedBlock] {
        let page = try lockPages(byteCount: pageByteCount)
        return stride(from: 0, to: page.byteCount, by: slotByteCount).map {
            LockedBlock(start: page.start + $0, byteCount: slotByteCount)
        }
    }

    private static func lockPages(byteCount: Int) throws -> LockedBlock {
        let (padded, overflow) = byteCount.addingReportingOverflow(pageByteCount - 1)
        guard !overflow else { throw SealingError.invalidParameters("secret too large") }
        let rounded = padded / pageByteCount * pageByteCount
        guard
            let start = mmap(nil, rounded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            start != MAP_FAILED
        else { throw SealingError.memoryNotLockable(errno: errno) }
        guard
            mlock(start, rounded) == 0,
            madvise(start, rounded, MADV_DONTDUMP) == 0,
            madvise(start, rounded, MADV_WIPEONFORK) == 0
        else {
            let reason = errno
            munmap(start, rounded)
            throw SealingError.memoryNotLockable(errno: reason)
        }
        return LockedBlock(start: start, byteCount: rounded)
    }

    private static let pageByteCount = Int(getpagesize())
}

/// A stretch of locked memory that belongs to exactly one `SecretBytes` at a time.
///
/// `@unchecked Sendable`: the address is a number to everybody but the one `~Copyable` owner of the block, and the
/// owner's `borrowing` and `mutating` methods order reads and writes.
struct LockedBlock: @unchecked Sendable {
    let start: UnsafeMutableRawPointer
    /// Usable bytes, at least as many as were asked for.
    let byteCount: Int
}
