/// Rows of comma-separated values (RFC 4180), with line ends of any system.
struct CSVTable {
    private(set) var rows: [[String]] = []
    /// Quotes do not stand around whole values: rows may have swallowed others.
    private(set) var isBroken = false

    init(_ bytes: [UInt8]) {
        var (field, row): ([UInt8], [String]) = ([], [])
        var (isQuoted, wasQuote, wasReturn) = (false, false, false)
        func text() -> String { ForeignText.decode(field) }
        for byte in ForeignText.inUTF8(bytes) {
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
                if wasQuote { field.append(byte) } else if !field.isEmpty { isBroken = true }
                isQuoted = true
            case UInt8(ascii: ","):
                row.append(text())
                field = []
            case UInt8(ascii: "\n") where wasReturn: break
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                row.append(text())
                rows.append(row)
                (field, row) = ([], [])
            default:
                if wasQuote { isBroken = true }
                field.append(byte)
            }
            (wasQuote, wasReturn) = (false, byte == UInt8(ascii: "\r"))
        }
        if isQuoted { isBroken = true }
        if !field.isEmpty || !row.isEmpty { rows.append(row + [text()]) }
    }
}
