import Logging
import Records
import Store
import Synchronization
import Threads

/// Follows another host by what that puts into the bucket, until this one is to take its place: by command, or once that
/// one gives no sign of life any more, where the configuration says after how long.
struct StandBy {
    private static let pause: Duration = .seconds(1)

    let path: String
    let remote: BucketObjects
    /// How long the other may give no sign of life; nil: only by command.
    let patience: Duration?
    let waiting: Waiting
    let logger: Logger

    /// - Returns: what a start is to do now; nil when the daemon was told to stop before.
    func untilWanted() async throws -> TierConfiguration.Intent? {
        let pool = BlockingPool(name: "stand-by", threads: 1)
        do {
            let watch = try await pool.run { try Watch(path: path, remote: remote, patience: patience, logger: logger) }
            let isWanted = try await watch.isWriter ? true : waiting.until(every: Self.pause) { try watch.isOver() }
            let isWriter = watch.isWriter
            try await pool.run { try watch.end() }
            await pool.shutdown()
            return isWanted ? (isWriter ? .goOn : .takeOver) : nil
        } catch {
            await pool.shutdown()
            throw StartFailure.told(error)
        }
    }

    private final class Watch: Sendable {
        private let follower: TierFollower
        private let sign: TierSign
        private let silence: Mutex<TierSilence?>
        private let logger: Logger

        init(path: String, remote: BucketObjects, patience: Duration?, logger: Logger) throws {
            self.logger = logger
            sign = TierSign(remote)
            silence = Mutex(patience.map { TierSilence(patience: $0) })
            if try TierRestoration.isNeeded(at: path) {
                logger.notice("making a data directory of what the bucket has")
                try TierRestoration(from: remote, to: path).run { _, _ in }
            }
            follower = try TierFollower(path: path, remote: remote)
            try follower.follow()
            if !follower.isWriter { logger.notice("standing by; another host serves") }
        }

        var isWriter: Bool { follower.isWriter }

        /// Whether to take over.
        func isOver() throws -> Bool {
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
            }
        }

        private func isSilent() throws -> Bool {
            guard silence.withLock({ $0 != nil }) else { return false }
            let read = try sign.read()
            return silence.withLock { $0?.isOver(read, at: .now) ?? false }
        }

        func end() throws { try follower.end() }
    }
}
