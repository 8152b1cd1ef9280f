import NIOCore

/// How long one connection may keep this host waiting. Pure: is told what happens and when, and says when to look at
/// the connection next and what to do then.
///
/// Before and between requests, deadlines hold: for a header, for silence. Within a request, patience holds: it is used
/// up while we wait for the client (we want to read of a body and nothing comes, or what we wrote does not leave) and
/// grows with every byte. Time in which we do not read ourselves, or work, never counts.
struct ConnectionTimeouts {
    struct Rules {
        var headerTime: TimeAmount
        var idleTime: TimeAmount
        var grace: TimeAmount
        var longestPatience: TimeAmount
        /// Bytes per second.
        var byteRate: Int
    }

    enum Reason: Equatable {
        case headerLate
        case idle
        case tooSlow
        /// Our direction is closed, and the client does not close its own.
        case lingering
    }

    enum Verdict: Equatable {
        /// Nothing runs out at the moment.
        case leave
        case lookAgain(at: NIODeadline)
        case close(Reason)
    }

    /// Bytes may be waiting in the kernel while this process was busy with others: before a connection is closed, it
    /// gets this long in which they are seen.
    static let secondLook: TimeAmount = .milliseconds(100)

    private let rules: Rules
    private var headerDeadline: NIODeadline?
    private var idleDeadline: NIODeadline?
    private var closingDeadline: NIODeadline?
    private var secondLookDeadline: NIODeadline?

    private var patience: TimeAmount
    private var waitingSince: NIODeadline?
    private var takenByteCount = 0

    private(set) var isReadWanted = false
    private(set) var isOutputFull = false
    private var isBodyOpen = false
    private var isBodyHeldBack = false
    private var hasNextHeaderBegun = false
    private var unansweredCount = 0

    init(rules: Rules, now: NIODeadline) {
        self.rules = rules
        headerDeadline = now + rules.headerTime
        patience = rules.grace
    }

    /// When something runs out if nothing happens before; nil if nothing does.
    var deadline: NIODeadline? {
        if let closingDeadline { return closingDeadline }
        if isInRequest { return waitingSince.map { $0 + patience } }
        return headerDeadline ?? idleDeadline
    }

    /// - Parameter takenByteCount: of all that was written, how much has left for the client; nil if unknown
    mutating func look(at now: NIODeadline, takenByteCount taken: Int?) -> Verdict {
        settle(now)
        if let taken, isOutputFull { credit(taken) }
        guard let deadline, deadline <= now else {
            secondLookDeadline = nil
            return self.deadline.map { .lookAgain(at: $0) } ?? .leave
        }
        guard let second = secondLookDeadline else {
            secondLookDeadline = now + Self.secondLook
            return .lookAgain(at: now + Self.secondLook)
        }
        return second <= now ? .close(reason) : .lookAgain(at: second)
    }

    private var reason: Reason {
        if closingDeadline != nil { return .lingering }
        if isInRequest { return .tooSlow }
        return headerDeadline != nil ? .headerLate : .idle
    }

    /// A request has begun and has not got its whole answer.
    var isInRequest: Bool { unansweredCount > 0 || isOutputFull }

    private var isWaitingForClient: Bool {
        isOutputFull || unansweredCount > 0 && isReadWanted && isBodyOpen && !isBodyHeldBack
    }

    /// Uses up the patience for the time since the last event, and goes on waiting from here if we still do.
    private mutating func settle(_ now: NIODeadline) {
        if let waitingSince {
            patience = max(.zero, patience - (now - waitingSince))
        }
        waitingSince = isWaitingForClient ? now : nil
    }

    private mutating func reward(byteCount: Int) {
        let (whole, rest) = byteCount.quotientAndRemainder(dividingBy: rules.byteRate)
        let rise = TimeAmount.seconds(Int64(whole)) + .nanoseconds(Int64(rest) * 1_000_000_000 / Int64(rules.byteRate))
        patience = min(rules.longestPatience, patience + rise)
    }

    private mutating func credit(_ taken: Int) {
        reward(byteCount: max(0, taken - takenByteCount))
        takenByteCount = max(taken, takenByteCount)
    }
}

/// What happens at the socket.
extension ConnectionTimeouts {
    mutating func readWanted(at now: NIODeadline) {
        settle(now)
        isReadWanted = true
        settle(now)
    }

    mutating func bytesArrived(byteCount: Int, at now: NIODeadline) {
        settle(now)
        isReadWanted = false
        settle(now)
        reward(byteCount: byteCount)
        // A client need not wait for leave for ever.
        isBodyHeldBack = false
        if !isBodyOpen { hasNextHeaderBegun = true }
        if !isInRequest, headerDeadline == nil, hasNextHeaderBegun { headerDeadline = now + rules.headerTime }
    }

    /// What was written does not leave at once.
    mutating func outputFilled(at now: NIODeadline) {
        isOutputFull = true
        settle(now)
    }

    /// What was written has left, up to a rest.
    mutating func outputDrained(at now: NIODeadline) {
        settle(now)
        isOutputFull = false
        settle(now)
        if !isInRequest { requestsEnded(at: now) }
    }

    /// Our direction of the connection is closed.
    mutating func outputClosed(at now: NIODeadline) {
        settle(now)
        closingDeadline = now + rules.headerTime
    }
}

/// What happens in HTTP.
extension ConnectionTimeouts {
    /// A header is complete.
    /// - Parameter isBodyHeldBack: the client waits for leave to send the body
    mutating func requestBegan(isBodyHeldBack: Bool, at now: NIODeadline) {
        settle(now)
        headerDeadline = nil
        idleDeadline = nil
        hasNextHeaderBegun = false
        unansweredCount += 1
        isBodyOpen = true
        self.isBodyHeldBack = isBodyHeldBack
        patience = max(patience, rules.grace)
        settle(now)
    }

    /// The client has leave to send the body.
    mutating func bodyAskedFor(at now: NIODeadline) {
        isBodyHeldBack = false
        settle(now)
    }

    /// The body is complete.
    mutating func requestEnded(at now: NIODeadline) {
        settle(now)
        isBodyOpen = false
        isBodyHeldBack = false
        settle(now)
    }

    mutating func answerEnded(at now: NIODeadline) {
        settle(now)
        unansweredCount = max(0, unansweredCount - 1)
        settle(now)
        if !isInRequest { requestsEnded(at: now) }
    }

    private mutating func requestsEnded(at now: NIODeadline) {
        idleDeadline = now + rules.idleTime
        if hasNextHeaderBegun, headerDeadline == nil { headerDeadline = now + rules.headerTime }
    }
}

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
