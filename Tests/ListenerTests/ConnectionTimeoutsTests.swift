import NIOCore
import Testing

@testable import Listener

/// With a header time of 10 s, an idle time of 120 s, 10 s of grace, at most 60 s of patience, and 1,000 bytes a second.
@Suite("How long a connection may keep us waiting")
struct ConnectionTimeoutsTests {
    private var pace = ConnectionTimeouts(
        rules: .init(
            headerTime: .seconds(10), idleTime: .seconds(120), grace: .seconds(10), longestPatience: .seconds(60),
            byteRate: 1000),
        now: at(0))

    private static func at(_ seconds: Double) -> NIODeadline {
        NIODeadline.uptimeNanoseconds(0) + .nanoseconds(Int64(seconds * 1_000_000_000))
    }

    /// Looks where an alarm would ring, and looks again.
    private mutating func verdict(at seconds: Double, taken: Int? = nil) -> ConnectionTimeouts.Verdict {
        let first = pace.look(at: Self.at(seconds), takenByteCount: taken)
        guard first == .lookAgain(at: Self.at(seconds) + ConnectionTimeouts.secondLook) else { return first }
        return pace.look(at: Self.at(seconds) + ConnectionTimeouts.secondLook, takenByteCount: taken)
    }

    private mutating func beginRequest(at seconds: Double, isBodyHeldBack: Bool = false) {
        pace.requestBegan(isBodyHeldBack: isBodyHeldBack, at: Self.at(seconds))
    }

    /// A request whose body is awaited from this moment on.
    private mutating func awaitBody(at seconds: Double) {
        beginRequest(at: seconds)
        pace.readWanted(at: Self.at(seconds))
    }

    @Test("The first header has its time from the start, whatever trickles in")
    mutating func firstHeader() {
        #expect(pace.deadline == Self.at(10))
        for second in 1..<10 {
            pace.readWanted(at: Self.at(Double(second)))
            pace.bytesArrived(byteCount: 5000, at: Self.at(Double(second)))
        }
        #expect(pace.deadline == Self.at(10))
        let verdict = verdict(at: 10)
        #expect(verdict == .close(.headerLate))
    }

    @Test("A complete header ends its deadline, and a request that we work at has none")
    mutating func working() {
        beginRequest(at: 9)
        pace.requestEnded(at: Self.at(9))
        pace.readWanted(at: Self.at(9))
        #expect(pace.deadline == nil)
        let verdict = verdict(at: 3600)
        #expect(verdict == .leave)
    }

    @Test("Between requests a connection may be silent for its idle time")
    mutating func idle() {
        beginRequest(at: 1)
        pace.requestEnded(at: Self.at(1))
        pace.answerEnded(at: Self.at(5))
        pace.readWanted(at: Self.at(5))
        #expect(pace.deadline == Self.at(125))
        let early = verdict(at: 100)
        #expect(early == .lookAgain(at: Self.at(125)))
        let late = verdict(at: 125)
        #expect(late == .close(.idle))
    }

    @Test("A later header has its time from its first byte")
    mutating func laterHeader() {
        beginRequest(at: 1)
        pace.requestEnded(at: Self.at(1))
        pace.answerEnded(at: Self.at(2))
        pace.bytesArrived(byteCount: 1, at: Self.at(50))
        pace.bytesArrived(byteCount: 1, at: Self.at(59))
        #expect(pace.deadline == Self.at(60))
        let verdict = verdict(at: 60)
        #expect(verdict == .close(.headerLate))
    }

    @Test("The time of a header that began during an answer counts from the answer's end")
    mutating func pipelinedHeader() {
        beginRequest(at: 1)
        pace.requestEnded(at: Self.at(1))
        pace.bytesArrived(byteCount: 1, at: Self.at(2))
        #expect(pace.deadline == nil)
        pace.answerEnded(at: Self.at(100))
        #expect(pace.deadline == Self.at(110))
    }

    @Test("A body that does not come uses up the grace, then the connection goes")
    mutating func silentBody() {
        awaitBody(at: 5)
        #expect(pace.deadline == Self.at(15))
        let verdict = verdict(at: 15)
        #expect(verdict == .close(.tooSlow))
    }

