import Bytes
import Foundation
import GRDB
package import Records
import Sealing
import Store

/// Photos that are shown as the files of one folder.
package enum FileFolder: Sendable, Equatable {
    /// Taken in that month, as the timeline has it.
    case month(CalendarMonth)
    /// Received since then, in milliseconds since 1970.
    case arrivals(since: UInt64)
    /// In the album that stands in that row, with the sidecars of what is.
    case album(row: UInt64)

    /// Whether nothing is put there, and everything only read from there.
    package var isForReading: Bool { if case .month = self { true } else { false } }

    /// Its condition on `photo`, without what it compares with.
    fileprivate var condition: String {
        switch self {
        case .month: "deleted IS NULL AND shown >= ? AND shown < ?"
        case .arrivals: "deleted IS NULL AND received >= ?"
        case .album:
            """
            deleted IS NULL AND (serial IN (SELECT serial FROM shelf WHERE album = ?)
                OR owner IN (SELECT serial FROM shelf WHERE album = ?))
            """
        }
    }

    fileprivate var index: String {
        switch self {
        case .month: "photo_file_shown"
        case .arrivals: "photo_file_received"
        // In the order of the names already: a large album is read through once, and not once for each page.
        case .album: "photo_file_name"
        }
    }

    fileprivate var bounds: [Int64] {
        switch self {
        case .month(let month): [month.milliseconds, month.next.milliseconds]
        case .arrivals(let moment): [Int64(clamping: moment)]
        case .album(let row): [Library.signed(row), Library.signed(row)]
        }
    }
}

/// A photo under the name that it has in a folder: several of one name are numbered there, the oldest has it as it is.
package struct FolderFile: Sendable {
    package var photo: LibraryPhoto
    package var name: String
}

/// Where a listing of files goes on.
package struct FilePlace: Sendable {
    var name: String
    var serial: UInt64
    /// That of the last file; 1 for one without.
    var number: Int
}

extension Library {
    /// Months in which files stand, sidecars too, the newest first.
    package func fileMonths() async throws -> [CalendarMonth] {
        try await read { database in
            try Self.indexFiles(database)
            var months: [CalendarMonth] = []
            var before = Int64.max
            let sql = "SELECT max(shown) FROM photo INDEXED BY photo_file_shown WHERE deleted IS NULL AND shown < ?"
            while let newest = try Int64.fetchOne(database, sql: sql, arguments: [before]) {
                let month = CalendarMonth(milliseconds: newest)
                months.append(month)
                before = month.milliseconds
            }
            return months
        }
    }

    /// Files of a folder in the order of their names, as they are stored.
    package func files(
        in folder: FileFolder, behind place: FilePlace?, limit: Int
    ) async throws -> (files: [FolderFile], next: FilePlace?) {
        try await read { [self] database in
            try prepare(folder, database)
            let sql = """
                SELECT * FROM photo INDEXED BY \(folder.index) WHERE \(folder.condition) AND (name, serial) > (?, ?)
                ORDER BY name, serial LIMIT ?
                """
            let photos = try LibraryPhoto.fetchAll(
                database, sql: sql,
                arguments: StatementArguments(folder.bounds) + [
                    place?.name ?? "", place.map { Self.signed($0.serial) } ?? -1, limit,
                ])
            var (files, place) = ([FolderFile](), place)
            for photo in photos {
                var number = 1
                if let before = place, before.name.utf8.elementsEqual(photo.name.utf8) {
                    number = try Self.freeNumber(behind: before.number, photo.name, folder, database)
                }
                files.append(FolderFile(photo: photo, name: FileNumbering.name(photo.name, number)))
                place = FilePlace(name: photo.name, serial: photo.serial, number: number)
            }
            return (files, photos.count < limit ? nil : place)
        }
    }

