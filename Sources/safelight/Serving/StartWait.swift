import Logging
import Records
import Synchronization
import Web

/// What a start waits for that passes by itself, as it is known now.
final class StartWait: Sendable {
    private static let longestPause: Double = 60
    /// Somebody who ends a command wants to see the daemon go on.
    private static let longestPauseBehindCommand: Double = 4

    let reason: AbsenceServer.Reason
    private let dataPath: String
    private let logger: Logger
    private let failure: Mutex<StartFailure>

    /// Nil for what has to be told and ends the daemon, as another daemon that serves the same data directory.
    init?(_ failure: StartFailure, dataPath: String, logger: Logger) {
        guard let reason = Self.reason(failure, dataPath) else { return nil }
        self.reason = reason
        self.dataPath = dataPath
        self.logger = logger
        self.failure = Mutex(failure)
        tell(failure)
    }

    /// Why, in words of now.
    var detail: String { failure.withLock(\.description) }

    /// Whether an attempt failed for what is waited for already.
    func goesOn(with failure: StartFailure) -> Bool {
        guard Self.reason(failure, dataPath) == reason else { return false }
        let isNews = self.failure.withLock { known in
            defer { known = failure }
            return known.description != failure.description
        }
        if isNews { tell(failure) }
        return true
    }

    /// Grows, so that nobody is asked without a pause for as long as a night.
    func pause(after attempts: Int) -> Duration {
        let longest = reason == .inUse ? Self.longestPauseBehindCommand : Self.longestPause
        var pause = 1.0
        for _ in 1..<max(1, attempts) where pause < longest { pause = min(longest, 2 * pause) }
        return .seconds(pause)
    }

    private func tell(_ failure: StartFailure) {
        let end =
            reason == .inUse ? "This goes on by itself once that has ended." : "It is tried again until it goes well."
        logger.error("waiting to start. \(failure.sentence) \(end)")
    }

    private static func reason(_ failure: StartFailure, _ dataPath: String) -> AbsenceServer.Reason? {
        if failure.isOfBucket { return .bucket }
        if failure.isOfDisk { return failure.isOfFullDisk ? .fullDisk : .failingDisk }
        // A command, or a daemon that is about to end: one that serves answers there.
        return failure.isInUse && !ConsoleSocket(dataPath: dataPath).isListenedTo ? .inUse : nil
    }
}
