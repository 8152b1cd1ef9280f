import AsyncHTTPClient
package import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization
import Threads

/// Speaks to one bucket: PUT with its multipart form, GET with ranges, HEAD, LIST and DELETE, each signed, and sent again
/// where that may help. May be used from many tasks at once.
///
/// Bodies are signed by their SHA-256 (not `UNSIGNED-PAYLOAD`): whoever backs up wants that digest anyway, and so the
/// store itself refuses what has changed on the way, in its own memory, too, where TLS has ended.
package final class BucketClient: Sendable {
    /// What the client cannot do by itself; another one for tests.
    package struct World: Sendable {
        package var now: @Sendable () -> Date = { Date() }
        package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
        /// 0 to 1.
        package var chance: @Sendable () -> Double = { .random(in: 0...1) }

        package init() {}
    }

    /// Requests that are under way at the same time.
    package static let mostAtOnce = 16
    /// What has more bytes goes in parts, which the store puts together.
    package static let longestWhole = DigestedBody.longestPart

    package let address: BucketAddress
    let world: World
    /// Reads and digests what is sent.
    let readers: BlockingPool
    private let keys: BucketKeys
    private let patience: Patience
    private let signature: RequestSignature
    private let client: HTTPClient
    private let sent = Atomic<Int>(0)
    private let wasAnswered = Atomic<Bool>(false)
    private let sibling = Mutex<BucketClient?>(nil)
    private let authorityPath: String?

    /// - Parameter authorityPath: PEM file of the authorities that the store is believed by, instead of the system's
    package init(
        _ address: BucketAddress, keys: BucketKeys, authorityPath: String? = nil, patience: Patience = .long,
        world: World = World()
    ) {
        self.patience = patience
        self.authorityPath = authorityPath
        self.address = address
        self.keys = keys
        self.world = world
        signature = RequestSignature(keys, region: address.region)
        readers = BlockingPool(name: "bucket", threads: 4)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let authorityPath { tls.trustRoots = .file(authorityPath) }
        // A signature holds for one host, so nothing good comes of following a redirection: it is told instead.
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = Self.mostAtOnce
        // Every refusal would be told as one of time; it is tried again here.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.timeout.connect = .seconds(patience.connecting)
        configuration.timeout.read = .seconds(patience.pause)
        configuration.timeout.write = .seconds(patience.pause)
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// One with connections of its own, which ends with this one.
    package var anew: BucketClient {
        sibling.withLock { sibling in
            if let sibling { return sibling }
            let made = BucketClient(
                address, keys: keys, authorityPath: authorityPath, patience: patience, world: world)
            sibling = made
            return made
        }
    }

    /// Before something is asked for again whose answer was none.
    /// - Parameter attempt: 1 for the second time
    package func pause(before attempt: Int) async throws {
        guard let wait = RetryPolicy.wait(after: attempt + 1, asked: nil, chance: world.chance()) else { return }
        try await world.sleep(wait)
    }

    package func shutdown() async {
        await sibling.withLock(\.self)?.shutdown()
        try? await client.shutdown()
        await readers.shutdown()
    }

    /// Attempts so far.
    package var requestCount: Int { sent.load(ordering: .relaxed) }

    // MARK: One request, until it is answered

    /// - Returns: a success (2xx), with its body of at most `limit` bytes.
    /// - Throws: `BucketError`
    func ask(_ request: StoreRequest, atMost limit: Int = StoreAnswer.mostBytes) async throws -> StoreAnswer {
        for attempts in 1... {
            let failure: Failure
            do {
                let answer = try await attempt(request, atMost: limit)
                let isSuccess = (200..<300).contains(answer.status)
                let isPage = isSuccess && answer.isPageForPeople
                if isSuccess, !isPage, request.asksForObject || !answer.isComplaint { return answer }
                failure =
                    isPage
                    ? Failure(error: .strange(StoreAnswer.pageForPeople), asked: nil) : try self.failure(answer)
            } catch let error as BucketError {
                throw error
            } catch {
                try Task.checkCancellation()
                failure = Failure(
                    error: .unreachable(Self.reason(error)), asked: nil,
                    isSilence: error as? HTTPClientError == .deadlineExceeded)
            }
            let most = failure.isSilence ? min(patience.silences, patience.attempts) : patience.attempts
            guard
                let wait = RetryPolicy.wait(
                    after: attempts, of: most, asked: failure.asked, chance: world.chance())
            else { throw failure.error }
            try await world.sleep(wait)
        }
        throw CancellationError()
    }

    /// One that may go by.
    private struct Failure {
        var error: BucketError
        /// Seconds that the store wants to be left alone.
        var asked: Double?
        /// Nobody has ever answered.
        var isSilence = false
    }

    /// Throws those that do not go by.
    private func failure(_ answer: StoreAnswer) throws -> Failure {
        let error = answer.error(bucket: address.bucket, now: world.now())
        guard RetryPolicy.isPassing(answer.status, code: answer.code) else { throw error }
        return Failure(error: error, asked: answer.secondsToWait(now: world.now()))
    }

    private func attempt(_ request: StoreRequest, atMost limit: Int) async throws -> StoreAnswer {
        sent.add(1, ordering: .relaxed)
        let isPatient = request.body != nil || wasAnswered.load(ordering: .relaxed)
        let response = try await client.execute(
            sign(request), deadline: isPatient ? .distantFuture : .now() + .milliseconds(patience.firstAnswer))
        wasAnswered.store(true, ordering: .relaxed)
        var answer = StoreAnswer(status: Int(response.status.code), fields: response.headers)
        // Some take no notice of a range, and send everything.
        if let window = request.window, answer.status == 200 {
            let end: UInt64
            (answer.body, end) = try await Self.cut(window, of: response.body)
            // What ends before both the range and the object is a cut line, not a short object.
            if let length = Self.byteCount(response.headers), end < min(length, window.upperBound) {
                throw HTTPClientError.remoteConnectionClosed
            }
            return answer
        }
        // What is wrong may take more words than what was asked for has bytes.
        let limit = (200..<300).contains(answer.status) ? limit : StoreAnswer.mostBytes
        for try await piece in response.body {
            guard answer.body.count + piece.readableBytes <= limit else {
                throw BucketError.strange("its answer is too long")
            }
            answer.body += piece.readableBytesView
        }
        // A body that ends before its length is a cut line. The client says so by an error of its own only over TLS.
        if request.method != .HEAD, let length = Self.byteCount(response.headers), length != answer.body.count {
            throw HTTPClientError.remoteConnectionClosed
        }
        return answer
    }

    private static func byteCount(_ fields: HTTPHeaders) -> UInt64? {
        fields.first(name: "Content-Length").flatMap { UInt64($0) }
    }

    /// - Returns: what the body has of the window, and where reading it ended.
    private static func cut(
        _ window: Range<UInt64>, of body: HTTPClientResponse.Body
    ) async throws -> (kept: [UInt8], end: UInt64) {
        var (kept, offset): ([UInt8], UInt64) = ([], 0)
        for try await piece in body {
            let all = offset..<offset + UInt64(piece.readableBytes)
            let wanted = all.clamped(to: window)
            let bytes = piece.readableBytesView.dropFirst(Int(wanted.lowerBound - offset)).prefix(wanted.count)
            if !wanted.isEmpty { kept += bytes }
            offset = all.upperBound
            if offset >= window.upperBound { break }
        }
        return (kept, offset)
    }

    /// Anew for every attempt: a signature has its time.
    private func sign(_ request: StoreRequest) throws -> HTTPClientRequest {
        let stamp = RequestSignature.stamp(world.now())
        var fields =
            request.fields + [
                ("Host", address.host), ("x-amz-content-sha256", request.payloadHash), ("x-amz-date", stamp),
            ]
        if let token = keys.sessionToken {
            fields.append(("x-amz-security-token", token.bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }))
        }
        let path = address.path(of: request.key)
        let signed = RequestSignature.Request(
            method: request.method.rawValue, path: path, query: request.query, fields: fields,
            payloadHash: request.payloadHash)
        var result = HTTPClientRequest(
            url: address.url(path: path, query: RequestSignature.query(request.query)))
        result.method = request.method
        for (name, value) in fields + request.unsignedFields { result.headers.add(name: name, value: value) }
        result.headers.add(name: "Authorization", value: try signature.authorization(for: signed, at: stamp))
        result.body = request.body?()
        return result
    }

    private static func reason(_ error: any Error) -> String {
        if let error = error as? HTTPClientError { return error.shortDescription }
        return String(describing: error).split(whereSeparator: \.isNewline).first.map { String($0.prefix(160)) } ?? ""
    }
}

