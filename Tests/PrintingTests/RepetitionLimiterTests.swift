import Logging
import Printing
import Testing

@Suite("What a stranger can repeat does not fill the log")
struct RepetitionLimiterTests {
    private let lines = Lines()
    private let limiter = RepetitionLimiter()
    private let logger: Logger

    init() {
        logger = Logger(label: "test") { [lines, limiter] _ in LimitedLogHandler(lines, limiter: limiter) }
    }

    @Test("a place in the source says a few lines, whatever it says, and then how often it would have")
    func repeated() {
        let hostile = { [logger] (number: Int) in logger.error("refused \(number)") }
        for number in 1...1204 { hostile(number) }
        logger.warning("something else")
        #expect(lines.all.count == RepetitionLimiter.most + 1)
        #expect(lines.all.last?.hasPrefix("something else") == true)
        limiter.endWindow()
        #expect(lines.all.count == RepetitionLimiter.most + 2)
        #expect(lines.all.last?.hasPrefix("refused 1204 (1204 times within an hour") == true)
        hostile(1)
        #expect(lines.all.count == RepetitionLimiter.most + 3, "another window has begun")
    }

    @Test("what was said a few times is not summed up, and nothing is counted twice")
    func few() {
        for _ in 0..<RepetitionLimiter.most { logger.notice("once in a while") }
        limiter.endWindow()
        limiter.endWindow()
        #expect(lines.all.count == RepetitionLimiter.most)
    }

    @Test("who debugs sees every line")
    func debugging() {
        for _ in 0..<100 { logger.debug("each request") }
        #expect(lines.all.count == 100)
    }
}
