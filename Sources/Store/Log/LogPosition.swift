import Bytes

/// Where in the log of the ledger something stands. An epoch has one writer; its entries have the numbers from 1 on, and
/// the last of them is the seal with which the next epoch begins.
package struct LogPosition: Hashable, Sendable, Comparable {
    package var epoch: UInt64
    /// 0: before the first entry.
    package var number: UInt64

    package init(epoch: UInt64, number: UInt64) {
        self.epoch = epoch
        self.number = number
    }

    var next: LogPosition { LogPosition(epoch: epoch, number: number + 1) }
    /// Behind a seal.
    var nextEpoch: LogPosition { LogPosition(epoch: epoch + 1, number: 0) }

    init?(_ reader: inout ByteReader) {
        guard let epoch = reader.readUInt64(), let number = reader.readUInt64() else { return nil }
        self.init(epoch: epoch, number: number)
    }

    var bytes: [UInt8] { epoch.bigEndianBytes + number.bigEndianBytes }

    package static func < (one: LogPosition, other: LogPosition) -> Bool {
        (one.epoch, one.number) < (other.epoch, other.number)
    }
}

/// Who writes an epoch: 16 random bytes, which a data directory keeps.
typealias LogWriterID = OpaqueID<LogWriterKind>
enum LogWriterKind {}

/// Up to where the log stands in a ledger, in the row `log_position` of `meta`: epoch, number, and the writer of the epoch.
struct LogMark: Equatable {
    private static let byteCount = 32

    var position: LogPosition
    var writer: LogWriterID

    init(_ position: LogPosition, _ writer: LogWriterID) {
        self.position = position
        self.writer = writer
    }

    init?(bytes: [UInt8]?) {
        guard let bytes, bytes.count == Self.byteCount else { return nil }
        var reader = ByteReader(bytes)
        guard let position = LogPosition(&reader),
            let writer = reader.read(LogWriterID.byteCount).flatMap({ LogWriterID(bytes: $0) })
        else { return nil }
        self.init(position, writer)
    }

    var bytes: [UInt8] { position.bytes + writer.bytes }
}

/// An entry that stands in the bucket, or may, and of whose changes it was said that they failed.
struct RefusedEntry: Hashable, Sendable {
    private static let byteCount = 16 + 2 * FileDigest.byteCount

    var position: LogPosition
    /// SHA-256 of all of it, in hexadecimal digits: another one may come to stand in its place.
    var digest: String

    /// Several, for the row `log_refused` of `meta`.
    static func bytes(of entries: [RefusedEntry]) -> [UInt8] {
        entries.flatMap { $0.position.bytes + Array($0.digest.utf8) }
    }

    static func entries(_ bytes: [UInt8]) -> [RefusedEntry] {
        var reader = ByteReader(bytes)
        return (0..<bytes.count / byteCount).compactMap { _ in
            guard let position = LogPosition(&reader), let digest = reader.read(byteCount - 16) else { return nil }
            return RefusedEntry(position: position, digest: String(decoding: digest, as: UTF8.self))
        }
    }
}

/// The names of what goes along with objects in a bucket.
enum LogNames {
    static let origin = "log/origin"
    static let log = "log/"
    static let snapshots = "snapshot/"
    static let slotBlocks = "slots/"

    static func epoch(_ epoch: UInt64) -> String { log + digits(epoch) + "/" }
    static func entry(_ position: LogPosition) -> String { epoch(position.epoch) + digits(position.number) }
    /// Says at which number an epoch was sealed, so that what was removed is never taken for what did not come yet.
    static func end(of epoch: UInt64) -> String { self.epoch(epoch) + "end" }
    static func snapshot(_ epoch: UInt64) -> String { snapshots + digits(epoch) + "/" }
    static func object(_ id: ObjectID) -> String { "\(StoreLayout.objects)/\(id.hex.prefix(2))/\(id.hex)" }

    /// 16 hexadecimal digits, so that names have the order of what they name.
    private static func digits(_ number: UInt64) -> String { Hexadecimal.encode(number.bigEndianBytes) }

    static func number(_ text: some StringProtocol) -> UInt64? {
        text.utf8.count == 16 ? UInt64(text, radix: 16) : nil
    }
}

extension RemoteObjects {
    /// The number of an epoch's seal, once the mark of its end is there; nil while it is not.
    func seal(of epoch: UInt64) throws -> UInt64? {
        guard let bytes = try readAsPut(LogNames.end(of: epoch), atMost: 8), bytes.count == 8 else { return nil }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

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

/// Follows the log in the bucket from a place in it to its end.
///
/// What was removed must never be taken for what did not come yet: who did so would put a seal where the log has gone on
/// long ago. So an entry that is missing counts as the end only while nothing says where its epoch ended; that mark is
/// put before anything of an epoch is removed, and stays.
struct LogWalk {
    /// Entries behind the place are not there any more; a snapshot has them.
    struct Gap: Error {}

    let remote: any RemoteObjects

    /// - Parameter apply: makes an entry durable here, with the mark behind it. Of a seal there is only the mark.
    /// - Returns: nil at the end.
    func step(
        from mark: LogMark, _ apply: (_ entry: LogEntryReader, _ mark: LogMark) throws -> Void
    ) throws -> LogMark? {
        // An entry that is not what was written leaves nothing behind here.
        let step = try remote.askingAgain { remote in
            do {
                return Step(mark: try LogWalk(remote: remote).stepOnce(from: mark, apply))
            } catch let damage as StoreError {
                guard case .ledgerDamaged = damage else { throw damage }
                return Step(damage: damage)
            }
        } until: {
            $0.isWhole
        }
        if let damage = step.damage { throw damage }
        return step.mark
    }

    private struct Step {
        var mark: LogMark?
        var damage: StoreError?
        var isWhole: Bool { damage == nil }
    }

    private func stepOnce(
        from mark: LogMark, _ apply: (_ entry: LogEntryReader, _ mark: LogMark) throws -> Void
    ) throws -> LogMark? {
        let position = mark.position.next
        guard let entry = try entry(at: position) else { return nil }
        let next: LogMark
        switch entry.header.kind {
        case .changes: next = LogMark(position, mark.writer)
        case .seal:
            next = LogMark(position.nextEpoch, entry.header.writer)
            _ = try? LedgerLog.markEnd(of: position.epoch, at: position.number, in: remote)
        }
        try apply(entry, next)
        return next
    }

    private func entry(at position: LogPosition) throws -> LogEntryReader? {
        if let entry = try LogEntryReader.open(position, in: remote) { return entry }
        guard try remote.readWhole(LogNames.end(of: position.epoch), atMost: 64) != nil else { return nil }
        // The epoch may have ended between the two questions.
        guard let entry = try LogEntryReader.open(position, in: remote) else { throw Gap() }
        return entry
    }
}
