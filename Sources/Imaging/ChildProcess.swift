import CSpawn
import Glibc
import ImagingProtocol
import NIOCore
import NIOPosix
import Synchronization

/// One running child and the line to it. Whoever starts it must `end` it, which leaves no zombie.
final class ChildProcess: Sendable {
    let line: ChildLine
    private let process: pid_t
    private let state = Mutex(State())

    private struct State {
        var isReaped = false
        /// Why this side killed it, the first reason only.
        var cause: KillCause?
    }

    enum KillCause {
        case patience(usedProcessor: Duration)
        /// Cancelled, closing, not needed any more, or the source failed.
        case noLongerWanted
        /// Its place is needed for a picture that somebody waits for.
        case displaced
    }

    private init(process: pid_t, line: ChildLine) {
        self.process = process
        self.line = line
    }

    /// - Throws: what kept the process from being started.
    static func start(_ executable: String) async throws -> ChildProcess {
        let (process, socket) = try await NIOThreadPool.singleton.runIfActive { try spawn(executable) }
        do {
            return ChildProcess(process: process, line: try await ChildLine.open(socket))
        } catch {
            _ = Glibc.kill(process, SIGKILL)
            _ = try? await reap(process)
            throw error
        }
    }

    private static func spawn(_ executable: String) throws -> (pid_t, CInt) {
        var pair: [CInt] = [-1, -1]
        guard spawn_socket_pair(&pair) == 0 else { throw IOError(errnoCode: errno, reason: "socketpair") }
        var process: pid_t = 0
        let error = spawn_bare(executable, pair[1], &process)
        close(pair[1])
        guard error == 0 else {
            close(pair[0])
            throw IOError(errnoCode: error, reason: "posix_spawn")
        }
        return (process, pair[0])
    }

    /// In a task of its own: a pool does not run what a cancelled task brings, and nobody else waits for the process.
    private static func reap(_ process: pid_t) async throws -> spawn_child_end? {
        try await Task {
            try await NIOThreadPool.singleton.runIfActive {
                var end = spawn_child_end()
                return spawn_reap(process, &end) == 0 ? end : nil
            }
        }.value
    }

    /// Processor time used so far. Exact, for a child of the least priority on a busy host may get less than a
    /// millisecond in half a minute.
    var usedProcessor: Duration {
        state.withLock { $0.isReaped ? .zero : .nanoseconds(max(0, spawn_processor_nanoseconds(process))) }
    }

    /// What changes while it is alive: the message that it owes, nil while it waits for this side, and what it works.
    struct Signs: Equatable {
        let awaitedMessage: Int?
        let usedProcessor: Duration
    }

    var signs: Signs { Signs(awaitedMessage: line.awaitedMessage, usedProcessor: usedProcessor) }

    /// Whether this side has killed it.
    var isKilled: Bool { state.withLock { $0.cause != nil } }

    /// Kills it, if it still runs; whoever waits for its line hears of the end. From any thread.
    func kill(because cause: KillCause) {
        state.withLock { state in
            guard !state.isReaped, state.cause == nil else { return }
            state.cause = cause
            _ = Glibc.kill(process, SIGKILL)
        }
    }

    /// Makes sure that it ends and waits for that.
    /// - Returns: how it ended by itself, or why this side killed it.
    func end() async -> ChildEnd {
        // A process that has begun to end keeps the cause of its own.
        let cause = state.withLock { state in
            if !state.isReaped { _ = Glibc.kill(process, SIGKILL) }
            return state.cause
        }
        await line.close()
        let end = try? await Self.reap(process)
        state.withLock { $0.isReaped = true }
        if let cause { return .killed(cause) }
        return end.map { ChildEnd(signal: $0.signal, code: $0.code) } ?? .failed
    }
}

/// How a child ended.
enum ChildEnd {
    /// This side has ended it.
    case killed(ChildProcess.KillCause)
    /// From outside: somebody stops services, not because of the file.
    case stopped
    case outOfMemory
    case outOfTime
    /// A fault of the decoder, or an attempt at what the cage forbids.
    case failed

    init(signal: CInt, code: CInt) {
        switch signal {
        case SIGTERM, SIGINT, SIGHUP: self = .stopped
        // Nobody but the kernel, when memory runs out for all.
        case SIGKILL: self = .outOfMemory
        case SIGXCPU: self = .outOfTime
        case 0 where code == ChildExit.outOfMemory: self = .outOfMemory
        default: self = .failed
        }
    }

    /// What that says about the file that was being looked into.
    func verdict(limits: ImagingLimits) -> ImagingError {
        switch self {
        case .killed(.noLongerWanted), .stopped: .unavailable
        case .killed(.displaced): .displaced
        case .killed(.patience(let used)):
            // One that was not let run on a busy host says nothing about the file.
            used * 2 >= .seconds(Int(limits.processorSeconds)) ? .unreadable(.tooSlow) : .stalled
        case .outOfMemory: .unreadable(.tooMuchMemory)
        case .outOfTime: .unreadable(.tooSlow)
        case .failed: .unreadable(.crashed)
        }
    }
}

/// How long this side waits for a child, and by which clock.
struct ChildPatience: Sendable {
    let clock: any Clock<Duration>
    /// For what the child was asked.
    let patience: Duration
    /// For any sign of life meanwhile.
    let stallTime: Duration

    /// Runs `body`; kills the child when it takes too long, stands still or the task is cancelled, which ends `body`.
    func wait<Value: Sendable>(
        for child: ChildProcess, _ body: @escaping @Sendable () async -> Value
    ) async -> Value {
        let usedBefore = child.usedProcessor
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do { try await clock.sleep(for: patience) } catch { return }
                child.kill(because: .patience(usedProcessor: child.usedProcessor - usedBefore))
            }
            group.addTask { await endStalled(child) }
            let value = await withTaskCancellationHandler {
                await body()
            } onCancel: {
                child.kill(because: .noLongerWanted)
            }
            group.cancelAll()
            return value
        }
    }

    /// A library may wait for ever for a thread that could not be made.
    private func endStalled(_ child: ChildProcess) async {
        var before: ChildProcess.Signs?
        while (try? await clock.sleep(for: stallTime)) != nil {
            let signs = child.signs
            if signs.awaitedMessage != nil, signs == before {
                return child.kill(because: .patience(usedProcessor: .zero))
            }
            before = signs
        }
    }
}

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
