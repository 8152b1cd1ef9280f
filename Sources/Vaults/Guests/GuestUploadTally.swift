import Store

/// Bytes of disk that unfinished uploads of guests take, by the last day on which they are kept. The rows of uploads say
/// to nobody whose they are; after a restart, guests that are not there must count all the same. It is changed together
/// with the rows, so it is right after every power cut.
///
/// A list of day u32 ‖ bytes u64, integers big-endian.
struct GuestUploadTally: Equatable, Sendable {
    static let metaKey = "guest_uploads"
    private static let entryByteCount = 12

    private var byteCounts: [UInt32: UInt64] = [:]

    /// What cannot be read counts as nothing: it keeps nobody from anything.
    init(_ encoded: [UInt8]?) {
        guard let encoded, encoded.count.isMultiple(of: Self.entryByteCount) else { return }
        var reader = ByteReader(encoded)
        while let day = reader.readUInt32(), let byteCount = reader.readUInt64() { byteCounts[day] = byteCount }
    }

    /// Nil for nothing.
    var encoded: [UInt8]? {
        let entries = byteCounts.sorted { $0.key < $1.key }
        return entries.isEmpty ? nil : entries.flatMap { $0.key.bigEndianBytes + $0.value.bigEndianBytes }
    }

    /// Of those that the sweep has not taken by then.
    func byteCount(from today: UInt32) -> UInt64 {
        byteCounts.filter { $0.key >= today }.values.reduce(0, clampedSum)
    }

    /// An upload that was kept until one day is kept until another; nil for one that is not there.
    mutating func move(_ byteCount: UInt64, from old: UInt32?, to new: UInt32?, today: UInt32) {
        if let old, let count = byteCounts[old] { byteCounts[old] = count - min(count, byteCount) }
        if let new { byteCounts[new] = clampedSum(byteCounts[new] ?? 0, byteCount) }
        byteCounts = byteCounts.filter { $0.key >= today && $0.value > 0 }
    }
}

extension OpenVault {
    /// Before the row of an unfinished upload is written, kept until then, or removed; counts those of guests only.
    /// - Parameter byteCount: of its content.
    func noteUpload(
        _ byteCount: UInt64, at row: RowID, until day: UInt32?, _ transaction: LedgerTransaction
    ) throws {
        guard isGuest else { return }
        let before = try transaction.upload(row)?.expiresDay
        guard before != day else { return }
        var tally = GuestUploadTally(try transaction.metaValue(GuestUploadTally.metaKey))
        let taken = clampedSum(ObjectSize.ofOneRun(content: byteCount), GuestRoom.byteCountPerUpload)
        tally.move(taken, from: before, to: day, today: store.today)
        try transaction.setMetaValue(GuestUploadTally.metaKey, tally.encoded)
    }
}
