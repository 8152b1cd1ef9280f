import ImagingProtocol
import NIOCore
import NIOPosix
import Synchronization

/// The daemon's end of the line to a child. Bytes are taken from the socket only while somebody waits for a message, so
/// a child that talks on gets no memory here.
final class ChildLine: Sendable {
    /// The child is gone, or said what no child of ours says.
    struct Broken: Error {
        /// Nil if the line just ended.
        let fault: FrameError?
    }

    private let channel: any Channel
    private let inbox: Inbox

    private init(channel: any Channel, inbox: Inbox) {
        self.channel = channel
        self.inbox = inbox
    }

    /// Takes over a connected socket.
    static func open(_ socket: CInt) async throws -> ChildLine {
        let inbox = Inbox()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: false)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 64 << 10))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(InboxHandler(inbox: inbox))
                }
            }
            .withConnectedSocket(socket).get()
        return ChildLine(channel: channel, inbox: inbox)
    }

    func send(_ message: DaemonMessage) async throws(Broken) {
        do {
            try await channel.writeAndFlush(ByteBuffer(bytes: message.frame.encoded))
        } catch {
            throw Broken(fault: nil)
        }
    }

    /// The child's next message. One caller at a time.
    func receive() async throws(Broken) -> ChildMessage {
        let channel = channel
        let result = await withCheckedContinuation { continuation in
            let needsBytes = inbox.wait { continuation.resume(returning: $0) }
            if needsBytes { channel.read() }
        }
        do throws(FrameError) {
            return try ChildMessage(try result.get())
        } catch {
            throw Broken(fault: error == .cutOff ? nil : error)
        }
    }

    /// Which of the child's messages somebody waits for; nil while the child has nothing to say.
    var awaitedMessage: Int? { inbox.awaitedFrame }

    func close() async {
        try? await channel.close()
    }
}

/// Frames that have arrived, and the one who waits for the next.
private final class Inbox: Sendable {
    typealias Arrival = Result<Frame, FrameError>
    private let state = Mutex(State())

    private struct State {
        var assembler = FrameAssembler()
        var isClosed = false
        var waiter: (@Sendable (Arrival) -> Void)?
        var waitCount = 0

        /// What a waiter gets now, or nil if more bytes are needed.
        mutating func next() -> Arrival? {
            do throws(FrameError) {
                if let frame = try assembler.next() { return .success(frame) }
            } catch {
                return .failure(error)
            }
            return isClosed ? .failure(.cutOff) : nil
        }

        /// The waiter and what it gets, if it gets anything.
        mutating func delivery() -> (@Sendable () -> Void)? {
            guard let waiter, let arrival = next() else { return nil }
            self.waiter = nil
            return { waiter(arrival) }
        }
    }

    var awaitedFrame: Int? { state.withLock { $0.waiter == nil ? nil : $0.waitCount } }

    /// Calls `waiter` with the next frame, at once or later; true if bytes are needed for that.
    func wait(_ waiter: @escaping @Sendable (Arrival) -> Void) -> Bool {
        let (delivery, needsBytes) = state.withLock { state in
            state.waiter = waiter
            state.waitCount += 1
            let delivery = state.delivery()
            return (delivery, delivery == nil)
        }
        delivery?()
        return needsBytes
    }

    /// True if somebody still waits.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let (delivery, needsBytes) = state.withLock { state in
            state.assembler.append(bytes)
            let delivery = state.delivery()
            return (delivery, state.waiter != nil)
        }
        delivery?()
        return needsBytes
    }

    func close() {
        let delivery = state.withLock { state in
            state.isClosed = true
            return state.delivery()
        }
        delivery?()
    }
}

private final class InboxHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let inbox: Inbox

    init(inbox: Inbox) { self.inbox = inbox }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if unwrapInboundIn(data).withUnsafeReadableBytes(inbox.append) { context.read() }
    }

    func channelInactive(context: ChannelHandlerContext) { inbox.close() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
