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
