import Glibc

/// Bytes that are overwritten when they go. What the heap frees in large blocks is not overwritten by itself, and the
/// names of a vault must not outlive its lock.
final class WipedBytes: @unchecked Sendable {
    // Nothing writes to it after `init`, so that any thread may read it.
    let bytes: UnsafeRawBufferPointer

    /// - Parameter fill: writes all of them.
    init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        let place = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, count), alignment: 16)
        place.initializeMemory(as: UInt8.self, repeating: 0)
        fill(UnsafeMutableRawBufferPointer(rebasing: place[..<count]))
        bytes = UnsafeRawBufferPointer(place)
    }

    deinit {
        let place = UnsafeMutableRawBufferPointer(mutating: bytes)
        if let start = place.baseAddress { explicit_bzero(start, place.count) }
        place.deallocate()
    }
}
