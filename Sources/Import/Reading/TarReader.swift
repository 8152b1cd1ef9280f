/// Reads a tar archive (POSIX pax, ustar, and the names of GNU) from its first block to its last, in constant memory.
package final class TarReader: EntryReader {
    private static let blockByteCount = 512
    /// More than any list of names and times takes.
    private static let longestHeader: UInt64 = 1 << 20

    private let stream: any ByteStream
    private let file: PositionedFile
    private var ordinal = -1
    /// Of the present entry: content, and the zeros behind it.
    private var left: UInt64 = 0
    private var padding: UInt64 = 0
    private var refusal: String?
    private var isAtEnd = false
    private var scratch = [UInt8](repeating: 0, count: 32 << 10)

    package var consumedByteCount: UInt64 { stream.consumedByteCount }
    package var totalByteCount: UInt64 { file.byteCount }

    /// - Throws: `ImportError.source`.
    package convenience init(path: String, isCompressed: Bool) throws {
        try self.init(PositionedFile(path: path), isCompressed: isCompressed)
    }

    init(_ file: PositionedFile, isCompressed: Bool) throws {
        self.file = file
        stream = isCompressed ? try GzipStream(file) : PlainStream(file)
    }

    package func next() throws -> ImportEntry? {
        guard !isAtEnd else { return nil }
        try pass()
        var extended = TarAttributes()
        while let block = try header() {
            let size = try extended.byteCount ?? block.byteCount
            switch block.kind {
            case "x", "L", "K": extended.take(block.kind, try content(size))
            case "g": _ = try content(size)
            case "5", "D", "V": try begin(size, refusal: nil, pass: true)
            default: return try entry(block, extended, size)
            }
        }
        isAtEnd = true
        return nil
    }

    private func entry(_ block: TarBlock, _ extended: TarAttributes, _ size: UInt64) throws -> ImportEntry {
        let (path, wrong) = EntryName.checked(EntryName.text(extended.path ?? block.path))
        var why = wrong
        if why == nil, extended.isSparse || block.kind == "S" { why = "it has holes, which cannot be read" }
        if why == nil, !["0", "\0", "7", "S"].contains(block.kind) {
            why = ["1", "2"].contains(block.kind) ? "it is a link" : "it is no file"
        }
        // Links have a size in some archives, and no content.
        try begin(["1", "2"].contains(block.kind) ? 0 : size, refusal: why, pass: false)
        ordinal += 1
        return ImportEntry(
            ordinal: ordinal, path: path, byteCount: size, modifiedAt: extended.modifiedAt ?? block.modifiedAt,
            refusal: why)
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        if let refusal { throw ImportError.entry(refusal) }
        let wanted = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(UInt64(buffer.count), left))])
        guard !wanted.isEmpty else { return 0 }
        let count = try stream.read(into: wanted)
        guard count > 0 else { throw ImportError.source(PositionedFile.cutOff) }
        left -= UInt64(count)
        return count
    }

    // MARK: Blocks

    private func begin(_ size: UInt64, refusal: String?, pass isPassed: Bool) throws {
        guard size <= UInt64(Int64.max) else { throw ImportError.source("has a damaged header") }
        left = size
        padding = (512 - size % 512) % 512
        self.refusal = refusal
        if isPassed { try pass() }
    }

    private func pass() throws {
        var rest = left + padding
        (left, padding) = (0, 0)
        while rest > 0 {
            let count = try scratch.withUnsafeMutableBytes { buffer in
                try stream.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(clamping: rest))))
            }
            guard count > 0 else { throw ImportError.source(PositionedFile.cutOff) }
            rest -= UInt64(count)
        }
    }

    /// The content of a header that goes before another.
    private func content(_ size: UInt64) throws -> [UInt8] {
        guard size <= Self.longestHeader else { throw ImportError.source("has a damaged header") }
        try begin(size, refusal: nil, pass: false)
        let bytes = try exactly(Int(size)) ?? []
        guard bytes.count == Int(size) else { throw ImportError.source(PositionedFile.cutOff) }
        left = 0
        try pass()
        return bytes
    }

    /// Nil at the end: a block of zeros, or none where the archive may end.
    private func header() throws -> TarBlock? {
        guard let bytes = try exactly(Self.blockByteCount) else {
            throw ImportError.source(PositionedFile.cutOff)
        }
        guard bytes.contains(where: { $0 != 0 }) else {
            // What is packed is read to its end, for the checksum stands there.
            while try scratch.withUnsafeMutableBytes({ try stream.read(into: $0) }) > 0 {}
            return nil
        }
        guard let block = TarBlock(bytes) else { throw ImportError.source("has a damaged header") }
        return block
    }

    /// Nil where not a byte is left.
    private func exactly(_ count: Int) throws -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let read = try bytes.withUnsafeMutableBytes {
                try stream.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...]))
            }
            guard read > 0 else {
                guard filled == 0 else { throw ImportError.source(PositionedFile.cutOff) }
                return nil
            }
            filled += read
        }
        return bytes
    }
}
