import Hummingbird
import Records
import Releases
import Vaults

/// Tells of a newer version when somebody is done: after a batch and at a lock, and nowhere else.
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

/// A newer version of the host's software. Only answers that end something carry it.
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
