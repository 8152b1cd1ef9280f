import Bytes
package import FoundationEssentials
import Sealing

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
