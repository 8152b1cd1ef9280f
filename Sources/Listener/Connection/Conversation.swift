/// Follows the requests and answers of one connection: tells a body that ended from one that was cut off, bounds what
/// is still read of a body whose answer is already out, and lets no answer out of turn. Pure: says what the channel is
/// to do.
struct Conversation {
    enum AnswerHead: Equatable {
        case asIs
        /// The connection takes no other request.
        case announceClose
        /// The request has its answer already.
        case drop
        /// It would stand within another answer: only the connection's end tells the client that something is wrong.
        case abort
    }

    enum AnswerEnd: Equatable {
        case nothing
        /// Read a little more, then close.
        case linger
        case close
    }

    private let refusedBodyByteCount: Int
    private let exposedBodyByteCount: Int
    /// How many spans of lingering are left to a client that goes on sending.
    private var lingersLeft: Int
    private var requestCount = 0
    private var answerCount = 0
    private var isBodyOpen = false
    private var isAnswering = false
    /// The open or latest request is the connection's last.
    private var isLastRequest = false
    /// What the open or latest request sends can be read on its way.
    private var isExposed = false
    private var isQuiescing = false
    private var isLingering = false
    private var lingeredByteCount = 0
    /// `lingeredByteCount` where the present span of lingering began.
    private var lingeredBefore = 0

    /// - Parameters:
    ///   - refusedBodyByteCount: what is still read of a refused body.
    ///   - exposedBodyByteCount: the same, of one that others can read on its way.
    ///   - lingerCount: how many spans of lingering there are at most, 1 or more.
    init(refusedBodyByteCount: Int, exposedBodyByteCount: Int, lingerCount: Int) {
        self.refusedBodyByteCount = refusedBodyByteCount
        self.exposedBodyByteCount = exposedBodyByteCount
        lingersLeft = lingerCount - 1
    }

    mutating func requestBegan(isLast: Bool, isExposed: Bool = false) {
        guard !isLastRequest else {
            isIgnoring = true
            return
        }
        requestCount += 1
        isBodyOpen = true
        isLastRequest = isLast
        self.isExposed = isExposed
    }

    /// What comes behind the last request is none.
    private(set) var isIgnoring = false

    /// - Returns: whether anybody still wants it
    mutating func bodyArrived(byteCount: Int) -> Bool {
        if isLingering { lingeredByteCount += byteCount }
        return !isLingering
    }

    /// - Returns: true when the connection has only waited for this
    mutating func requestEnded() -> Bool {
        isBodyOpen = false
        return isLingering
    }

    /// True while a request's body is not complete; the end of the connection cuts it off then.
    var isWithinBody: Bool { isBodyOpen }

    mutating func answerBegan() -> AnswerHead {
        if isLingering { return .drop }
        if isAnswering { return .abort }
        isAnswering = true
        return endsConnection ? .announceClose : .asIs
    }

    /// Whether the client may still be told to go on (100).
    var takesInformation: Bool { isBodyOpen && !isAnswering && !isLingering }

    /// False for parts of an answer that was dropped.
    var takesAnswer: Bool { isAnswering }

    mutating func answerEnded() -> AnswerEnd {
        isAnswering = false
        defer { answerCount += 1 }
        if answersOpenRequest || answersNoRequest {
            isLingering = true
            return .linger
        }
        return isQuiescing && answerCount + 1 == requestCount ? .close : .nothing
    }

    /// No other request is to be taken.
    /// - Returns: true when none is open either, so that the connection can go
    mutating func quiesce() -> Bool {
        isQuiescing = true
        return answerCount >= requestCount && !isLingering
    }

    /// False once enough of a refused body was read, and behind the last request, whatever a client sends there.
    var mayRead: Bool {
        if isLingering { return lingeredByteCount < (isExposed ? exposedBodyByteCount : refusedBodyByteCount) }
        return isBodyOpen || !(isLastRequest || isQuiescing)
    }

    /// A span of lingering has passed.
    /// - Returns: whether there is another one: something came, and the client may still go on
    mutating func lingered() -> Bool {
        guard !isQuiescing, lingersLeft > 0, mayRead, lingeredByteCount > lingeredBefore else { return false }
        lingersLeft -= 1
        lingeredBefore = lingeredByteCount
        return true
    }

    /// Lingering, somebody has to ask for more, since nobody waits for the body any more.
    var isReadingOn: Bool { isLingering && mayRead }

    private var endsConnection: Bool {
        let isNewest = answerCount + 1 >= requestCount
        return answersOpenRequest || answersNoRequest || isNewest && (isLastRequest || isQuiescing)
    }

    /// Requests are answered in order; the open one is always the last.
    private var answersOpenRequest: Bool { isBodyOpen && answerCount + 1 == requestCount }

    /// What came could not be read as a request.
    private var answersNoRequest: Bool { answerCount >= requestCount }
}
