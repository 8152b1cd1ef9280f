import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
package import Releases

/// Asks the feed. What it sends says nothing of the host: no version, no name, no cookie.
package struct FeedClient: Sendable {
    /// For all of one question.
    static let patience: Duration = .seconds(10)
    /// base64 of 64 bytes, and white space.
    private static let longestSignature = 1024

    package let address: FeedAddress
    private let asksForSignature: Bool
    private let authorityPath: String?

    /// - Parameters:
    ///   - asksForSignature: whether `<feed>.sig` is fetched, too
    ///   - authorityPath: PEM file of the authorities that the feed's host is believed by, instead of the system's
    package init(_ address: FeedAddress, asksForSignature: Bool, authorityPath: String? = nil) {
        self.address = address
        self.asksForSignature = asksForSignature
        self.authorityPath = authorityPath
    }

    /// - Parameter entityTag: of the document that is remembered
    /// - Throws: `FeedError`
    package func ask(entityTag: String?) async throws(FeedError) -> FeedAnswer {
        let client = try makeClient()
        let result: Result<FeedAnswer, FeedError>
        do {
            result = .success(try await inTime { try await answer(of: client, entityTag) })
        } catch let error as FeedError {
            result = .failure(error)
        } catch {
            result = .failure(.unreachable(Self.reason(error)))
        }
        try? await client.shutdown()
        return try result.get()
    }

    private func makeClient() throws(FeedError) -> HTTPClient {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let authorityPath { tls.trustRoots = .file(authorityPath) }
        // A redirection could lead to another host, or to no host at all.
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        // Or every refusal is told as one of time.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.timeout.connect = TimeAmount(Self.patience)
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    private func answer(of client: HTTPClient, _ entityTag: String?) async throws -> FeedAnswer {
        guard let feed = try await fetch(address.text, from: client, limit: Release.longestDocument, entityTag) else {
            return .unchanged
        }
        var signature: [UInt8]?
        if asksForSignature {
            do {
                let limit = Self.longestSignature
                signature = try await fetch(address.signatureText, from: client, limit: limit, nil)?.bytes
            } catch FeedError.unexpectedStatus {
                throw FeedError.wrongSignature
            }
        }
        return .document(feed.bytes, signature: signature, entityTag: feed.entityTag)
    }

    /// Nil for what has not changed.
    private func fetch(
        _ url: String, from client: HTTPClient, limit: Int, _ entityTag: String?
    ) async throws -> (bytes: [UInt8], entityTag: String?)? {
        var request = HTTPClientRequest(url: url)
        if let entityTag { request.headers.add(name: "If-None-Match", value: entityTag) }
        let response = try await client.execute(request, timeout: TimeAmount(Self.patience))
        switch response.status {
        case .notModified where entityTag != nil: return nil
        case .ok: break
        default: throw FeedError.unexpectedStatus(Int(response.status.code))
        }
        var bytes: [UInt8] = []
        for try await piece in response.body {
            guard bytes.count + piece.readableBytes <= limit else { throw FeedError.tooLarge }
            bytes += piece.readableBytesView
        }
        return (bytes, response.headers.first(name: "ETag").flatMap { $0.utf8.count <= 256 ? $0 : nil })
    }

    /// The time of a request alone does not bound a body that comes byte by byte.
    private func inTime<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) async throws -> R {
        try await withThrowingTaskGroup(of: R.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: Self.patience)
                throw FeedError.tooSlow
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }

    private static func reason(_ error: any Error) -> String {
        if let error = error as? HTTPClientError { return error.shortDescription }
        return String(describing: error).split(whereSeparator: \.isNewline).first.map { String($0.prefix(160)) } ?? ""
    }
}
