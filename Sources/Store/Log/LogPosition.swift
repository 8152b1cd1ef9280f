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
