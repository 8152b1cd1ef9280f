/// A way into a vault besides the password with which it was made, as a row of the vault lists it. That first one
/// stands in the head.
package struct WayRecord: Equatable, Sendable {
    /// Into one vault at most, the first one included.
    package static let most = 16
    /// Unicode scalars of a label.
    static let longestLabel = 40
    /// Bytes of a label, so that the record with three slot sets fits one row.
    static let longestLabelByteCount = 140

    package var id: WayID
    package var kind: Way.Kind
    package var label: String
    /// Since 1970.
    package var createdDay: UInt32
    /// One; more while they are being replaced.
    package var slotSets: [SlotSet]
    /// The number of the row that lists it.
    package var rowNumber: UInt64 = 0
    /// Fields of a newer version, kept as they are.
    package var unknown: [TaggedFields.Field] = []

    package init(
        id: WayID, kind: Way.Kind, label: String, createdDay: UInt32, slotSets: [SlotSet], rowNumber: UInt64 = 0,
        unknown: [TaggedFields.Field] = []
    ) {
        self.id = id
        self.kind = kind
        self.label = label
        self.createdDay = createdDay
        self.slotSets = slotSets
        self.rowNumber = rowNumber
        self.unknown = unknown
    }

    private enum Tag {
        static let id: UInt8 = 1
        static let kind: UInt8 = 2
        static let label: UInt8 = 3
        static let createdDay: UInt8 = 4
        static let slotSet: UInt8 = 5
        static let known: ClosedRange<UInt8> = 1...5
    }

    package var payload: [UInt8] {
        var fields = TaggedFields()
        fields.append(Tag.id, id.bytes)
        fields.append(Tag.kind, [kind.rawValue])
        fields.append(Tag.label, Array(label.utf8))
        fields.append(Tag.createdDay, UInt64(createdDay))
        for set in slotSets { fields.append(Tag.slotSet, set.encoded) }
        fields.fields += unknown
        return fields.encoded
    }
}

extension WayRecord {
    package init(_ payload: [UInt8], rowNumber: UInt64) throws(VaultError) {
        let fields = try TaggedFields(payload)
        guard let id = fields.value(Tag.id).flatMap({ WayID($0) }), let kind = fields.value(Tag.kind), kind.count == 1,
            let kind = Way.Kind(rawValue: kind[0]), let day = fields.uint64(Tag.createdDay),
            let label = String(validating: fields.value(Tag.label) ?? [], as: UTF8.self)
        else { throw .damaged }
        self.init(
            id: id, kind: kind, label: label, createdDay: UInt32(clamping: day),
            slotSets: try fields.values(Tag.slotSet).map { value throws(VaultError) in try SlotSet(value) },
            rowNumber: rowNumber, unknown: fields.fields.filter { !Tag.known.contains($0.tag) })
    }

    /// - Throws: `labelTooLong`.
    package static func requireValid(label: String) throws(VaultError) {
        guard label.unicodeScalars.count <= longestLabel, label.utf8.count <= longestLabelByteCount else {
            throw .labelTooLong
        }
    }
}
