package import Logging
package import Releases
import ServiceLifecycle
import Synchronization

/// Asks the release feed at most once in 24 hours, over restarts, and knows what it said last.
package final class UpgradeMonitor: Service {
    /// What the monitor cannot do by itself: the time, the disk, the network.
    package struct World: Sendable {
        /// Seconds since 1970.
        package var now: @Sendable () -> Int64
        package var sleep: @Sendable (Duration) async throws -> Void
        /// 0 to 1.
        package var chance: @Sendable () -> Double
        package var load: @Sendable () async throws -> [UInt8]?
        /// On disk on return.
        package var save: @Sendable ([UInt8]) async throws -> Void
        package var ask: @Sendable (_ entityTag: String?) async throws(FeedError) -> FeedAnswer

        package init(
            now: @escaping @Sendable () -> Int64, sleep: @escaping @Sendable (Duration) async throws -> Void,
            chance: @escaping @Sendable () -> Double, load: @escaping @Sendable () async throws -> [UInt8]?,
            save: @escaping @Sendable ([UInt8]) async throws -> Void,
            ask: @escaping @Sendable (_ entityTag: String?) async throws(FeedError) -> FeedAnswer
        ) {
            self.now = now
            self.sleep = sleep
            self.chance = chance
            self.load = load
            self.save = save
            self.ask = ask
        }
    }

    private let feed: FeedAddress
    private let judge: FeedJudge
    private let world: World
    private let logger: Logger
    private let known = Mutex<Release?>(nil)

    package init(feed: FeedAddress, judge: FeedJudge, world: World, logger: Logger) {
        self.feed = feed
        self.judge = judge
        self.world = world
        self.logger = logger
    }

    /// A version newer than the one that runs, as the feed said last.
    package var release: Release? { known.withLock(\.self) }

    package var upgrade: Upgrade? { release.map { Upgrade(to: $0, from: judge.running) } }

    package func run() async throws {
        try? await cancelWhenGracefulShutdown { [self] in try await watch() }
        try? await gracefulShutdown()
    }

    /// Until it is cancelled, or the disk does not remember that the feed was asked: then it is not asked.
    func watch() async throws {
        var state: FeedState
        do {
            state = FeedState(feed: feed.text, stored: try await world.load())
        } catch {
            return logger.warning("the release feed is not asked: what was remembered cannot be read")
        }
        judge.forgetUnproven(&state)
        known.withLock { $0 = judge.release(in: state) }
        await forgetFuture(&state)
        var isAtStart = true
        while true {
            let wait = FeedSchedule.wait(
                lastAsked: state.lastAsked, now: world.now(), isAtStart: isAtStart, chance: world.chance())
            logger.info("the release feed will be asked", metadata: ["in": "\(wait.components.seconds) s"])
            try await world.sleep(wait)
            isAtStart = false
            try await ask(&state)
        }
    }

    /// A clock that stood in the future when the feed was asked last must not silence it, on a host either that is
    /// switched off every day.
    private func forgetFuture(_ state: inout FeedState) async {
        guard let lastAsked = state.lastAsked, lastAsked > world.now() else { return }
        state.lastAsked = world.now()
        do {
            try await world.save(try state.encoded)
        } catch {
            logger.warning("the time at which the release feed was asked could not be set right")
        }
    }

    /// That it was asked is remembered before it is: a daemon that is started again and again asks no more often.
    private func ask(_ state: inout FeedState) async throws {
        state.lastAsked = world.now()
        do {
            try await world.save(try state.encoded)
        } catch {
            logger.warning("the release feed is not asked: the time cannot be remembered")
            return
        }
        do {
            let release = try judge.judge(try await world.ask(state.entityTag), &state)
            known.withLock { $0 = release }
        } catch {
            try Task.checkCancellation()
            logger.warning("the release feed is left alone", metadata: ["reason": "\(error)"])
            // What was believed before is not said any more once the feed went back.
            if case .older = error { known.withLock { $0 = nil } }
            return
        }
        do {
            try await world.save(try state.encoded)
        } catch {
            logger.warning("what the release feed said is forgotten at the next start: it cannot be stored")
        }
    }
}