/// A request that can be sent as often as it takes.
struct StoreRequest {
    var method: HTTPMethod
    /// Behind the address's prefix; nil for the bucket itself.
    var key: String?
    var query: [(name: String, value: String)] = []
    var fields: [(name: String, value: String)] = []
    /// Those that a proxy may change.
    var unsignedFields: [(name: String, value: String)] = []
    var payloadHash = RequestSignature.emptyPayloadHash
    /// Of the object's bytes, which the field `Range` asks for.
    var window: Range<UInt64>?
    /// Makes the body anew.
    var body: (@Sendable () -> HTTPClientRequest.Body)?

    /// Whether the body of a success is an object's, whatever it looks like.
    var asksForObject: Bool { method == .GET && key != nil }
}

/// Whether the pages of a list lead to its end: a store that gives the same names again and again, or none and always
/// another page, would be asked for ever.
package struct ListOrder {
    /// Stores pass over names of what was removed, and may give pages of nothing meanwhile.
    private static let mostEmptyPages = 1000

    private var last: String?
    private var emptyPages = 0

    package init() {}

    /// - Throws: `strange` where names do not ascend by their bytes, as those of every list do.
    package mutating func take(_ page: ListPage) throws(BucketError) {
        emptyPages = page.objects.isEmpty ? emptyPages + 1 : 0
        guard emptyPages <= Self.mostEmptyPages else { throw .strange("a list goes on and on, and names nothing") }
        for (key, _) in page.objects {
            if let last, !last.utf8.lexicographicallyPrecedes(key.utf8) {
                throw .strange("a list does not go on, but back")
            }
            last = key
        }
    }
}

