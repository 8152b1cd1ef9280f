import Bytes
package import FoundationEssentials
import Sealing

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

/// One way into a vault, as the person who opened it may see it.
package struct Way: Equatable, Sendable {
    package enum Kind: UInt8, Sendable {
        case password = 0
        case recovery = 1
        case passkey = 2
        /// A code of one device's program, which sends and lists, and nothing else.
        case app = 3

        package var name: String {
            switch self {
            case .password: "password"
            case .recovery: "recovery"
            case .passkey: "passkey"
            case .app: "app"
            }
        }
    }

    /// Names it inside its vault.
    package let id: String
    package let kind: Kind
    /// What the person called it; may be empty.
    package let label: String
    /// The beginning of a day.
    package let createdAt: Date
    /// Whether the session that asks came this way.
    package let isCurrent: Bool

    package init(id: String, kind: Kind, label: String, createdAt: Date, isCurrent: Bool) {
        self.id = id
        self.kind = kind
        self.label = label
        self.createdAt = createdAt
        self.isCurrent = isCurrent
    }
}

/// Names a way inside its vault: 8 random bytes, zeros for the password with which the vault was made.
package struct WayID: Hashable, Sendable {
    package static let byteCount = 8
    package static let first = WayID(bytes: [UInt8](repeating: 0, count: byteCount))

    package let bytes: [UInt8]

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// Nil unless there are 8 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    package init?(text: String) { self.init(Base64URL.decode(text) ?? []) }

    package static func random() throws -> WayID { WayID(bytes: try randomBytes(byteCount)) }

    package var text: String { Base64URL.encode(bytes) }
}

/// Twelve slots that open a vault with one secret, as the vault's head lists them.
package struct SlotSet: Equatable, Sendable {
    package enum State: UInt8, Sendable {
        case live = 0
        /// Being written; its secret opens the vault as soon as one slot is on disk.
        case incoming = 1
    }

    package static let replicaCount = SlotRoot.replicaCount

    package var state: State
    /// 0: a password. Others are for further ways into a vault.
    package var kind: UInt8
    package var positions: [UInt32]
    /// First 4 bytes of SHA-256 of each slot's content. Only a slot that still has its hash is ever overwritten.
    package var hashes: [[UInt8]]

    package init(state: State, kind: UInt8 = 0, positions: [UInt32], hashes: [[UInt8]]) {
        self.state = state
        self.kind = kind
        self.positions = positions
        self.hashes = hashes
    }

    package var encoded: [UInt8] {
        [state.rawValue, kind] + positions.flatMap(slotPositionBytes) + hashes.flatMap { $0 }
    }

    package init(_ bytes: [UInt8]) throws(VaultError) {
        var reader = ByteReader(bytes)
        guard bytes.count == 2 + Self.replicaCount * (3 + slotHashByteCount),
            let state = reader.readUInt8().flatMap(State.init),
            let kind = reader.readUInt8()
        else { throw .damaged }
        self.state = state
        self.kind = kind
        positions = (0..<Self.replicaCount).compactMap { _ in reader.read(3).map(slotPosition) }
        hashes = (0..<Self.replicaCount).compactMap { _ in reader.read(slotHashByteCount).map(Array.init) }
    }

    package var pairs: [(position: UInt32, hash: [UInt8])] {
        zip(positions, hashes).map { (position: $0, hash: $1) }
    }
}