    /// The file of that name.
    package func file(_ name: String, in folder: FileFolder) async throws -> LibraryPhoto? {
        try await read { [self] database in
            try prepare(folder, database)
            if let photo = try Self.file(storedAs: name, at: 0, folder, database) { return photo }
            guard let (stem, number) = FileNumbering.parsed(name), try Self.hasFile(stem, folder, database) else {
                return nil
            }
            // Numbers that files have by their own names are left out.
            let own = try Self.ownNumbers(of: stem, folder, database)
            return try Self.file(storedAs: stem, at: number - 1 - own.count { $0 < number }, folder, database)
        }
    }

    /// Numbers behind a name that files have by the names as which they are stored. It takes what such files take, not
    /// what the number takes that somebody asks for.
    private static func ownNumbers(
        of name: String, _ folder: FileFolder, _ database: Database
    ) throws -> Set<Int> {
        let (beginning, end) = FileNumbering.namesakes(of: name)
        let sql = """
            SELECT DISTINCT name FROM photo INDEXED BY photo_file_name
            WHERE name > ? AND name < ? AND \(folder.condition)
            """
        let names = try String.fetchAll(
            database, sql: sql, arguments: [beginning, end] + StatementArguments(folder.bounds))
        return Set(
            names.compactMap { other in
                FileNumbering.parsed(other).flatMap { $0.name.utf8.elementsEqual(name.utf8) ? $0.number : nil }
            })
    }

    private static func file(
        storedAs name: String, at place: Int, _ folder: FileFolder, _ database: Database
    ) throws -> LibraryPhoto? {
        let sql = """
            SELECT * FROM photo INDEXED BY photo_file_name WHERE name = ? AND \(folder.condition)
            ORDER BY serial LIMIT 1 OFFSET ?
            """
        return try LibraryPhoto.fetchOne(
            database, sql: sql, arguments: [name] + StatementArguments(folder.bounds) + [place])
    }

    private static func hasFile(_ name: String, _ folder: FileFolder, _ database: Database) throws -> Bool {
        try database.hasRow(
            "SELECT 1 FROM photo INDEXED BY photo_file_name WHERE name = ? AND \(folder.condition) LIMIT 1",
            [.text(name)] + folder.bounds.map { .integer($0) })
    }

    private static func freeNumber(
        behind last: Int, _ name: String, _ folder: FileFolder, _ database: Database
    ) throws -> Int {
        var number = last + 1
        while try hasFile(FileNumbering.name(name, number), folder, database) { number += 1 }
        return number
    }

    private func prepare(_ folder: FileFolder, _ database: Database) throws {
        try Self.indexFiles(database)
        if case .album = folder { try buildShelf(database) }
    }

    /// Made by the first who looks at photos as files: an opening does not wait for it, and most vaults need none.
    private static func indexFiles(_ database: Database) throws {
        for column in ["shown", "received", "name"] {
            try database.run(
                "CREATE INDEX IF NOT EXISTS photo_file_\(column) ON photo(\(column)) WHERE deleted IS NULL")
        }
    }
}

/// Numbers behind names that stand more than once in one place: `a.jpg`, `a (2).jpg`, `a (3).jpg`.
package enum FileNumbering {
    package static let highest = 99_999

    package static func name(_ name: String, _ number: Int) -> String {
        guard number > 1 else { return name }
        let dot = dot(in: name)
        return "\(name[..<dot]) (\(number))\(name[dot...])"
    }

    /// Between which two names, by their bytes, all stand that are this one with a number.
    static func namesakes(of name: String) -> (beginning: String, end: String) {
        let stem = name[..<dot(in: name)]
        return ("\(stem) (", "\(stem) )")
    }

    /// What was numbered, and how; nil for a name without a number that would be given.
    package static func parsed(_ name: String) -> (name: String, number: Int)? {
        let dot = dot(in: name)
        let stem = name[..<dot]
        guard stem.hasSuffix(")"), let open = stem.lastIndex(of: "("), open > stem.startIndex else { return nil }
        let blank = stem.index(before: open)
        let digits = stem[stem.index(after: open)...].dropLast()
        guard stem[blank] == " ", blank > stem.startIndex, digits.first != "0",
            digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(digits), (2...highest).contains(number)
        else { return nil }
        return ("\(stem[..<blank])\(name[dot...])", number)
    }

    /// Where the ending begins; a dot at the beginning hides a file and begins none.
    private static func dot(in name: String) -> String.Index {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name.endIndex }
        return dot
    }
}

