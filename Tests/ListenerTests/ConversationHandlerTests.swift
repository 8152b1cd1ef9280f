import HTTPTypes
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import Listener

/// The channel handler by itself, where the connection ends without the decoder in front of it.
@Suite("The end of a connection where requests are answered")
struct ConversationHandlerTests {
    private func channel() throws -> EmbeddedChannel {
        let limits = ListenerLimits()
        let rules = ConnectionTimeouts.Rules(
            headerTime: .seconds(10), idleTime: .seconds(120), grace: .seconds(10), longestPatience: .seconds(60),
            byteRate: 8192)
        let pace = TimeoutHandler(rules: rules, now: .uptimeNanoseconds(0), traffic: TrafficTally(), logger: .silent)
        let channel = EmbeddedChannel(
            handler: ConversationHandler(limits: limits, pace: pace, isLimitedToOneRequest: false, isFromThisHost: true)
        )
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/nowhere")).wait()
        try channel.writeInbound(
            HTTPRequestPart.head(HTTPRequest(method: .put, scheme: "http", authority: "h", path: "/")))
        return channel
    }

    private func bodies(_ channel: EmbeddedChannel) throws -> [ByteBuffer] {
        var bodies: [ByteBuffer] = []
        while let part = try channel.readInbound(as: HTTPRequestPart.self) {
            if case .body(let bytes) = part { bodies.append(bytes) }
        }
        return bodies
    }

    @Test("What came as many small chunks at once reaches its reader as few pieces, in order and before the end")
    func smallChunks() throws {
        let (channel, content) = (try channel(), (0..<60_000).map { UInt8(truncatingIfNeeded: $0) })
        for byte in content { channel.pipeline.fireChannelRead(HTTPRequestPart.body(ByteBuffer(bytes: [byte]))) }
        channel.pipeline.fireChannelRead(HTTPRequestPart.end(nil))
        var parts: [HTTPRequestPart] = []
        while let part = try channel.readInbound(as: HTTPRequestPart.self) { parts.append(part) }
        #expect(parts.count < 12)
        #expect(parts.last == .end(nil))
        let bytes = parts.flatMap { part -> [UInt8] in
            guard case .body(let bytes) = part else { return [] }
            return Array(buffer: bytes)
        }
        #expect(bytes == content)
    }

    @Test("What came is handed on with the end of each reading, and before whatever ends the connection")
    func handedOn() throws {
        let channel = try channel()
        channel.pipeline.fireChannelRead(HTTPRequestPart.body(ByteBuffer(string: "a")))
        #expect(try bodies(channel).isEmpty)
        channel.pipeline.fireChannelReadComplete()
        #expect(try bodies(channel) == [ByteBuffer(string: "a")])
        channel.pipeline.fireChannelRead(HTTPRequestPart.body(ByteBuffer(string: "b")))
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(try bodies(channel) == [ByteBuffer(string: "b")])
        #expect(throws: ListenerError.bodyEndedEarly) { try channel.throwIfErrorCaught() }
    }

    @Test("Pieces as they mostly come are handed on as they are")
    func largePieces() throws {
        let channel = try channel()
        let large = ByteBuffer(repeating: 1, count: BodyPieces.small)
        for piece in [large, large, ByteBuffer(string: "rest")] {
            channel.pipeline.fireChannelRead(HTTPRequestPart.body(piece))
        }
        channel.pipeline.fireChannelReadComplete()
        #expect(try bodies(channel) == [large, large, ByteBuffer(string: "rest")])
    }

    @Test("The end of the connection within a body is an error to its reader")
    func connectionEnds() throws {
        let channel = try channel()
        channel.pipeline.fireChannelInactive()
        #expect(throws: ListenerError.bodyEndedEarly) { try channel.throwIfErrorCaught() }
    }

    @Test("The end of the client's direction within a body is an error to its reader")
    func inputEnds() throws {
        let channel = try channel()
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(throws: ListenerError.bodyEndedEarly) { try channel.throwIfErrorCaught() }
    }

    @Test("A failure of the connection within a body is the same error to its reader")
    func connectionFails() throws {
        let channel = try channel()
        channel.pipeline.fireErrorCaught(IOError(errnoCode: 104, reason: "reset"))
        #expect(throws: ListenerError.bodyEndedEarly) { try channel.throwIfErrorCaught() }
    }

    @Test("The end of the connection behind a body is none")
    func endsInOrder() throws {
        let channel = try channel()
        try channel.writeInbound(HTTPRequestPart.end(nil))
        channel.pipeline.fireChannelInactive()
        try channel.throwIfErrorCaught()
    }

    @Test("A refused body is read to its limit, then no further, and the connection goes after a while")
    func lingers() throws {
        let channel = try channel()
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .contentTooLarge)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        guard case .head(let head) = try channel.readOutbound(as: HTTPResponsePart.self) else {
            Issue.record("no head was written")
            return
        }
        #expect(head.headerFields[.connection] == "close")
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(2))
        #expect(!channel.isActive)
    }

    @Test("A second answer to a refused request is not sent")
    func secondAnswer() throws {
        let channel = try channel()
        for _ in 0..<2 {
            try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .contentTooLarge)))
            try channel.writeOutbound(HTTPResponsePart.end(nil))
        }
        _ = try channel.readOutbound(as: HTTPResponsePart.self)
        _ = try channel.readOutbound(as: HTTPResponsePart.self)
        #expect(try channel.readOutbound(as: HTTPResponsePart.self) == nil)
    }
}

extension Logger {
    static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}
