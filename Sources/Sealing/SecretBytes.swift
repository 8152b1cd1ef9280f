import COpenSSL
import Glibc
import Synchronization

/// Bytes that must not leave memory: locked pages, no core dump, empty after a fork, wiped when the value ends.
///
/// It cannot be copied by accident; `duplicate()` says so where a second one is wanted. May be empty.
///
/// `@unchecked Sendable`: the memory has one owner (`~Copyable`), is read through `borrowing` and written only through
/// `mutating` methods, so the compiler's exclusivity rule is the proof.
package struct SecretBytes: ~Copyable, @unchecked Sendable {
    /// Bytes held; the memory behind may be larger.
    package let count: Int
    private let block: LockedBlock

    /// Locked memory that `fill` writes in place. When `fill` throws, what it wrote is wiped.
    ///
    /// - Throws: `SealingError.memoryNotLockable`, or what `fill` throws.
    package init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws -> Void) throws {
        guard count >= 0 else { throw SealingError.invalidParameters("negative secret size") }
        let block = try LockedMemory.allocate(byteCount: count)
        do {
            try fill(UnsafeMutableRawBufferPointer(start: block.start, count: count))
        } catch {
            LockedMemory.release(block)
            throw error
        }
        self.count = count
        self.block = block
    }

    /// A fresh secret from the private random generator.
    package init(random count: Int) throws {
        try self.init(count: count) { try fillWithSecretRandomness($0) }
    }

    /// A copy; wiping the original is the caller's part.
    package init(copying bytes: UnsafeRawBufferPointer) throws {
        try self.init(count: bytes.count) { $0.copyMemory(from: bytes) }
    }

    /// A copy; wiping the original is the caller's part.
    package init(copying bytes: [UInt8]) throws {
        try self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    deinit {
        LockedMemory.release(block)
    }

    /// The bytes, valid only inside `body`. The address is never nil, not even when `count` is 0.
    package borrowing func withUnsafeBytes<R: ~Copyable>(
        _ body: (UnsafeRawBufferPointer) throws -> R
    ) rethrows -> R {
        try body(UnsafeRawBufferPointer(start: block.start, count: count))
    }

    mutating func withUnsafeMutableBytes<R: ~Copyable>(
        _ body: (UnsafeMutableRawBufferPointer) throws -> R
    ) rethrows -> R {
        try body(UnsafeMutableRawBufferPointer(start: block.start, count: count))
    }

    /// A second, independent secret with the same bytes.
    package borrowing func duplicate() throws -> SecretBytes {
        try withUnsafeBytes { try SecretBytes(copying: $0) }
    }

    /// Compares in time that depends only on the lengths.
    package borrowing func equals(_ other: borrowing SecretBytes) -> Bool {
        withUnsafeBytes { mine in other.withUnsafeBytes { constantTimeEquals(mine, $0) } }
    }
}

/// A secret that closures on other threads may hold; wiped with the last reference.
package final class SharedSecret: Sendable {
    package let bytes: SecretBytes

    package init(_ bytes: consuming SecretBytes) {
        self.bytes = bytes
    }
}

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

/// Random bytes that may become public: salts, identifiers, filler.
package func randomBytes(_ count: Int) throws -> [UInt8] {
    guard count >= 0 else { throw SealingError.invalidParameters("negative number of random bytes") }
    var bytes = [UInt8](repeating: 0, count: count)
    try bytes.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in try fillWithRandomness(buffer) }
    return bytes
}

func fillWithRandomness(_ buffer: UnsafeMutableRawBufferPointer) throws {
    try fill(buffer) { RAND_bytes($0, $1) }
}

/// From the generator whose output is never published, so that published values tell nothing about keys.
func fillWithSecretRandomness(_ buffer: UnsafeMutableRawBufferPointer) throws {
    try fill(buffer) { RAND_priv_bytes($0, $1) }
}

private func fill(
    _ buffer: UnsafeMutableRawBufferPointer, from generator: (UnsafeMutablePointer<UInt8>, Int32) -> Int32
) throws {
    guard let start = buffer.baseAddress, buffer.count > 0 else { return }
    guard let count = Int32(exactly: buffer.count) else {
        throw SealingError.invalidParameters("too many random bytes at once")
    }
    try check(generator(start.assumingMemoryBound(to: UInt8.self), count), "RAND_bytes")
}