    @Test("A body below the rate goes once the grace is used up; one above it never does", arguments: [900, 1100])
    mutating func rate(bytesPerSecond: Int) {
        awaitBody(at: 0)
        var verdicts: [ConnectionTimeouts.Verdict] = []
        for second in 1...1000 {
            let now = Self.at(Double(second))
            if let deadline = pace.deadline, deadline <= now { verdicts.append(verdict(at: Double(second))) }
            pace.bytesArrived(byteCount: bytesPerSecond, at: now)
            pace.readWanted(at: now)
        }
        #expect(verdicts.contains(.close(.tooSlow)) == (bytesPerSecond < 1000))
        // 100 bytes a second too few, and 10,000 for the grace.
        if bytesPerSecond < 1000 { #expect(verdicts.count > 850) }
    }

    @Test("A fast client may pause, but no longer than the longest patience")
    mutating func pause() {
        awaitBody(at: 0)
        pace.bytesArrived(byteCount: 1_000_000_000, at: Self.at(1))
        pace.readWanted(at: Self.at(1))
        #expect(pace.deadline == Self.at(61))
    }

    @Test("Time in which we do not read does not count")
    mutating func ownPause() {
        awaitBody(at: 0)
        pace.bytesArrived(byteCount: 1, at: Self.at(4))
        #expect(pace.deadline == nil)
        let verdict = verdict(at: 3600)
        #expect(verdict == .leave)
        pace.readWanted(at: Self.at(3600))
        // 10 s of grace, less 4 s of waiting, and a thousandth of a second for the byte.
        #expect(pace.deadline == Self.at(3606.001))
    }

    @Test("Time in which the client waits for leave to send does not count, and then it does")
    mutating func heldBack() {
        beginRequest(at: 0, isBodyHeldBack: true)
        pace.readWanted(at: Self.at(0))
        #expect(pace.deadline == nil)
        pace.bodyAskedFor(at: Self.at(100))
        #expect(pace.deadline == Self.at(110))
    }

    @Test("A client that sends its body without leave is waited for like any other")
    mutating func sentWithoutLeave() {
        beginRequest(at: 0, isBodyHeldBack: true)
        pace.readWanted(at: Self.at(0))
        pace.bytesArrived(byteCount: 1000, at: Self.at(5))
        pace.readWanted(at: Self.at(5))
        #expect(pace.deadline == Self.at(16))
    }

    @Test("An answer that the client does not take uses up the patience")
    mutating func untakenAnswer() {
        beginRequest(at: 0)
        pace.requestEnded(at: Self.at(0))
        pace.outputFilled(at: Self.at(20))
        #expect(pace.deadline == Self.at(30))
        let verdict = verdict(at: 30, taken: 0)
        #expect(verdict == .close(.tooSlow))
    }

    @Test("What the client took of an answer counts, seen when the patience ends")
    mutating func takenSlowly() {
        beginRequest(at: 0)
        pace.outputFilled(at: Self.at(0))
        let first = verdict(at: 10, taken: 8000)
        #expect(first == .lookAgain(at: Self.at(18)))
        let second = verdict(at: 18, taken: 10_000)
        #expect(second == .lookAgain(at: Self.at(20)))
        let third = verdict(at: 20, taken: 10_000)
        #expect(third == .close(.tooSlow))
    }

    @Test("While an answer leaves freely, nothing runs out")
    mutating func takenFreely() {
        beginRequest(at: 0)
        pace.requestEnded(at: Self.at(0))
        pace.outputFilled(at: Self.at(1))
        pace.outputDrained(at: Self.at(2))
        #expect(pace.deadline == nil)
        pace.outputFilled(at: Self.at(1000))
        #expect(pace.deadline == Self.at(1009))
    }

    @Test("An answer's rest is waited for with patience, then the connection is idle")
    mutating func rest() {
        beginRequest(at: 0)
        pace.requestEnded(at: Self.at(0))
        pace.outputFilled(at: Self.at(1))
        pace.answerEnded(at: Self.at(2))
        #expect(pace.deadline == Self.at(11))
        pace.outputDrained(at: Self.at(3))
        #expect(pace.deadline == Self.at(123))
    }

    @Test("Every request begins with the whole grace")
    mutating func newGrace() {
        awaitBody(at: 0)
        pace.bytesArrived(byteCount: 0, at: Self.at(9))
        pace.requestEnded(at: Self.at(9))
        pace.answerEnded(at: Self.at(9))
        awaitBody(at: 9)
        #expect(pace.deadline == Self.at(19))
    }

    @Test("Our direction closed, the client has the time of a header to close its own")
    mutating func closing() {
        beginRequest(at: 0)
        pace.requestEnded(at: Self.at(0))
        pace.answerEnded(at: Self.at(5))
        pace.outputClosed(at: Self.at(5))
        #expect(pace.deadline == Self.at(15))
        let verdict = verdict(at: 15)
        #expect(verdict == .close(.lingering))
    }

    @Test("Bytes that wait in the kernel while we were busy are seen before a connection goes")
    mutating func secondLook() {
        awaitBody(at: 0)
        let first = pace.look(at: Self.at(50), takenByteCount: nil)
        #expect(first == .lookAgain(at: Self.at(50.1)))
        pace.bytesArrived(byteCount: 5000, at: Self.at(50.05))
        pace.readWanted(at: Self.at(50.05))
        let second = pace.look(at: Self.at(50.1), takenByteCount: nil)
        #expect(second == .lookAgain(at: Self.at(55.05)))
    }
}
