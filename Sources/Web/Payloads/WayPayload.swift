import FoundationEssentials
import Records

/// A way into the open vault.
struct WayPayload: Encodable {
    struct List: Encodable {
        let ways: [WayPayload]
    }

    let id: String
    let kind: String
    let label: String
    let createdAt: String
    let current: Bool
    /// Of a recovery code that was just made; absent otherwise.
    let code: String?

    init(_ way: Way, code: String? = nil) {
        id = way.id
        kind = way.kind.name
        label = way.label
        createdAt = CivilTime(way.createdAt).rfc3339
        current = way.isCurrent
        self.code = code
    }
}
