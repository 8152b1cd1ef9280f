#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Scratch memory of a fixed size for a secret on its way in: filled once, lent out, overwritten when it goes.
struct CleansedBytes: ~Copyable {
    private let memory: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(capacity: Int) {
        memory = .allocate(byteCount: max(capacity, 1), alignment: 1)
    }

    deinit {
        Self.wipe(memory)
        memory.deallocate()
    }

    /// Appends a byte; false when the memory is full.
    mutating func append(_ byte: UInt8) -> Bool {
        guard count < memory.count else { return false }
        memory[count] = byte
        count += 1
        return true
    }

    /// Appends the UTF-8 form of a character; false when the memory is full.
    mutating func append(_ scalar: Unicode.Scalar) -> Bool {
        for byte in UTF8.encode(scalar).map(Array.init) ?? [] {
            guard append(byte) else { return false }
        }
        return true
    }

    /// Lends the bytes of `range`, cut to what is there.
    borrowing func withBytes<Result, Failure: Error>(
        in range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(rebasing: memory[range.clamped(to: 0..<count)]))
    }

    /// Overwrites memory in a way that the optimiser may not leave out.
    static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        guard let base = memory.baseAddress else { return }
        explicit_bzero(base, memory.count)
    }
}
