import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import Web

/// The channel handler by itself, where the connection ends without the decoder in front of it.
@Suite struct RequestBodyHandlerTests {
    private func channel() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: RequestBodyHandler(limits: WebLimits()))
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/nowhere")).wait()
        try channel.writeInbound(
            HTTPRequestPart.head(HTTPRequest(method: .put, scheme: "http", authority: "h", path: "/")))
        return channel
    }

    @Test("The end of the connection within a body is an error to its reader")
    func connectionEnds() throws {
        let channel = try channel()
        channel.pipeline.fireChannelInactive()
        #expect(throws: WebError.bodyEndedEarly) { try channel.throwIfErrorCaught() }
    }

    @Test("The end of the client's direction within a body is an error to its reader")
    func inputEnds() throws {
        let channel = try channel()
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(throws: WebError.bodyEndedEarly) { try channel.throwIfErrorCaught() }
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
}
