/// Bounds on what one connection, one address and all of them together may ask for. The defaults are those of the
/// HTTP interface's description; sizes in bytes.
package struct ListenerLimits: Sendable, Equatable {
    /// The header of one request, in bytes and in fields.
    package var headerByteCount = 32 * 1024
    package var headerFieldCount = 100
    /// Until the first header is complete, counted from the connection's start and with the TLS handshake; until any
    /// later one is, counted from its first byte.
    package var headerTime: Duration = .seconds(10)
    /// How long a connection may stay without a request.
    package var idleTime: Duration = .seconds(120)
    /// Bytes per second that a client sends of a body, or takes of an answer, if it is to keep its connection.
    package var byteRate = 8 * 1024
    /// How long a client may keep us waiting at the start of a request, whatever its rate.
    package var grace: Duration = .seconds(10)
    /// How long it may keep us waiting after it was much faster than `byteRate`.
    package var longestPatience: Duration = .seconds(60)
    /// What is still read of a body that was refused, so that the answer arrives before the connection goes: many
    /// programs send all of a photo before they look at what was answered.
    package var refusedBodyByteCount = 64 * 1024 * 1024
    /// The same, of a body that comes from elsewhere without encryption: the less of a photo is sent like that, the better.
    package var exposedBodyByteCount = 1024 * 1024
    /// How long after the answer to a refused body, or after what still came of it, the connection stays, and how many
    /// times that in all.
    package var refusedBodyLinger: Duration = .seconds(1)
    package var refusedBodyLingerCount = 10
    /// The largest piece read from a socket at once.
    package var receiveByteCount = 128 * 1024
    /// Connections from other hosts, in all, from one device of this host's own links, and from one address (IPv6 from
    /// elsewhere: from one /64). Where one of these is reached, an idle connection ends for another to begin.
    package var strangerConnectionCount = 512
    package var deviceConnectionCount = 64
    package var addressConnectionCount = 32
    /// Connections from this host, by loopback or a socket file.
    package var hostConnectionCount = 512
    /// Connections for which no other can end, and that get one answer each: to `overflowPaths` the ordinary one, else
    /// 503.
    package var overflowConnectionCount = 16
    package var overflowPaths: Set<String> = ["/health", "/health/live"]
    /// `headerTime` of those.
    package var overflowHeaderTime: Duration = .seconds(2)
    /// Of one other device (IPv6 from elsewhere: of one /64): what goes beyond waits for its turn. A page begins with six
    /// connections and handshakes, and a long gallery asks for some hundred pictures in a row. A request that takes more
    /// of an event loop than is usual counts as many.
    var arrivalPace = FairRateLimit.Rules(burst: 512, rate: 128, commonRate: 200)
    var handshakePace = FairRateLimit.Rules(burst: 64, rate: 16, commonRate: 100)
    var requestPace = FairRateLimit.Rules(burst: 2000, rate: 300, commonRate: 200)

    package init() {}
}
