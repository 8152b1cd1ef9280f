import Releases
import Upgrades

/// Where newer versions are announced.
struct UpgradeSettings {
    let feed: FeedAddress
    let judge: FeedJudge
    let client: FeedClient

    /// Nil where no feed is named.
    init?(_ values: SettingReader) throws {
        let keyText = values.text(.upgradeKey)
        let authorityPath = values.text(.upgradeAuthority)
        guard let text = values.text(.upgradeFeed) else {
            for (setting, value) in [(Setting.upgradeKey, keyText), (.upgradeAuthority, authorityPath)]
            where value != nil {
                throw SettingsError(key: setting, problem: "is of use only where upgrade.feed is given")
            }
            return nil
        }
        guard let feed = FeedAddress(text) else {
            throw SettingsError(key: .upgradeFeed, problem: "must be an https address of a file, without a query")
        }
        let key = keyText.flatMap { FeedKey($0) }
        guard keyText == nil || key != nil else {
            throw SettingsError(key: .upgradeKey, problem: "must be an Ed25519 public key in base64")
        }
        guard let running = SemanticVersion(Version.text) else {
            throw SettingsError(key: .upgradeFeed, problem: "needs a running version that can be compared")
        }
        self.feed = feed
        judge = FeedJudge(running: running, key: key)
        client = FeedClient(feed, asksForSignature: key != nil, authorityPath: authorityPath)
    }
}
