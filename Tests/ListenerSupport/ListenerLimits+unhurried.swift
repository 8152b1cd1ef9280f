package import Listener

extension ListenerLimits {
    /// With times that no machine is too busy for, and that end what waits for them; a test of one of them sets that one.
    package static var unhurried: ListenerLimits {
        var limits = ListenerLimits()
        limits.headerTime = .seconds(20)
        limits.idleTime = .seconds(600)
        limits.grace = .seconds(600)
        limits.longestPatience = .seconds(600)
        limits.refusedBodyLinger = .seconds(20)
        limits.overflowHeaderTime = .seconds(20)
        return limits
    }
}
