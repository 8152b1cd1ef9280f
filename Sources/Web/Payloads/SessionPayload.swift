import Vaults

/// The session as the page sees it.
struct SessionPayload: Encodable {
    struct Damage: Encodable {
        let missingEntries: Int
        let unreadable: [String]
        /// Whether the vault is an older state of itself.
        let setBack: Bool
    }

    /// What a guest has, whether or not a vault is open beside it.
    struct Guest: Encodable {
        let photos: Int
        /// When they go.
        let until: String?
    }

    let kind: String
    /// Absent for a session that idleness does not end.
    var idleSeconds: Int?
    /// What there is of it after each use.
    var idleLimitSeconds: Int?
    var kept = false
    /// When a kept session ends; for a guest, when the photos go.
    var until: String?
    var damage: Damage?
    var guest: Guest?

    /// - Parameters:
    ///   - vault: `nil` when no vault is open.
    ///   - guest: `nil` when the browser has no guest's space.
    init(vault: Session?, guest: Session?) async {
        let session = vault ?? guest
        kind = session?.kind.rawValue ?? "none"
        if let guest, let photos = try? await guest.photoCount() {
            self.guest = Guest(photos: photos, until: Self.text(guest))
        }
        guard let session else { return }
        kept = session.isKept
        if !kept {
            idleSeconds = Int(session.idleRemaining.components.seconds)
            idleLimitSeconds = Int(session.idleLimit.components.seconds)
        }
        until = Self.text(session)
        damage = session.damage.map {
            Damage(missingEntries: $0.missingEntries, unreadable: $0.unreadable, setBack: $0.isSetBack)
        }
    }

    private static func text(_ session: Session) -> String? { session.end.map { CivilTime($0).rfc3339 } }
}
