import Logging
import NIOCore

/// What happens when no connection can be accepted, such as while the process has no descriptor left: nothing for a
/// moment, then another try. The kernel keeps the connections meanwhile.
enum AcceptBackoff {
    static let pause: TimeAmount = .milliseconds(250)
    private static let logInterval: TimeAmount = .minutes(1)

    static func handler(logger: Logger) -> AcceptBackoffHandler {
        var nextLog = NIODeadline.uptimeNanoseconds(0)
        return AcceptBackoffHandler(shouldForwardIOErrorCaught: false) { error in
            let now = NIODeadline.now()
            if now >= nextLog {
                nextLog = now + logInterval
                logger.warning(
                    "Connections cannot be accepted at the moment; waiting ones are kept",
                    metadata: ["error": "\(error)"])
            }
            return pause
        }
    }
}
