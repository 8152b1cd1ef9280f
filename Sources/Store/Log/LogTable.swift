/// The tables of the ledger that go along with the log, under the numbers that stand in it.
struct LogTable: Sendable {
    let number: UInt8
    let name: String
    let key: String
    /// Besides the key.
    let columns: [String]
    /// How far unfinished uploads are is known to their own host alone: of their rows it is told that they are gone.
    var tellsOnlyOfRemoval = false

    static let meta = LogTable(number: 9, name: "meta", key: "key", columns: ["value"])
    static let objects = LogTable(number: 2, name: "object", key: "id", columns: [])
    static let doomed = LogTable(number: 3, name: "doomed", key: "id", columns: [])

    static let all: [LogTable] = [
        LogTable(number: 1, name: "row", key: "id", columns: ["body"]),
        objects,
        doomed,
        LogTable(
            number: 4, name: "guest", key: "id", columns: ["body", "object", "preview", "expires_day", "space"]),
        LogTable(number: 5, name: "upload", key: "id", columns: [], tellsOnlyOfRemoval: true),
        LogTable(number: 6, name: "session", key: "id", columns: ["body", "expires_day"]),
        LogTable(number: 7, name: "wipe", key: "position", columns: ["hash"]),
        LogTable(number: 8, name: "throttle", key: "key", columns: ["value"]),
        meta,
        LogTable(number: 10, name: "doomed_preview", key: "id", columns: []),
        LogTable(number: 11, name: "door", key: "id", columns: ["body", "expires_day"]),
        LogTable(number: 12, name: "arrival", key: "id", columns: ["body", "expires_day"]),
    ]

    /// No table: the slots, by their positions.
    static let slots: UInt8 = 13

    static func numbered(_ number: UInt8) -> LogTable? { all.first { $0.number == number } }
}

/// What a column holds.
enum LogValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text([UInt8])
    case blob([UInt8])
}

/// One row as a change has left it.
struct LogRow: Equatable, Sendable {
    /// Of `LogTable`, or `LogTable.slots`.
    var table: UInt8
    var key: LogValue
    /// Nil: there is none any more. Else the columns besides the key, in the table's order.
    var values: [LogValue]?
}
