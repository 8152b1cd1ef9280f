import Media

extension SidecarContent {
    /// Lists of Apple's, and of an export of this program; nil for others.
    /// - Parameter path: of the list within its source.
    init?(csv bytes: [UInt8], path: String) {
        let table = CSVTable(bytes)
        let rows = table.rows
        guard let head = rows.first else { return nil }
        let folders = path.split(separator: "/").dropLast().map { $0.lowercased() }
        if folders.last == "memories" {
            self = .accompaniment
        } else if folders.contains("albums"), head.count == 1 {
            // The first line is a heading, in whichever language. A name with a comma may stand there without quotes.
            guard !table.isBroken else { return nil }
            let names = (Self.isName(head[0]) ? rows[...] : rows.dropFirst()).map { $0.joined(separator: ",") }
            self = .albumList(names.filter { !$0.isEmpty })
        } else if let name = head.firstIndex(of: "imgName") {
            var details = rows.dropFirst().compactMap { AppleDetail($0, head: head, name: name) }
            // A row may have swallowed another one.
            if table.isBroken, !details.isEmpty { details[0].unread.insert("quotes that do not close") }
            self = .details(details)
        } else if head == ["album", "file"], !table.isBroken {
            // Of a row that breaks off no photo is found, and so it is named.
            self = .albumTable(
                rows.dropFirst().map { AlbumTableRow(album: $0[0], file: $0.dropFirst().joined(separator: ",")) })
        } else if head == ["source", "path", "bytes", "outcome", "remark", "sha256"] {
            // A report of an import.
            self = .accompaniment
        } else {
            return nil
        }
    }

    private static func isName(_ text: String) -> Bool { !FamilyName(text, isKnown: true).ending.isEmpty }
}

extension AppleDetail {
    /// What is no person's word, or is read.
    private static let columns: Set<String> = [
        "imgName", "fileChecksum", "favorite", "hidden", "deleted", "originalCreationDate", "viewCount", "importDate",
    ]
    private static let yes: Set<String> = ["yes", "true", "1"]
    private static let no: Set<String> = ["no", "false", "0", ""]

    fileprivate init?(_ row: [String], head: [String], name: Int) {
        guard row.contains(where: { !$0.isEmpty }) else { return nil }
        let called = row.indices.contains(name) && !row[name].isEmpty ? row[name] : "a photo without a name"
        var unread: Set<String> = row.count < head.count ? ["its end"] : []
        func value(_ column: String) -> String {
            head.firstIndex(of: column).flatMap { row.indices.contains($0) ? row[$0] : nil } ?? ""
        }
        func says(_ column: String) -> Bool {
            let text = value(column).lowercased().filter { !$0.isWhitespace }
            if !Self.yes.contains(text), !Self.no.contains(text) { unread.insert(column) }
            return Self.yes.contains(text)
        }
        var note = SidecarNote()
        let date = value("originalCreationDate")
        note.takenAt = Self.time(date)
        note.correctsTime = note.takenAt != nil
        if note.takenAt == nil, date.contains(where: { !$0.isWhitespace }) { unread.insert("originalCreationDate") }
        note.isFavourite = says("favorite")
        note.isTrashed = says("deleted")
        note.isArchived = says("hidden")
        for (column, text) in zip(head, row) where !Self.columns.contains(column) && !text.isEmpty {
            unread.insert(column)
        }
        if row.count > head.count { unread.insert("no heading") }
        self.init(name: called, note: note, unread: unread)
    }

    /// Minutes east of UTC of names that mean one zone alone. `CST`, `IST` and `BST` mean several.
    private static let zones: [String: Int] = [
        "GMT": 0, "UTC": 0, "WET": 0, "WEST": 60, "CET": 60, "CEST": 120, "EET": 120, "EEST": 180, "MSK": 180,
        "EDT": -240,
        "MDT": -360, "PDT": -420, "AKST": -540, "AKDT": -480, "HST": -600, "JST": 540, "AEST": 600, "AEDT": 660,
        "NZST": 720, "NZDT": 780,
    ]

    /// `Saturday October 5,2019 1:44 PM GMT`; of another form nothing is believed.
    static func time(_ text: String) -> CaptureTime? {
        guard
            let match = text.wholeMatch(
                of:
                    /[A-Za-z]+,? ([A-Za-z]{3,9}) ([0-9]{1,2}), ?([0-9]{4}),? ([0-9]{1,2}):([0-9]{2})[ \u{202F}]([AP])M ([A-Z]+)(?:([+-][0-9]{1,2})(?::?([0-9]{2}))?)?/
            ),
            let month = MonthNames.english(match.1.utf8), let hour = Int(match.4), (1...12).contains(hour),
            let named = zones[String(match.7)]
        else { return nil }
        // GMT+2, GMT-3:30
        let hours = match.8.flatMap { Int($0) } ?? 0
        let minutes = (match.9.flatMap { Int($0) } ?? 0) * (match.8?.first == "-" ? -1 : 1)
        guard match.8 == nil || named == 0 else { return nil }
        var time = CaptureTime(
            sidecarText:
                "\(match.3)-\(month)-\(match.2)T\(hour % 12 + (match.6 == "P" ? 12 : 0)):\(match.5)Z")
        time?.milliseconds -= Int64(named + hours * 60 + minutes) * 60_000
        return time
    }
}

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
