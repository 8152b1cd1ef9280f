import Releases

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
