import Foundation
import HTTPTypes
import HummingbirdCore
import ListenerSupport
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import Listener

/// A listener on a free port of this host while a test runs.
struct TestDoor: Sendable {
    enum Event: Equatable, Sendable {
        /// The application has a request.
        case began(String)
        /// The application has read a body of this many bytes to its end.
        case received(Int)
        /// Reading a body failed, or writing an answer.
        case failed(String)
        /// A connection was closed by a rule.
        case closedByRule(String)
    }

    let address: SocketAddress
    let limiter: ConnectionLimiter
    let events: Events
    /// Requests to `/wait…` go on when this is opened.
    let gate = Gate()
    fileprivate let group: ServiceGroup

    var port: Int { address.port ?? 0 }

    /// Runs `body` with a listener, then shuts it down gracefully and waits until every connection is closed.
    static func open(
        at endpoint: Endpoint = .tcp(host: "127.0.0.1", port: 0), tls: (any TLSSource)? = TestTLS.ready,
        limits: ListenerLimits = .unhurried, classify: ConnectionLimiter.Classify? = nil,
        _ body: (TestDoor) async throws -> Void
    ) async throws {
        let events = Events()
        let limiter = ConnectionLimiter(limits: limits, classify: classify ?? { Peer.classify(remote: $0, local: $1) })
        let (addresses, bound) = AsyncStream.makeStream(of: SocketAddress.self)
        let application = Application(events: events)
        let listener = Listener(
            endpoint: endpoint, tls: tls, limits: limits, limiter: limiter,
            logger: Logger(label: "test") { _ in RuleLog(events: events) },
            responder: { try await application.answer($0, $1, $2) },
            onListening: { address in
                if let address { bound.yield(address) }
                bound.finish()
            })
        let group = ServiceGroup(configuration: .init(services: [listener], logger: .silent))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { bound.finish() }
                try await group.run()
            }
            for await address in addresses {
                let door = TestDoor(address: address, limiter: limiter, events: events, group: group)
                application.gate.withLock { $0 = door.gate }
                // Whoever waits there keeps the listener from ending, also where the body has failed.
                defer { door.gate.open() }
                try await body(door)
                break
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        #expect(limiter.snapshot == .init())
    }

    func shutDown() async { await group.triggerGracefulShutdown() }
}

/// What happened, in order.
final class Events: Sendable {
    private let stream: AsyncStream<TestDoor.Event>
    private let source: AsyncStream<TestDoor.Event>.Continuation

    init() {
        (stream, source) = AsyncStream.makeStream()
    }

    func record(_ event: TestDoor.Event) { source.yield(event) }

    /// Waits until this has happened; what happened before is skipped.
    func wait(for event: TestDoor.Event) async {
        for await next in stream where next == event { return }
    }

    /// Waits for the next event of these kinds.
    func first(where isWanted: (TestDoor.Event) -> Bool) async -> TestDoor.Event? {
        for await next in stream where isWanted(next) { return next }
        return nil
    }
}

/// Lets nobody pass until it is opened, then everybody.
final class Gate: Sendable {
    private let state = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            defer { state = (true, []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

/// The application behind the door.
private final class Application: Sendable {
    let gate = Mutex(Gate())
    private let events: Events

    init(events: Events) {
        self.events = events
    }

    func answer(_ request: Request, _ writer: consuming ResponseWriter, _ connection: PeerConnection) async throws {
        let path = request.head.path ?? ""
        events.record(.began(path))
        do {
            if path.hasPrefix("/wait") { await gate.withLock { $0 }.pass() }
            switch path {
            case "/refuse":
                try await write("refused", status: .contentTooLarge, writer)
            case "/turns":
                // More than come in an hour where only one comes in a second.
                for _ in 0..<3600 { try await connection.waitForTurn() }
                events.record(.received(3600))
                try await write("turns", writer)
            case "/large":
                try await writeLarge(writer)
            case "/ends":
                let ends = [connection.channel.remoteAddress, connection.channel.localAddress].map {
                    $0?.ipAddress ?? "file"
                }
                try await write("\(request.head.scheme ?? "") \(ends[0]) \(ends[1])", writer)
            default:
                var count = 0
                for try await bytes in request.body { count += bytes.readableBytes }
                events.record(.received(count))
                try await write("\(path) \(count)", writer)
            }
        } catch {
            events.record(.failed("\(error)"))
            throw error
        }
    }

    private func write(
        _ text: String, status: HTTPResponse.Status = .ok, _ writer: consuming ResponseWriter
    ) async throws {
        let head = HTTPResponse(status: status, headerFields: [.contentLength: String(text.utf8.count)])
        try await writer.write(response: head, body: .init(byteBuffer: ByteBuffer(string: text)))
    }

    /// More than the buffers of any kernel hold.
    private func writeLarge(_ writer: consuming ResponseWriter) async throws {
        let piece = ByteBuffer(repeating: 0x78, count: 65_536)
        var body = try await writer.writeHead(
            HTTPResponse(status: .ok, headerFields: [.contentLength: String(TestDoor.largeByteCount)]))
        for _ in 0..<TestDoor.largeByteCount / 65_536 { try await body.write(piece) }
        try await body.finish(nil)
    }
}

extension TestDoor {
    static let largeByteCount = 64 << 20
}

/// Turns what the listener logs about closed connections into events.
private struct RuleLog: LogHandler {
    let events: Events
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    var logLevel = Logger.Level.debug

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        if let reason = event.metadata?["reason"] { events.record(.closedByRule("\(reason)")) }
    }
}
