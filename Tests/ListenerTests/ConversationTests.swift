import Testing

@testable import Listener

@Suite("Requests and answers in turn")
struct ConversationTests {
    private var conversation = Conversation(refusedBodyByteCount: 10, exposedBodyByteCount: 5, lingerCount: 3)

    private mutating func answer() -> (Conversation.AnswerHead, Conversation.AnswerEnd) {
        (conversation.answerBegan(), conversation.answerEnded())
    }

    private mutating func wholeRequest(isLast: Bool = false) {
        conversation.requestBegan(isLast: isLast)
        _ = conversation.requestEnded()
    }

    @Test("An answer behind the whole request leaves the connection alone")
    mutating func ordinary() {
        conversation.requestBegan(isLast: false)
        let isWanted = conversation.bodyArrived(byteCount: 100)
        #expect(isWanted)
        #expect(conversation.isWithinBody)
        let isOver = conversation.requestEnded()
        #expect(!isOver)
        #expect(!conversation.isWithinBody)
        #expect(answer() == (.asIs, .nothing))
        #expect(conversation.mayRead)
    }

    @Test("An answer before the body's end reads a little more for nobody and closes")
    mutating func early() {
        conversation.requestBegan(isLast: false)
        #expect(answer() == (.announceClose, .linger))
        #expect(conversation.isReadingOn)
        let isWanted = conversation.bodyArrived(byteCount: 10)
        #expect(!isWanted)
        #expect(!conversation.mayRead)
        #expect(!conversation.isReadingOn)
        let isOver = conversation.requestEnded()
        #expect(isOver)
    }

    @Test("Of pipelined requests only the open one's answer is early")
    mutating func pipelined() {
        wholeRequest()
        conversation.requestBegan(isLast: false)
        #expect(answer() == (.asIs, .nothing))
        #expect(answer() == (.announceClose, .linger))
    }

    @Test("Of a refused body that others can read on its way less is read")
    mutating func exposed() {
        conversation.requestBegan(isLast: false, isExposed: true)
        #expect(answer() == (.announceClose, .linger))
        _ = conversation.bodyArrived(byteCount: 5)
        #expect(!conversation.mayRead)
    }

    @Test("Who goes on sending what was refused is waited for, for some spans")
    mutating func patient() {
        conversation.requestBegan(isLast: false)
        #expect(answer() == (.announceClose, .linger))
        for goesOn in [true, true, false] {
            _ = conversation.bodyArrived(byteCount: 1)
            let isWaitedFor = conversation.lingered()
            #expect(isWaitedFor == goesOn)
        }
    }

    @Test("Who sends nothing more, too much, or as the daemon stops, is not waited for")
    mutating func impatient() {
        conversation.requestBegan(isLast: false)
        #expect(answer() == (.announceClose, .linger))
        var silent = conversation
        let isSilentWaitedFor = silent.lingered()
        #expect(!isSilentWaitedFor)
        var endless = conversation
        _ = endless.bodyArrived(byteCount: 10)
        let isEndlessWaitedFor = endless.lingered()
        #expect(!isEndlessWaitedFor)
        _ = conversation.bodyArrived(byteCount: 1)
        _ = conversation.quiesce()
        let isWaitedFor = conversation.lingered()
        #expect(!isWaitedFor)
    }

    @Test("A refused request gets no second answer")
    mutating func secondAnswer() {
        conversation.requestBegan(isLast: false)
        _ = answer()
        #expect(conversation.answerBegan() == .drop)
        #expect(!conversation.takesAnswer)
    }

    @Test("An answer within another ends the connection")
    mutating func withinAnswer() {
        conversation.requestBegan(isLast: false)
        _ = conversation.answerBegan()
        #expect(conversation.answerBegan() == .abort)
    }

    @Test("What was no request gets one answer, and the connection ends")
    mutating func noRequest() {
        wholeRequest()
        #expect(answer() == (.asIs, .nothing))
        #expect(answer() == (.announceClose, .linger))
        #expect(conversation.answerBegan() == .drop)
    }

    @Test("Behind the last request nothing is read")
    mutating func lastRequest() {
        conversation.requestBegan(isLast: true)
        #expect(conversation.mayRead)
        _ = conversation.requestEnded()
        #expect(!conversation.mayRead)
        #expect(answer() == (.announceClose, .nothing))
    }

    @Test("An idle connection goes when no more requests are taken")
    mutating func quiesceIdle() {
        let goesUnused = conversation.quiesce()
        #expect(goesUnused)
        wholeRequest()
        _ = answer()
        let goesUsed = conversation.quiesce()
        #expect(goesUsed)
    }

    @Test("A busy connection goes behind its answers when no more requests are taken")
    mutating func quiesceBusy() {
        wholeRequest()
        wholeRequest()
        let goes = conversation.quiesce()
        #expect(!goes)
        #expect(!conversation.mayRead)
        #expect(answer() == (.asIs, .nothing))
        #expect(answer() == (.announceClose, .close))
    }

    @Test("A client is told to go on only before its answer")
    mutating func information() {
        conversation.requestBegan(isLast: false)
        #expect(conversation.takesInformation)
        _ = conversation.answerBegan()
        #expect(!conversation.takesInformation)
    }
}
