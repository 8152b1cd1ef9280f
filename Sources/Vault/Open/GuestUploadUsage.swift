import Bytes
package import Records
package import Store

/// Bytes of disk that unfinished uploads of guests take, each with its row, by the last day on which they are kept. The rows of uploads say
/// to nobody whose they are; after a restart, guests that are not there must count all the same. It is changed together
/// with the rows, so it is right after every power cut.
///
/// A list of day u32 ‖ bytes u64, integers big-endian.
package struct GuestUploadUsage: Equatable, Sendable {
    package static let metaKey = HostMetaKey.guestUploads
    private static let entryByteCount = 12

    private var byteCounts: [UInt32: UInt64] = [:]

    /// What cannot be read counts as nothing: it keeps nobody from anything.
    package init(_ encoded: [UInt8]?) {
        guard let encoded, encoded.count.isMultiple(of: Self.entryByteCount) else { return }
        var reader = ByteReader(encoded)
        while let day = reader.readUInt32(), let byteCount = reader.readUInt64() { byteCounts[day] = byteCount }
    }

    /// Nil for nothing.
    package var encoded: [UInt8]? {
        let entries = byteCounts.sorted { $0.key < $1.key }
        return entries.isEmpty ? nil : entries.flatMap { $0.key.bigEndianBytes + $0.value.bigEndianBytes }
    }

    /// Bytes of the uploads that the sweep has not taken by then.
    package func byteCount(from today: UInt32) -> UInt64 {
        byteCounts.filter { $0.key >= today }.values.reduce(0, clampedSum)
    }

    /// What an upload takes, and the last day on which it is kept.
    package struct Entry: Equatable {
        package var byteCount: UInt64
        package var day: UInt32

        package init(byteCount: UInt64, day: UInt32) {
            self.byteCount = byteCount
            self.day = day
        }
    }

    /// One stands as another from now on; nil for one that is not there.
    package mutating func replace(_ old: Entry?, with new: Entry?, today: UInt32) {
        if let old, let count = byteCounts[old.day] { byteCounts[old.day] = count - min(count, old.byteCount) }
        if let new { byteCounts[new.day] = clampedSum(byteCounts[new.day] ?? 0, new.byteCount) }
        byteCounts = byteCounts.filter { $0.key >= today && $0.value > 0 }
    }
}

extension OpenVault {
    /// Before the row of an unfinished upload is written, kept until then, or removed; counts those of guests only.
    /// - Parameter record: nil when it is removed.
    package func noteUpload(
        _ record: UploadRecord?, at row: RowID, until day: UInt32?, _ transaction: LedgerTransaction
    ) throws {
        guard isGuest else { return }
        // The row says what was counted for it; memory may be ahead of it, or behind.
        let before = try transaction.upload(row).map { stored in
            let opened = stored.body.withUnsafeBytes { try? openUpload($0, id: row) }
            return Self.entry(opened?.0, stored.expiresDay)
        }
        let after = record.flatMap { record in day.map { Self.entry(record, $0) } }
        guard before != after else { return }
        var tally = GuestUploadUsage(try transaction.metaValue(GuestUploadUsage.metaKey))
        tally.replace(before, with: after, today: store.today)
        try transaction.setMetaValue(GuestUploadUsage.metaKey, tally.encoded)
    }

    private static func entry(_ record: UploadRecord?, _ day: UInt32) -> GuestUploadUsage.Entry {
        let runs = record?.runs ?? []
        return GuestUploadUsage.Entry(
            byteCount: clampedSum(runs.isEmpty ? 0 : runs.storedByteCount, GuestDiskUsage.byteCountPerUpload), day: day)
    }
}
