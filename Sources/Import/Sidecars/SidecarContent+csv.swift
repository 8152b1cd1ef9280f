import Media

extension SidecarContent {
    /// Lists of Apple's, and of an export of this program; nil for others.
    /// - Parameter path: of the list within its source.
    init?(csv bytes: [UInt8], path: String) {
        let rows = CSVTable(bytes).rows
        guard let head = rows.first else { return nil }
        let folders = path.split(separator: "/").dropLast().map { $0.lowercased() }
        if let name = head.firstIndex(of: "imgName") {
            self = .details(rows.dropFirst().compactMap { AppleDetail($0, head: head, name: name) })
        } else if head == ["album", "file"] {
            self = .albumTable(
                rows.dropFirst().filter { $0.count == 2 }.map { AlbumTableRow(album: $0[0], file: $0[1]) })
        } else if folders.last == "albums", head.count == 1 {
            // The first line is a heading, in whichever language.
            self = .albumList(rows.dropFirst().compactMap(\.first).filter { !$0.isEmpty })
        } else if folders.last == "memories" || head == ["source", "path", "bytes", "outcome", "remark", "sha256"] {
            // The second is a report of an import.
            self = .accompaniment
        } else {
            return nil
        }
    }
}

extension AppleDetail {
    fileprivate init?(_ row: [String], head: [String], name: Int) {
        guard row.indices.contains(name), !row[name].isEmpty else { return nil }
        func value(_ column: String) -> String? {
            head.firstIndex(of: column).flatMap { row.indices.contains($0) ? row[$0] : nil }
        }
        func says(_ column: String) -> Bool { value(column)?.lowercased() == "yes" }
        var note = SidecarNote()
        let date = value("originalCreationDate") ?? ""
        note.takenAt = Self.time(date)
        note.correctsTime = note.takenAt != nil
        note.isFavourite = says("favorite")
        note.isTrashed = says("deleted")
        note.isArchived = says("hidden")
        let isPartial = row.count < head.count || (note.takenAt == nil && !date.isEmpty)
        self.init(name: row[name], note: note, isPartial: isPartial)
    }

    /// `Saturday October 5,2019 1:44 PM GMT`.
    static func time(_ text: String) -> CaptureTime? {
        let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        let words = text.split { " ,\u{202F}".contains($0) }.map(String.init)
        let numbers = words.compactMap { Int($0) }
        guard let month = words.lazy.compactMap({ months.firstIndex(of: String($0.lowercased().prefix(3))) }).first,
            let day = numbers.first(where: { (1...31).contains($0) }), let year = numbers.first(where: { $0 > 999 }),
            let clock = words.first(where: { $0.contains(":") })
        else { return nil }
        let parts = clock.split(separator: ":").compactMap { Int($0) }
        guard parts.count >= 2, (0...23).contains(parts[0]), (0...59).contains(parts[1]) else { return nil }
        let isAfternoon = words.contains("PM")
        let hour = words.contains("AM") || isAfternoon ? parts[0] % 12 + (isAfternoon ? 12 : 0) : parts[0]
        return CaptureTime(
            sidecarText: "\(year)-\(month + 1)-\(day)T\(hour):\(parts[1] < 10 ? "0" : "")\(parts[1])Z")
    }
}
