import Listener

extension ListenerLimits {
    /// With times that no machine is too busy for; a test of one of them sets that one.
    static var unhurried: ListenerLimits {
        var limits = ListenerLimits()
        limits.headerTime = .seconds(600)
        limits.idleTime = .seconds(600)
        limits.grace = .seconds(600)
        limits.longestPatience = .seconds(600)
        limits.refusedBodyLinger = .seconds(600)
        limits.overflowHeaderTime = .seconds(600)
        return limits
    }
}
