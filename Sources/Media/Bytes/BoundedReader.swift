/// Reads ranges of a source for parsers that trust nothing the file says: every answer is either exactly the bytes asked
/// for or nil, and what is read in all is limited.
///
/// The first failure of the source is kept and ends all reading, so that parsers need no errors of their own.
final class BoundedReader {
    struct Limits {
        /// What one read of the source may ask for.
        var bytesPerRead = 1 << 20
        var reads = 2048
        var bytes = 24 << 20
        /// How many bytes may come out of packed metadata, in all.
        var unpackedBytes = 16 << 20
    }

    private static let bytesPerUnpacking = 4 << 20

    let byteCount: UInt64
    private(set) var failure: (any Error)?
    private let readSource: (UInt64, Int) throws -> [UInt8]
    private var left: Limits
    private var window: [UInt8] = []
    private var windowStart: UInt64 = 0

    /// Read at once, for the next question is mostly about what follows.
    private static let windowByteCount = 4096

    init(_ source: some ByteSource, limits: Limits = Limits()) {
        byteCount = source.byteCount
        left = limits
        readSource = { try source.read(at: $0, count: $1) }
    }

    /// Exactly `count` bytes; nil beyond the end, beyond the limits and after a failure.
    func bytes(at offset: UInt64, count: Int) -> [UInt8]? {
        guard count >= 0, offset <= byteCount, UInt64(count) <= byteCount - offset else { return nil }
        if count > Self.windowByteCount { return collect(at: offset, count: count) }
        if let held = held(at: offset, count: count) { return held }
        let wanted = Int(min(UInt64(Self.windowByteCount), byteCount - offset))
        guard let read = collect(at: offset, count: wanted) else { return nil }
        (window, windowStart) = (read, offset)
        return held(at: offset, count: count)
    }

    /// The payload of a picture's chunk of metadata; nil also for what is larger than any camera writes.
    func metadata(in range: Range<UInt64>) -> [UInt8]? {
        range.upperBound - range.lowerBound <= 4 << 20 ? bytes(at: range.lowerBound, count: range.count) : nil
    }

    /// What comes out of a packed piece of metadata; nil also beyond the limits. A piece that gives nothing costs as much as
    /// the largest, so that a file full of them keeps nobody busy.
    /// - Parameter unpack: gives at most so many bytes, or nil
    func unpacked(_ unpack: (_ limit: Int) -> [UInt8]?) -> [UInt8]? {
        guard left.unpackedBytes > 0 else { return nil }
        let content = unpack(min(Self.bytesPerUnpacking, left.unpackedBytes))
        left.unpackedBytes -= content?.count ?? Self.bytesPerUnpacking
        return content
    }

    private func held(at offset: UInt64, count: Int) -> [UInt8]? {
        guard offset >= windowStart, offset - windowStart <= UInt64(window.count) else { return nil }
        return window.bytes(at: Int(offset - windowStart), count: count)
    }

    private func collect(at offset: UInt64, count: Int) -> [UInt8]? {
        guard failure == nil, count <= left.bytes else { return nil }
        left.bytes -= count
        var collected: [UInt8] = []
        while collected.count < count {
            guard left.reads > 0 else { return nil }
            left.reads -= 1
            let wanted = min(count - collected.count, left.bytesPerRead)
            guard let piece = piece(at: offset + UInt64(collected.count), count: wanted) else { return nil }
            collected += piece
        }
        return collected
    }

    private func piece(at offset: UInt64, count: Int) -> [UInt8]? {
        do {
            let piece = try readSource(offset, count)
            return piece.isEmpty || piece.count > count ? nil : piece
        } catch {
            failure = error
            return nil
        }
    }
}

/// A file that is read by ranges, for the facts may lie anywhere in it (an MP4's index often lies at its end).
package protocol ByteSource {
    var byteCount: UInt64 { get }

    /// The bytes from `offset` on: `count` of them, fewer only where the file ends. Blocks while it waits.
    func read(at offset: UInt64, count: Int) throws -> [UInt8]
}

/// Why a file could not be looked into.
package enum MediaError: Error {
    /// The source could not be read. A file that is merely damaged is no error: it says less about itself.
    case source(any Error)
    /// No clean copy can be made of the file: it is of another kind, or its parts cannot be told apart.
    case noCleanCopy
}

extension [UInt8]: ByteSource {
    package var byteCount: UInt64 { UInt64(count) }

    package func read(at offset: UInt64, count: Int) -> [UInt8] {
        guard count > 0, let start = Int(exactly: offset), start < self.count else { return [] }
        return [UInt8](self[start..<start + Swift.min(count, self.count - start)])
    }
}

extension [UInt8] {
    /// Exactly `count` bytes from `offset` on, or nil.
    func bytes(at offset: Int, count: Int) -> [UInt8]? {
        guard offset >= 0, count >= 0, offset <= self.count, count <= self.count - offset else { return nil }
        return [UInt8](self[offset..<offset + count])
    }

    /// The integer at `offset`, most significant byte first unless `isLittleEndian`; nil where the bytes end before.
    func integer<Integer: FixedWidthInteger>(
        _: Integer.Type = Integer.self, at offset: Int, isLittleEndian: Bool = false
    ) -> Integer? {
        let size = Integer.bitWidth / 8
        guard offset >= 0, offset <= count, size <= count - offset else { return nil }
        var value: Integer = 0
        for index in 0..<size {
            let byte = self[offset + (isLittleEndian ? size - 1 - index : index)]
            value = value << 8 | Integer(truncatingIfNeeded: byte)
        }
        return value
    }

    /// The text before the first zero byte, without white space around it; nil if nothing is left of it.
    var text: String? {
        let decoded = String(decoding: prefix { $0 != 0 }, as: UTF8.self)
        let words = decoded.drop(while: \.isWhitespace)
        guard let last = words.lastIndex(where: { !$0.isWhitespace }) else { return nil }
        return String(words[...last])
    }
}
