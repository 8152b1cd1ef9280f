package import FoundationEssentials
package import Sealing
package import Store

/// A session that outlives the daemon, as the vault that it opens lists it. One that the vault does not list is dead,
/// whatever the ledger's table of sessions says: that table is open to whoever can write to the disk.
package struct KeptSession: Equatable, Sendable {
    /// How many one vault lists at most; the oldest gives way.
    package static let most = 64

    package var id: SessionID
    /// Days since 1970; the last one on which it counts.
    package var lastDay: UInt32
    /// The number of the row that lists it.
    package var rowNumber: UInt64
    /// The way by which it came into the vault.
    package var way: WayID
    package var openedAt: Date
    package var device: DeviceKind

    private enum Tag {
        static let id: UInt8 = 1
        static let lastDay: UInt8 = 2
        static let way: UInt8 = 3
        static let openedAt: UInt8 = 4
        static let device: UInt8 = 5
    }

    package var payload: [UInt8] {
        var fields = TaggedFields()
        fields.append(Tag.id, id.bytes)
        fields.append(Tag.lastDay, UInt64(lastDay))
        fields.append(Tag.way, way.bytes)
        fields.append(Tag.openedAt, Milliseconds.from(openedAt))
        fields.append(Tag.device, device.bytes)
        return fields.encoded
    }

    package init(
        id: SessionID, lastDay: UInt32, rowNumber: UInt64, way: WayID = .first, openedAt: Date = .now,
        device: DeviceKind = DeviceKind()
    ) {
        self.id = id
        self.lastDay = lastDay
        self.rowNumber = rowNumber
        self.way = way
        // As it is stored.
        self.openedAt = Milliseconds.date(Milliseconds.from(openedAt))
        self.device = device
    }

    package init(_ payload: [UInt8], rowNumber: UInt64) throws(VaultError) {
        let fields = try TaggedFields(payload)
        guard let id = fields.value(Tag.id).flatMap(SessionID.init(bytes:)), let day = fields.uint64(Tag.lastDay)
        else { throw .damaged }
        // Those of a guest, and of a vault before it had ways, name none.
        let way = fields.value(Tag.way).flatMap { WayID($0) } ?? .first
        let opened = fields.uint64(Tag.openedAt).map(Milliseconds.date)
        self.init(
            id: id, lastDay: UInt32(clamping: day), rowNumber: rowNumber, way: way,
            // One that does not say so began that many days before its last.
            openedAt: opened
                ?? Date(timeIntervalSince1970: Double(Int64(day) - Int64(SessionRecord.days)) * 86_400),
            device: DeviceKind(bytes: fields.value(Tag.device) ?? []))
    }
}

/// What a session is that outlives the daemon. When it ends for want of use its token brings it back.
package struct ResumableSession: Sendable {
    package let id: SessionID
    /// Days since 1970; the last one on which it counts.
    package let lastDay: UInt32
    /// Makes the names of photos, so that they stay the same.
    package let handleKey: SharedSecret

    package init(id: SessionID, lastDay: UInt32, handleKey: SharedSecret) {
        self.id = id
        self.lastDay = lastDay
        self.handleKey = handleKey
    }
}
