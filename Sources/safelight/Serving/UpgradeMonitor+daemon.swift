import FoundationEssentials
import Logging
import Releases
import Upgrades
import Vaults

extension UpgradeMonitor {
    /// Makes a monitor with the daemon's clock, memory and network.
    convenience init(_ settings: UpgradeSettings, service: VaultService, logger: Logger) {
        self.init(
            feed: settings.feed, judge: settings.judge,
            world: World(
                now: { Int64(Date().timeIntervalSince1970) }, sleep: { try await Task.sleep(for: $0) },
                chance: { Double.random(in: 0...1) }, load: { try await service.feedMemory() },
                save: { try await service.setFeedMemory($0) },
                ask: { entityTag throws(FeedError) in try await settings.client.ask(entityTag: entityTag) }),
            logger: logger)
    }
}
