internal import CSQLite
internal import GRDB

/// The schema of a database as this program writes it, to compare with what a file says: whoever can write a file can put
/// triggers, views, or tables with rules of their own into it, and SQLite would run them.
struct WrittenSchema: Sendable {
    /// Divides the fields of an entry. None that is ours has it, so equal texts have equal fields.
    private static let divider = "\u{1F}"

    /// One text for each entry of a file's schema.
    static let query = """
        SELECT coalesce(type, '') || char(31) || coalesce(name, '') || char(31) || coalesce(tbl_name, '') || char(31)
        || coalesce(sql, '') FROM sqlite_schema
        """

    private let entries: Set<String>

    /// - Parameter tables: with each definition that a version has written; one of them stands in a file, or none.
    init(_ tables: [(name: String, definitions: [String])]) {
        entries = Set(
            tables.flatMap { table in
                table.definitions.map {
                    ["table", table.name, table.name, "CREATE TABLE \(table.name)\($0)"]
                        .joined(separator: Self.divider)
                }
            })
    }

    /// Names what is not word for word as this program writes it; nil where all of it is. Tables that are missing are no
    /// matter of this.
    /// - Parameter found: what `query` gives.
    func foreignEntries(in found: [String]) -> String? {
        let foreign = found.filter { !entries.contains($0) }
        guard !foreign.isEmpty else { return nil }
        let named = foreign.prefix(Self.mostNamed).map { entry in
            let fields = entry.split(separator: Self.divider, maxSplits: 2, omittingEmptySubsequences: false)
            return "\(fields[0].prefix(20)) \(fields.dropFirst().first.map { $0.prefix(60) } ?? "")"
        }
        let rest = foreign.count - named.count
        return named.joined(separator: ", ") + (rest > 0 ? ", and \(rest) more" : "")
    }

    private static let mostNamed = 5

    func foreignEntries(in database: Database) throws -> String? {
        foreignEntries(in: try String.fetchAll(database, sql: Self.query))
    }

    /// Before anything is read from a file: whatever stands in it by then, or is put there later, is data and does nothing.
    static func distrust(_ connection: OpaquePointer?) throws(StoreError) {
        let code = sqlite_distrust_file(connection)
        guard code == SQLITE_OK else {
            throw .unusable("This SQLite does not shut out what a file may tell it to do (\(code)).")
        }
    }
}
