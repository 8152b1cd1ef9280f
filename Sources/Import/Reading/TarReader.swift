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

/// A header of 512 bytes (POSIX.1-2017, pax, "ustar Interchange Format").
struct TarBlock {
    let kind: Character
    let path: [UInt8]
    /// What a link names.
    let linkPath: [UInt8]
    /// Milliseconds since 1970.
    let modifiedAt: Int64?
    private let size: UInt64?

    /// Nil for what is no header.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 512, let checksum = Self.number(bytes[148..<156]), Self.isSum(checksum, of: bytes) else {
            return nil
        }
        kind = Character(Unicode.Scalar(bytes[156]))
        size = Self.number(bytes[124..<136])
        modifiedAt = Self.number(bytes[136..<148]).flatMap { $0 < 1 << 40 ? Int64($0) * 1000 : nil }
        linkPath = Self.text(bytes[157..<257])
        let (name, prefix) = (Self.text(bytes[0..<100]), Self.text(bytes[345..<500]))
        // That of GNU has other things there.
        let isPOSIX = bytes[257..<263].elementsEqual("ustar\0".utf8)
        path = isPOSIX && !prefix.isEmpty ? prefix + [UInt8(ascii: "/")] + name : name
    }

    var byteCount: UInt64 {
        get throws {
            guard let size else { throw ImportError.source("has a damaged header") }
            return size
        }
    }

    /// The checksum counts its own eight bytes as blanks; some wrote signed sums.
    private static func isSum(_ checksum: UInt64, of bytes: [UInt8]) -> Bool {
        var (plain, signed): (Int, Int) = (0, 0)
        for (index, byte) in bytes.enumerated() {
            let counted = (148..<156).contains(index) ? 0x20 : byte
            plain += Int(counted)
            signed += Int(Int8(bitPattern: counted))
        }
        return checksum == UInt64(plain) || Int64(bitPattern: checksum) == Int64(signed)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> [UInt8] { Array(bytes.prefix { $0 != 0 }) }

    /// Octal digits; or, with the first bit set, the bytes of the number itself, as GNU writes large ones.
    private static func number(_ field: ArraySlice<UInt8>) -> UInt64? {
        if let first = field.first, first & 0x80 != 0 {
            guard first == 0x80, field.dropFirst().dropLast(8).allSatisfy({ $0 == 0 }) else { return nil }
            return field.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
        let digits = field.drop { $0 == 0x20 }.prefix { $0 != 0 && $0 != 0x20 }
        guard digits.count <= 21, digits.allSatisfy({ (0x30...0x37).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 << 3 | UInt64($1 - 0x30) }
    }
}

/// What stands before a header because it does not fit into one.
struct TarAttributes {
    private(set) var path: [UInt8]?
    private(set) var linkPath: [UInt8]?
    private(set) var byteCount: UInt64?
    private(set) var modifiedAt: Int64?
    private(set) var isSparse = false

    /// - Parameter kind: `x` for records of pax, `L` for a name of GNU, `K` for what a link names; others mean nothing here.
    mutating func take(_ kind: Character, _ bytes: [UInt8]) {
        switch kind {
        case "L": path = Array(bytes.prefix { $0 != 0 })
        case "K": linkPath = Array(bytes.prefix { $0 != 0 })
        case "x": takeRecords(bytes)
        default: break
        }
    }

    /// `LENGTH KEY=VALUE\n`, the length being that of the whole record.
    private mutating func takeRecords(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while let blank = rest.firstIndex(of: 0x20),
            let count = Int(String(decoding: rest[..<blank], as: UTF8.self)),
            count > blank - rest.startIndex + 1, count <= rest.count
        {
            let record = rest[(blank + 1)..<(rest.startIndex + count - 1)]
            rest = rest.dropFirst(count)
            guard let equals = record.firstIndex(of: UInt8(ascii: "=")) else { continue }
            take(String(decoding: record[..<equals], as: UTF8.self), Array(record[(equals + 1)...]))
        }
    }

    private mutating func take(_ key: String, _ value: [UInt8]) {
        let text = String(decoding: value, as: UTF8.self)
        switch key {
        case "path": path = value
        case "linkpath": linkPath = value
        case "size": byteCount = UInt64(text)
        case "mtime": modifiedAt = Double(text).flatMap { abs($0) < 1e12 ? Int64($0 * 1000) : nil }
        default: if key.hasPrefix("GNU.sparse") { isSparse = true }
        }
    }
}
