import Discovery
import Listener
import Logging
import Printing
import Records
import ServiceLifecycle
import Store
import Synchronization
import Threads

/// Follows another host by what that puts into the bucket, until this one is to take its place: by command, or once that
/// one gives no sign of life any more, where the configuration says after how long.
final class StandBy: Sendable {
    private static let pause: Duration = .seconds(1)

    private let follower: TierFollower
    private let sign: TierSign
    private let silence: Mutex<TierSilence?>
    private let logger: Logger

    /// Has a data directory that follows, made of what the bucket has where there is none.
    /// - Parameter patience: how long the other may give no sign of life; nil: only by command
    /// - Throws: `StartFailure`
    static func begin(
        at path: String, following remote: BucketObjects, _ patience: Duration?, logger: Logger
    ) async throws -> StandBy {
        try await working { try StandBy(path, remote, patience, logger) }
    }

    private init(_ path: String, _ remote: BucketObjects, _ patience: Duration?, _ logger: Logger) throws {
        self.logger = logger
        sign = TierSign(remote)
        silence = Mutex(patience.map { TierSilence(patience: $0) })
        if try TierRestoration.isNeeded(at: path) {
            logger.notice("making a data directory of what the bucket has")
            try TierRestoration(from: remote, to: path).run { _, _ in }
        }
        follower = try TierFollower(path: path, remote: remote)
        do {
            try follower.follow()
        } catch {
            try? follower.end()
            throw error
        }
        if !follower.isWriter { logger.notice("standing by; another host serves") }
    }

    /// - Returns: what a start is to do now; nil when the daemon was told to stop before.
    func untilWanted(_ waiting: Waiting) async throws -> TierConfiguration.Intent? {
        let isWanted: Bool
        do {
            isWanted = try await follower.isWriter ? true : waiting.until(every: Self.pause) { [self] in try isOver() }
        } catch {
            throw StartFailure.told(error)
        }
        let isWriter = follower.isWriter
        try await end()
        return isWanted ? (isWriter ? .goOn : .takeOver) : nil
    }

    func end() async throws { try await Self.working { [self] in try follower.end() } }

    private static func working<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        let pool = BlockingPool(name: "stand-by", threads: 1)
        do {
            let result = try await pool.run(body)
            await pool.shutdown()
            return result
        } catch {
            await pool.shutdown()
            throw StartFailure.told(error)
        }
    }

    /// Whether to take over. What passes by itself is stood by, too.
    private func isOver() throws -> Bool {
        if follower.isToTakeOver {
            logger.notice("taking over, as was asked")
            return true
        }
        do {
            try follower.follow()
            guard try isSilent() else { return false }
            logger.warning("taking over: the other host gives no sign of life any more")
            return true
        } catch StoreError.bucketUnreachable(let reason) {
            silence.withLock { $0?.wasDeaf() }
            logger.warning("the bucket does not answer; standing by", metadata: ["reason": "\(reason)"])
            return false
        } catch let error as StoreError where error.isOfDisk {
            silence.withLock { $0?.wasDeaf() }
            logger.warning("the disk does not take what comes; standing by", metadata: ["reason": "\(error)"])
            return false
        }
    }

    private func isSilent() throws -> Bool {
        guard silence.withLock({ $0 != nil }) else { return false }
        let read = try sign.read()
        return silence.withLock { $0?.isOver(read, at: .now) ?? false }
    }
}

/// Looks once, five minutes after the start, whether any other device has come, and says what may keep them away.
struct FirstVisit: Service {
    private static let patience: Duration = .seconds(300)

    let finding: HostFinding
    let limiter: ConnectionLimiter

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            try await Task.sleep(for: Self.patience)
            sayWhatMayKeepDevicesAway()
        }
        try? await gracefulShutdown()
    }

    private func sayWhatMayKeepDevicesAway() {
        guard let port = finding.port else { return }
        let advice = Reachability.read(strangerCount: limiter.strangerCount).advice(port: port)
        guard let text = advice.explanation(port: port) else { return }
        Terminal.print("No other device has connected in five minutes. \(text)")
    }
}
