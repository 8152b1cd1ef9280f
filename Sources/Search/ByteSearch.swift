import Glibc

/// Where a few bytes stand among many, by Horspool's rule: a byte that is not among them lets the search leap over as
/// many as there are.
struct ByteSearch {
    let needle: [UInt8]
    private let leaps: [Int]

    init(_ needle: [UInt8]) {
        self.needle = needle
        var leaps = [Int](repeating: needle.count, count: 256)
        for (index, byte) in needle.dropLast().enumerated() { leaps[Int(byte)] = needle.count - 1 - index }
        self.leaps = leaps
    }

    /// The first place at or behind `start`; nil without one, and for no bytes.
    func first(in text: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int? {
        guard let base = text.baseAddress, let last = needle.last, start < end else { return nil }
        guard needle.count > 1 else {
            return memchr(base + start, Int32(last), end - start).map { UnsafeRawPointer($0) - base }
        }
        return needle.withUnsafeBytes { needle in
            leaps.withUnsafeBufferPointer { leaps in
                let bytes = base.assumingMemoryBound(to: UInt8.self)
                var place = start + needle.count - 1
                while place < end {
                    let byte = bytes[place]
                    let first = place - needle.count + 1
                    if byte == last, let start = needle.baseAddress, memcmp(base + first, start, needle.count) == 0 {
                        return first
                    }
                    place += leaps[Int(byte)]
                }
                return nil
            }
        }
    }
}
