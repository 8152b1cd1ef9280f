/// Follows the requests and answers of one connection, to tell a body that ended from one that was cut off, and to
/// bound what is still read of a body whose answer is already out. Pure: says what the channel is to do.
struct RequestBodyWatch {
    enum AnswerHead: Equatable {
        case asIs
        /// The request's body is not complete: this connection takes no other request.
        case announceClose
    }

    enum AnswerEnd: Equatable {
        case nothing
        /// Read a little more, then close.
        case linger
    }

    private let refusedBodyByteCount: Int
    private var requestCount = 0
    private var answerCount = 0
    private var isRequestOpen = false
    private var isLingering = false
    private var lingeredByteCount = 0

    init(refusedBodyByteCount: Int) {
        self.refusedBodyByteCount = refusedBodyByteCount
    }

    mutating func requestBegan() {
        requestCount += 1
        isRequestOpen = true
    }

    mutating func bodyArrived(byteCount: Int) {
        if isLingering { lingeredByteCount += byteCount }
    }

    /// - Returns: true when the connection has only waited for this.
    mutating func requestEnded() -> Bool {
        isRequestOpen = false
        return isLingering
    }

    /// - Returns: true when a body was cut off, which its reader has to hear.
    func inputEnded() -> Bool { isRequestOpen }

    func answerBegan() -> AnswerHead { answersOpenRequest ? .announceClose : .asIs }

    mutating func answerEnded() -> AnswerEnd {
        defer { answerCount += 1 }
        guard answersOpenRequest else { return .nothing }
        isLingering = true
        return .linger
    }

    /// False once enough of a refused body was read.
    var mayRead: Bool { !isLingering || lingeredByteCount < refusedBodyByteCount }

    /// Requests are answered in order; the open one is always the last.
    private var answersOpenRequest: Bool { isRequestOpen && answerCount + 1 == requestCount }
}
