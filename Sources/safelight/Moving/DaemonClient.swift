import AsyncHTTPClient
import Bytes
import FoundationEssentials
import Import
import NIOCore
import NIOHTTP1

/// Brings photos to the daemon that runs, by the socket in its data directory.
final class DaemonClient: Sendable {
    /// An answer that says no more than that it was done.
    struct Nothing: Decodable, Sendable {}

    /// Files that are on their way at once.
    static let connections = 16
    private static let mostByteCount = 64 << 20

    private let socket: ConsoleSocket
    private let client: HTTPClient

    init(dataPath: String) {
        socket = ConsoleSocket(dataPath: dataPath)
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = Self.connections
        configuration.decompression = .disabled
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func close() async {
        try? await client.shutdown()
        withExtendedLifetime(socket) {}
    }

    /// - Parameter authorization: the field of this name.
    /// - Throws: `DaemonProblem`, `ImportRefusal.all` for a daemon that is silent.
    func ask<Value: Decodable & Sendable>(
        _ method: HTTPMethod, _ path: String, _ authorization: String?, _ type: Value.Type,
        _ json: (any Encodable & Sendable)? = nil
    ) async throws -> Value {
        var request = request(method, path, authorization)
        if let json {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: try JSONEncoder().encode(json)))
        }
        return try Self.decoded(type, try await execute(request))
    }

    /// - Parameter query: its parts, as far as there are any.
    /// - Throws: as `ask`; `ImportRefusal.file` for one that has not this length, and what the pieces end with.
    func send<Value: Decodable & Sendable>(
        _ pieces: PieceChannel, ofByteCount byteCount: UInt64, to path: String, _ query: [String?],
        _ authorization: String, _ type: Value.Type
    ) async throws -> Value {
        let query = query.compactMap(\.self).joined(separator: "&")
        var request = request(.PUT, query.isEmpty ? path : "\(path)?\(query)", authorization)
        request.body = .stream(pieces, length: .known(Int64(clamping: byteCount)))
        do {
            return try Self.decoded(type, try await execute(request))
        } catch let error as HTTPClientError where error == .bodyLengthMismatch {
            throw ImportRefusal.file("it changed while it was read")
        }
    }

    private func request(_ method: HTTPMethod, _ path: String, _ authorization: String?) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: socket.url(path))
        request.method = method
        request.headers.add(name: "Host", value: "localhost")
        if let authorization { request.headers.add(name: "Authorization", value: authorization) }
        return request
    }

    private func execute(_ request: HTTPClientRequest) async throws -> ByteBuffer {
        do {
            // A disk may take its time, and bytes of a file as long as they take: the daemon minds how they come.
            let response = try await client.execute(request, deadline: .distantFuture)
            let body = try await response.body.collect(upTo: Self.mostByteCount)
            guard (200..<300).contains(response.status.code) else { throw DaemonProblem(response, body) }
            return body
        } catch {
            // What the source of the body says, and what the daemon does, is told as it is.
            if error is DaemonProblem || error is ImportError { throw error }
            if let error = error as? HTTPClientError, error == .bodyLengthMismatch { throw error }
            throw ImportRefusal.all("The daemon does not answer (\(error)).")
        }
    }

    private static func decoded<Value: Decodable>(_ type: Value.Type, _ body: ByteBuffer) throws -> Value {
        try JSONDecoder().decode(type, from: Data(body.readableBytesView))
    }

    /// One part of a path, or of a query.
    static func escaped(_ name: String) -> String {
        PercentEncoding.encode(name) { $0.isUnreserved && $0 != UInt8(ascii: ".") }
    }
}

/// What the daemon did not do, and why (RFC 9457).
struct DaemonProblem: Error {
    private struct Payload: Decodable {
        var code: String
        var title: String
        var detail: String
    }

    let status: UInt
    /// Seconds.
    let retryAfter: Int64
    /// Empty for an answer that says none, as the following.
    let code: String
    let title: String
    let detail: String

    init(_ response: HTTPClientResponse, _ body: ByteBuffer) {
        let payload = try? JSONDecoder().decode(Payload.self, from: Data(body.readableBytesView))
        status = response.status.code
        retryAfter = response.headers.first(name: "Retry-After").flatMap { Int64($0) } ?? 1
        code = payload?.code ?? ""
        title = payload?.title ?? "The daemon answered with \(response.status.code)."
        detail = payload?.detail ?? ""
    }
}
