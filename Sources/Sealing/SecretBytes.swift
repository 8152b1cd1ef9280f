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
