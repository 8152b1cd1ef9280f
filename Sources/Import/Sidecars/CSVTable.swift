/// Rows of comma-separated values (RFC 4180), with line ends of any system.
struct CSVTable {
    private(set) var rows: [[String]] = []

    init(_ bytes: [UInt8]) {
        var (field, row): ([UInt8], [String]) = ([], [])
        var (isQuoted, wasQuote) = (false, false)
        func text() -> String { String(decoding: field, as: UTF8.self) }
        for byte in bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...] {
            if isQuoted {
                if byte == UInt8(ascii: "\"") {
                    (isQuoted, wasQuote) = (false, true)
                } else {
                    field.append(byte)
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""):
                // Two of them within quotes are one.
                if wasQuote { field.append(byte) }
                isQuoted = true
            case UInt8(ascii: ","):
                row.append(text())
                field = []
            case UInt8(ascii: "\n"):
                row.append(text())
                rows.append(row)
                (field, row) = ([], [])
            case UInt8(ascii: "\r"): break
            default: field.append(byte)
            }
            wasQuote = false
        }
        if !field.isEmpty || !row.isEmpty { rows.append(row + [text()]) }
    }
}