/// Photos whose serials follow each other. Its state tells a program that has listed them whether it has to again.
package struct PhotoBlock: Equatable, Sendable {
    /// Serials of one block. They are never given twice, so that a block fills up once and then only loses photos.
    package static let serialCount: UInt64 = 512

    package let number: UInt64
    /// 16 bytes: others after each change of what a list says of one of these photos, and of which there are.
    package let state: [UInt8]

    /// Nil for a number that no block can have.
    package static func serials(of number: UInt64) -> Range<UInt64>? {
        guard number < UInt64(Int64.max) / serialCount else { return nil }
        return number * serialCount..<(number + 1) * serialCount
    }
}

extension Library {
    private static let blocksPerRead: UInt64 = 16

    /// Columns that no list shows, or that change with each reading; of all others, those of later versions too, a list may
    /// say something.
    private static let unlisted: Set = [
        "serial", "row", "object", "tree", "ends", "first_part", "verified", "run_count", "family", "said", "folder",
    ]

    /// Blocks with photos, also with those in "Recently deleted", the oldest first. Others read between the parts.
    package func blocks() async throws -> [PhotoBlock] {
        var blocks: [PhotoBlock] = []
        while true {
            let start = blocks.last.map { ($0.number + 1) * PhotoBlock.serialCount } ?? 0
            let part = try await read { try Self.blocks(from: start, $0) }
            guard !part.isEmpty else { return blocks }
            blocks += part
        }
    }

    private static func blocks(from start: UInt64, _ database: Database) throws -> [PhotoBlock] {
        let next = "SELECT min(serial) FROM photo WHERE serial >= ?"
        guard let first = try Int64.fetchOne(database, sql: next, arguments: [Int64(start)]) else { return [] }
        let end = (UInt64(first) / PhotoBlock.serialCount + blocksPerRead) * PhotoBlock.serialCount
        let listed = try database.columns(in: "photo").map(\.name).filter { !unlisted.contains($0) }
        let columns = (["serial", "verified IS NULL"] + listed).joined(separator: ", ")
        let rows = try Row.fetchCursor(
            database, sql: "SELECT \(columns) FROM photo WHERE serial >= ? AND serial < ? ORDER BY serial",
            arguments: [first, Int64(end)])
        var blocks: [PhotoBlock] = []
        var (number, bytes) = (UInt64(first) / PhotoBlock.serialCount, [UInt8]())
        func close() throws {
            if !bytes.isEmpty {
                blocks.append(PhotoBlock(number: number, state: Array(try SHA256Hasher.hash(bytes).prefix(16))))
            }
            bytes.removeAll(keepingCapacity: true)
        }
        while let row = try rows.next() {
            let own = UInt64(row[0] as Int64) / PhotoBlock.serialCount
            if own != number { try close() }
            number = own
            for value in row.databaseValues { append(value, to: &bytes) }
        }
        try close()
        return blocks
    }

    /// So that no two rows make the same bytes.
    private static func append(_ value: DatabaseValue, to bytes: inout [UInt8]) {
        func append(_ kind: UInt8, _ content: some Collection<UInt8>) {
            bytes.append(kind)
            bytes += UInt64(content.count).bigEndianBytes
            bytes += content
        }
        switch value.storage {
        case .null: append(0, [])
        case .int64(let number): append(1, UInt64(bitPattern: number).bigEndianBytes)
        case .double(let number): append(2, number.bitPattern.bigEndianBytes)
        case .string(let text): append(3, text.utf8)
        case .blob(let data): append(4, data)
        }
    }
}
