import Vaults

/// The session as the page sees it.
struct SessionPayload: Encodable {
    struct Damage: Encodable {
        let missingEntries: Int
        let unreadable: [String]
        /// Whether the vault is an older state of itself.
        let setBack: Bool
    }

    let kind: String
    var idleSeconds: Int?
    var kept = false
    var damage: Damage?

    /// - Parameter session: `nil` when no vault is open.
    init(_ session: Session?) {
        kind = session == nil ? "none" : "vault"
        guard let session else { return }
        idleSeconds = Int(session.idleRemaining.components.seconds)
        damage = session.damage.map {
            Damage(missingEntries: $0.missingEntries, unreadable: $0.unreadable, setBack: $0.isSetBack)
        }
    }
}
