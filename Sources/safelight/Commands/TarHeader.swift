/// One entry of a tar archive as it begins (POSIX.1-2017, pax): its header, and before it what does not fit there.
struct TarHeader {
    static let blockByteCount = 512
    /// Two blocks of zeros.
    static let end = [UInt8](repeating: 0, count: 2 * blockByteCount)
    private static let longestName = 100
    private static let largestOctal: UInt64 = 1 << 33

    let name: String
    let byteCount: UInt64
    /// Since 1970.
    let seconds: Int64
    let nanoseconds: UInt32

    /// What stands behind the content, to the end of its last block.
    static func padding(behind byteCount: UInt64) -> [UInt8] {
        let rest = Int(byteCount % UInt64(blockByteCount))
        return [UInt8](repeating: 0, count: rest == 0 ? 0 : blockByteCount - rest)
    }

    var bytes: [UInt8] {
        let isPlain = name.utf8.count <= Self.longestName && name.utf8.allSatisfy { $0 < 0x80 }
        let hasTime = seconds >= 0 && UInt64(seconds) < Self.largestOctal && nanoseconds == 0
        var records = ""
        if !isPlain { records += Self.record("path", name) }
        if byteCount >= Self.largestOctal { records += Self.record("size", "\(byteCount)") }
        if !hasTime { records += Self.record("mtime", Self.decimal(seconds, nanoseconds)) }
        let header = Self.block(
            Array(name.utf8.prefix(Self.longestName)), kind: "0",
            byteCount: byteCount < Self.largestOctal ? byteCount : 0,
            time: seconds >= 0 ? min(UInt64(seconds), Self.largestOctal - 1) : 0)
        guard !records.isEmpty else { return header }
        let text = Array(records.utf8)
        return Self.block(Array("pax".utf8), kind: "x", byteCount: UInt64(text.count), time: 0) + text
            + Self.padding(behind: UInt64(text.count)) + header
    }

    /// `LENGTH KEY=VALUE\n`, the length being that of the whole record.
    private static func record(_ key: String, _ value: String) -> String {
        let rest = " \(key)=\(value)\n"
        var length = rest.utf8.count
        while "\(length)".utf8.count + rest.utf8.count != length { length = "\(length)".utf8.count + rest.utf8.count }
        return "\(length)\(rest)"
    }

    /// Nanoseconds count forward, before 1970 too.
    private static func decimal(_ seconds: Int64, _ nanoseconds: UInt32) -> String {
        let isBefore = seconds < 0 && nanoseconds > 0
        let (whole, part) = isBefore ? (seconds + 1, 1_000_000_000 - nanoseconds) : (seconds, nanoseconds)
        let digits = "\(part)"
        let fraction = part == 0 ? "" : "." + String(repeating: "0", count: 9 - digits.count) + digits
        return "\(seconds < 0 && whole == 0 ? "-" : "")\(whole)\(fraction)"
    }

    private static func block(_ name: [UInt8], kind: Unicode.Scalar, byteCount: UInt64, time: UInt64) -> [UInt8] {
        func padded(_ bytes: some Collection<UInt8>, _ count: Int) -> [UInt8] {
            Array(bytes.prefix(count)) + [UInt8](repeating: 0, count: max(0, count - bytes.count))
        }
        func octal(_ number: UInt64, _ count: Int) -> [UInt8] {
            let digits = String(number, radix: 8)
            return Array((String(repeating: "0", count: count - 1 - digits.utf8.count) + digits).utf8) + [0]
        }
        let blank = [UInt8](repeating: 0x20, count: 8)
        let owner = octal(0, 8) + octal(0, 8)
        let before = padded(name, 100) + octal(0o600, 8) + owner + octal(byteCount, 12) + octal(time, 12)
        let link = [UInt8](repeating: 0, count: 100)
        let after = padded([UInt8(kind.value)] + link + Array("ustar\u{0}00".utf8), 512 - 156)
        // The checksum counts its own eight bytes as blanks.
        let sum = (before + blank + after).reduce(UInt64(0)) { $0 + UInt64($1) }
        return before + octal(sum, 7) + [0x20] + after
    }
}
