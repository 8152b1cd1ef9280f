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

    /// Another device that sends photos into this vault now.
    struct Sending: Encodable {
        let device: String
        let done: Int
        let total: Int
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
    /// Another one than before when what is listed has changed.
    var listing: UInt64?
    var sending: [Sending]?
    /// Photos whose pictures are still to be made; absent where there are none.
    var picturesLeft: Int?

    /// - Parameters:
    ///   - vault: `nil` when no vault is open.
    ///   - guest: `nil` when the browser has no guest's space.
    init(vault: Session?, guest: Session?) async {
        let session = vault ?? guest
        kind = session?.kind.rawValue ?? "none"
        if let guest, let photos = try? await guest.photos.count() {
            self.guest = Guest(photos: photos, until: Self.text(guest))
        }
        guard let session else { return }
        kept = session.isKept
        if !kept {
            idleSeconds = Int(session.idleRemaining.components.seconds)
            idleLimitSeconds = Int(session.idleLimit.components.seconds)
        }
        until = Self.text(session)
        listing = session.listingNumber
        let others = session.sendingElsewhere.map {
            Sending(device: $0.device.rawValue, done: $0.done, total: $0.total)
        }
        if !others.isEmpty { sending = others }
        if let count = try? await session.photos.withoutPictures(), count > 0 { picturesLeft = count }
        damage = session.damage.map {
            Damage(missingEntries: $0.missingEntries, unreadable: $0.unreadable, setBack: $0.isSetBack)
        }
    }

    private static func text(_ session: Session) -> String? { session.end.map { UTCTime($0).rfc3339 } }
}
