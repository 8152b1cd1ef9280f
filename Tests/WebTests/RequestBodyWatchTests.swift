import Testing

@testable import Web

@Suite struct RequestBodyWatchTests {
    @Test("An answer behind the whole request leaves the connection alone")
    func ordinary() {
        var watch = RequestBodyWatch(refusedBodyByteCount: 10)
        watch.requestBegan()
        watch.bodyArrived(byteCount: 100)
        #expect(watch.inputEnded())
        let isOver = watch.requestEnded()
        #expect(!isOver)
        #expect(!watch.inputEnded())
        #expect(watch.answerBegan() == .asIs)
        let next = watch.answerEnded()
        #expect(next == .nothing)
        #expect(watch.mayRead)
    }

    @Test("An answer before the body's end reads a little more and closes")
    func early() {
        var watch = RequestBodyWatch(refusedBodyByteCount: 10)
        watch.requestBegan()
        #expect(watch.answerBegan() == .announceClose)
        let next = watch.answerEnded()
        #expect(next == .linger)
        #expect(watch.mayRead)
        watch.bodyArrived(byteCount: 10)
        #expect(!watch.mayRead)
        let isOver = watch.requestEnded()
        #expect(isOver)
    }

    @Test("Of pipelined requests only the open one's answer is early")
    func pipelined() {
        var watch = RequestBodyWatch(refusedBodyByteCount: 10)
        watch.requestBegan()
        _ = watch.requestEnded()
        watch.requestBegan()
        #expect(watch.answerBegan() == .asIs)
        let afterFirst = watch.answerEnded()
        #expect(afterFirst == .nothing)
        #expect(watch.answerBegan() == .announceClose)
        let afterSecond = watch.answerEnded()
        #expect(afterSecond == .linger)
    }
}
