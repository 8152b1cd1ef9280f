import Imaging

/// Reads a tar archive (POSIX pax, ustar, and the names of GNU) from its first block to its last, in constant memory.
final class TarReader: EntryReader {
    private static let blockByteCount = 512
    /// More than any list of names and times takes.
    private static let longestHeader: UInt64 = 1 << 20
    private static let damaged = "has a damaged header"

    private let stream: any ByteStream
    private let file: PositionedFile
    private var ordinal = -1
    /// Of the present entry: content, and the zeros behind it.
    private var left: UInt64 = 0
    private var padding: UInt64 = 0
    private var refusal: String?
    private var isAtEnd = false
    private var scratch = [UInt8](repeating: 0, count: 32 << 10)

    var consumedByteCount: UInt64 { stream.consumedByteCount }
    var totalByteCount: UInt64 { file.byteCount }

    /// - Throws: `ImportError.source`.
    convenience init(path: String, _ compression: ImportSource.Compression, _ unpacker: Unpacker) throws {
        let file = try PositionedFile(path: path)
        switch compression {
        case .none: self.init(file, PlainStream(file))
        case .gzip: self.init(file, try GzipStream(file))
        case .packed(let packing):
            let unpacking = Unpacking(file, unpacker)
            try unpacking.begin(packing, 0..<file.byteCount)
            self.init(file, unpacking)
        }
    }

    private init(_ file: PositionedFile, _ stream: any ByteStream) {
        self.file = file
        self.stream = stream
    }

    func next() throws -> ImportEntry? {
        guard !isAtEnd else { return nil }
        try pass()
        var extended = TarAttributes()
        while let block = try header() {
            let size = try extended.byteCount ?? block.byteCount
            switch block.kind {
            case "x", "L", "K": extended.take(block.kind, try content(size))
            case "g": _ = try content(size)
            // The list of an incremental archive's folder, or a label.
            case "D", "V": try begin(size, refusal: nil, pass: true)
            case "5" where size == 0: try begin(0, refusal: nil, pass: true)
            default: return try entry(block, extended, size)
            }
        }
        isAtEnd = true
        return nil
    }

    private func entry(_ block: TarBlock, _ extended: TarAttributes, _ size: UInt64) throws -> ImportEntry {
        let written = extended.path ?? block.path
        let (path, wrong) = EntryName.checked(EntryName.text(written))
        var why = wrong
        if why == nil, extended.isSparse || block.kind == "S" { why = "it has holes, which cannot be read" }
        // A second name of an entry before it.
        let target = block.kind == "1" ? EntryName.text(extended.linkPath ?? block.linkPath) : nil
        if why == nil, !["0", "\0", "7", "S", "1"].contains(block.kind) {
            why = block.kind == "2" ? "it is a link" : "it is no file"
        }
        // Links have a size in some archives, and no content.
        try begin(["1", "2"].contains(block.kind) ? 0 : size, refusal: why, pass: false)
        ordinal += 1
        var entry = ImportEntry(
            ordinal: ordinal, path: path, byteCount: size, modifiedAt: extended.modifiedAt ?? block.modifiedAt,
            refusal: why, target: target)
        entry.isPathGuessed = EntryName.isGuess(written)
        return entry
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
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
        guard size <= UInt64(Int64.max) else { throw ImportError.source(Self.damaged) }
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
        guard size <= Self.longestHeader else { throw ImportError.source(Self.damaged) }
        try begin(size, refusal: nil, pass: false)
        let bytes = try exactly(Int(size)) ?? []
        guard bytes.count == Int(size) else { throw ImportError.source(PositionedFile.cutOff) }
        left = 0
        try pass()
        return bytes
    }

    /// Nil at the end. Blocks of zeros say where that is, and what stands behind them is read nevertheless: archives that
    /// were joined go on there, and so does one with a damaged block.
    private func header() throws -> TarBlock? {
        var sawZeros = false
        while let bytes = try block(isPaddingAllowed: sawZeros) {
            guard bytes.contains(where: { $0 != 0 }) else {
                sawZeros = true
                continue
            }
            guard let block = TarBlock(bytes) else {
                throw ImportError.source(sawZeros ? "goes on behind its end with what is no archive" : Self.damaged)
            }
            return block
        }
        guard sawZeros else { throw ImportError.source(PositionedFile.cutOff) }
        return nil
    }

    /// Nil where not a byte is left.
    private func block(isPaddingAllowed: Bool) throws -> [UInt8]? {
        try exactly(Self.blockByteCount, isPaddingAllowed: isPaddingAllowed)
    }

    /// Nil where not a byte is left.
    /// - Parameter isPaddingAllowed: the last bytes may be fewer, which are zeros then.
    private func exactly(_ count: Int, isPaddingAllowed: Bool = false) throws -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let read = try bytes.withUnsafeMutableBytes {
                try stream.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...]))
            }
            guard read > 0 else {
                guard filled > 0 else { return nil }
                guard isPaddingAllowed else { throw ImportError.source(PositionedFile.cutOff) }
                return bytes
            }
            filled += read
        }
        return bytes
    }
}
