import Foundation
import GRDB
import Media
import Search

/// Looking through the columns of 100,000 and of 1,000,000 photos, as an open vault has them, and for photos of which
/// there is more than one. Beside it, for the queries that are one word: SQLite's `LIKE` over the same names in memory, and
/// ripgrep over a file of them.
enum SearchBenchmark {
    private static let queries = [
        "beach", "IMG_1234", "e", "café rome 2024", "May 2024", "24 Dec", "video > 100 MB", "去年夏天的视频", "京都旅行东京塔",
        "iphone 15 pro summer favourites", "\"not there at all\"", "not in an album raw",
    ]
    private static let today = CalendarDate(year: 2026, month: 11, day: 26)

    static func run() throws {
        for count in [100_000, 1_000_000] {
            let rows = (0..<count).map(row)
            var columns = SearchColumns()
            let filling = ContinuousClock().measure {
                columns = SearchColumns(SearchColumns(), without: [], adding: rows)
            }
            Samples([filling]).print("columns of \(count) photos")
            let albums = Dictionary(
                uniqueKeysWithValues: (0..<200).map { (UInt32($0), FoldedText.fold("Album \($0)")) })
            let durations = queries.flatMap { text in
                (0..<5).map { _ in
                    ContinuousClock().measure {
                        _ = columns.places(SearchQuery(text, today: today), albumNames: albums)
                    }
                }
            }.sorted()
            Samples(durations).print("search \(count) photos")
            let p95 = durations[durations.count * 95 / 100]
            print("\("  95 of 100 within".padded(40))\((p95.seconds * 1000).text(1)) ms")
            try compare(columns, rows, albums)
            let one = SearchColumns(columns, without: [7], adding: [row(7)])
            Samples([ContinuousClock().measure { _ = SearchColumns(one, without: [8], adding: [row(8)]) }])
                .print("one changed among \(count)")
            Samples([ContinuousClock().measure { _ = columns.similar(to: count / 2, most: 200) }])
                .print("similar to one of \(count)")
            guard count == 100_000 else { continue }
            Samples([ContinuousClock().measure { _ = AlikeGroups(columns) }]).print(
                "near duplicates of \(count) photos")
        }
    }

    /// What contains one word, three ways, all of which have to find as many.
    private static func compare(_ columns: SearchColumns, _ rows: [SearchRow], _ albums: [UInt32: [UInt8]]) throws {
        let lines = rows.map { String(decoding: $0.text.map { $0 == 0 ? 9 : $0 }, as: UTF8.self) }
        let database = try DatabaseQueue()
        try database.write { database in
            try database.execute(sql: "CREATE TABLE photo(text TEXT NOT NULL)")
            let statement = try database.makeStatement(sql: "INSERT INTO photo VALUES (?)")
            for line in lines { try statement.execute(arguments: [line]) }
        }
        let file = FileManager.default.temporaryDirectory.appending(
            path: "safelight-names-\(UInt64.random(in: 0 ... .max))")
        defer { try? FileManager.default.removeItem(at: file) }
        try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
        for word in ["beach", "pixel", "_12345"] {
            try compare("search \"\(word)\"") {
                columns.places(SearchQuery(word, today: today), albumNames: albums).count
            }
            try compare("  LIKE") {
                try database.read { database in
                    try Int.fetchOne(
                        database, sql: "SELECT count(*) FROM photo WHERE text LIKE ?", arguments: ["%\(word)%"]) ?? 0
                }
            }
            try compare("  ripgrep") { try ripgrep(word, file) }
        }
    }

    private static func compare(_ name: String, _ find: () throws -> Int) throws {
        let clock = ContinuousClock()
        let count = try find()
        let durations = try (0..<9).map { _ in try clock.measure { _ = try find() } }
        Samples(durations).print("\(name): \(count)")
    }

    private static func ripgrep(_ word: String, _ file: URL) throws -> Int {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/rg")
        process.arguments = ["--count", "--fixed-strings", "--no-config", word, file.path]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }

    private static let places = ["beach", "Café", "Rome", "garden", "IMG", "DSC", "京都", "东京塔", "holiday", "Screenshot"]
    private static let cameras = ["Apple iPhone 15 Pro", "Canon EOS R5", "Google Pixel 8", "NIKON Z 6"]

    /// Names, sizes and pictures as a family has them; one in twenty is a copy of the one before.
    private static func row(_ number: Int) -> SearchRow {
        var random = Numbers(
            state: UInt64(number / 20 * 20 == number ? max(1, number - 1) : number) &* 0x9E37_79B9_7F4A_7C15 | 1)
        let type: MediaType = [.jpeg, .heic, .jpeg, .mp4, .dng, .png, .heic, .jpeg][number % 8]
        let name = "\(places[number % places.count])_\(number).\(type == .mp4 ? "MP4" : "JPG")"
        let size: (UInt32, UInt32) = random.next() % 3 == 0 ? (3024, 4032) : (4032, 3024)
        var row = SearchRow(
            serial: UInt64(number + 1), shownAt: 1_400_000_000_000 + Int64(number) * 3_000_000,
            byteCount: random.next() % 200_000_000,
            traits: PhotoTraits(
                type: type, width: size.0, height: size.1, foldedName: FoldedText.fold(name)[...], hasCamera: true),
            name: name, others: [nil, cameras[number % cameras.count], "back triple camera 6.765mm f/1.78"])
        (row.width, row.height, row.albums) = (size.0, size.1, [UInt32(number % 200)])
        let aspect: UInt8 = size.0 > size.1 ? 141 : 115
        row.placeholder = [aspect, 60, 20, 20, 128, 128, 128] + (0..<18).map { _ in random.placeholderByte() }
        return row
    }

    private struct Numbers {
        var state: UInt64

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }

        /// Two coefficients of 1…15.
        mutating func placeholderByte() -> UInt8 {
            UInt8(1 + next() % 15) << 4 | UInt8(1 + next() % 15)
        }
    }
}
