import FoundationEssentials
import Vaults

/// One browser or program that has the vault open, or can open it again by a cookie.
struct OpenSessionPayload: Encodable {
    struct List: Encodable {
        let sessions: [OpenSessionPayload]
    }

    let id: String
    let openedAt: String
    /// `browser`, or `program` for one that sends the password with each request.
    let kind: String
    let system: String?
    let browser: String?
    let current: Bool
    let keptUntil: String?

    init(_ session: OpenSession) {
        id = session.id
        openedAt = UTCTime(session.openedAt).rfc3339
        kind = session.device == nil ? "program" : "browser"
        system = session.device?.system?.name
        browser = session.device?.browser?.name
        current = session.isCurrent
        keptUntil = session.end.map { UTCTime($0).rfc3339 }
    }
}