/// When a request is sent again, and how long is waited before: stores are busy for moments, and lines are cut.
struct RetryPolicy: Sendable {
    /// With the first one.
    static let mostAttempts = 7
    private static let first = 0.25
    private static let longest = 20.0
    /// A store that wants to be left alone for longer than this is given up for today.
    static let longestAsked = 300.0

    /// - Parameters:
    ///   - attempts: those that have failed so far, from 1 on
    ///   - most: with the first one
    ///   - asked: seconds of the answer's `Retry-After`
    ///   - chance: 0 to 1; spreads those who were refused together
    /// - Returns: nil when it is enough.
    static func wait(
        after attempts: Int, of most: Int = mostAttempts, asked: Double?, chance: Double
    ) -> Duration? {
        guard attempts < most else { return nil }
        if let asked, asked > 0 {
            guard asked <= longestAsked else { return nil }
            return .seconds(asked + chance * first)
        }
        var step = first
        for _ in 1..<max(1, attempts) { step = min(longest, 2 * step) }
        // Between a half and the whole of the step.
        return .seconds(step * (1 + chance) / 2)
    }

    static func isPassing(_ status: Int, code: String?) -> Bool {
        switch status {
        case 408, 429, 500, 502, 503, 504: true
        case 200..<300: ["InternalError", "SlowDown", "ServiceUnavailable"].contains(code)
        // RFC 9110 has 408 for it; Amazon answers 400. The second is what two writers at once get.
        case 400: code == "RequestTimeout"
        case 409: code == "ConditionalRequestConflict" || code == "OperationAborted"
        default: false
        }
    }
}

/// How long a store is waited for.
package struct Patience: Sendable {
    var attempts: Int
    /// Seconds until a connection is made, and of each pause in a body or before an answer.
    var connecting: Int64
    var pause: Int64
    /// Until somebody has answered for the first time: milliseconds that one attempt may take, where nothing has to be sent
    /// for an answer, and how many may pass without one. Whoever waits for a store that is not there hears of it within a
    /// minute; one that was there may be away for longer.
    var firstAnswer: Int64 = 8_000
    var silences = 5

    /// For copies, which nobody waits for.
    package static let long = Patience(attempts: RetryPolicy.mostAttempts, connecting: 15, pause: 60)
    /// For a few bytes that somebody waits for, who may as well be told to try again. Shorter in all than what a service
    /// manager waits for a sign of life.
    package static let short = Patience(attempts: 3, connecting: 5, pause: 10)
}
