import FoundationEssentials
import Hummingbird
import Records
import Releases
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

/// A vault has been opened, and perhaps a guest has moved in.
struct OpeningPayload: Encodable {
    let kind = "vault"
    let kept: Bool
    let migrated: Int
    let duplicates: Int
    let pending: Int
    let lost: Int
    /// The code of what kept the guest from moving in; absent when nothing did.
    let migrationRefused: String?
    /// The recovery code of a vault that was made with one; absent otherwise.
    let recoveryCode: String?
    /// Wrong guesses at passwords of this house since this vault was opened before.
    let wrongGuesses: UInt64

    init(_ opening: Opening) {
        kept = opening.session.isKept
        migrated = opening.migration?.moved ?? 0
        duplicates = opening.migration?.duplicates ?? 0
        pending = opening.migration?.pending ?? 0
        lost = opening.migration?.lost ?? 0
        migrationRefused = opening.migrationRefusal?.code
        recoveryCode = opening.recoveryCode
        wrongGuesses = opening.session.wrongGuesses
    }
}

/// Tells of a newer version when somebody is done: after a batch and at a lock. Who looks for it finds it in the settings.
struct UpgradeReminder: Sendable {
    let upgrade: @Sendable () -> Upgrade?

    /// For a batch as it is answered now.
    /// - Parameter isPage: whether a page asks, which shows it; a command line would use the reminder up unseen
    func payload(after status: BatchStatus, of session: Session, isPage: Bool) async -> UpgradePayload? {
        guard status.hasEndedWell, isPage else { return nil }
        return await payload(for: session)
    }

    /// For whoever is leaving. What keeps the vault from remembering keeps nobody from leaving.
    func payload(for session: Session) async -> UpgradePayload? {
        guard session.kind == .vault, let upgrade = upgrade() else { return nil }
        // What cannot be remembered is not said: it would be said again and again.
        guard (try? await session.takeReminder(of: upgrade.release.version)) == true else { return nil }
        return UpgradePayload(upgrade)
    }
}

/// A newer version of the host's software.
struct UpgradePayload: Encodable {
    let version: String
    let page: String
    let notes: String?
    /// The version that runs is no longer looked after.
    let needed: Bool

    init(_ upgrade: Upgrade) {
        version = upgrade.release.version.description
        page = upgrade.release.page
        notes = upgrade.release.notes
        needed = upgrade.isNeeded
    }
}
