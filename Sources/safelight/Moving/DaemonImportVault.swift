import AsyncHTTPClient
import Bytes
import FoundationEssentials
import Import
import NIOCore
import NIOHTTP1
import Records
import Unlocking
import Web

/// A vault of the daemon that runs, by the socket in its data directory.
final class DaemonImportVault: ImportVault {
    /// Files that are on their way at once.
    static let connections = 16
    /// A disk may take its time; nothing is lost by waiting.
    private static let patience: TimeAmount = .minutes(10)
    private static let mostByteCount = 64 << 20

    private let socket: ConsoleSocket
    private let client: HTTPClient
    private let token: String

    /// - Throws: what the daemon says to the password, as `VaultError` where the commands know it.
    init(dataPath: String, password: Password) async throws {
        socket = ConsoleSocket(dataPath: dataPath)
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = Self.connections
        configuration.decompression = .disabled
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            token = try await Self.open(password, socket, client)
        } catch {
            try? await client.shutdown()
            throw error
        }
    }

    private static func open(_ password: Password, _ socket: ConsoleSocket, _ client: HTTPClient) async throws -> String
    {
        var request = HTTPClientRequest(url: socket.url("/import"))
        request.method = .POST
        request.headers.add(name: "Host", value: "localhost")
        // The heap of this program is wiped as it is freed.
        let credentials = password.bytes.withUnsafeBytes { Data([UInt8(ascii: ":")] + $0).base64EncodedString() }
        request.headers.add(name: "Authorization", value: "Basic \(credentials)")
        let (response, body): (HTTPClientResponse, ByteBuffer)
        do {
            response = try await client.execute(request, timeout: patience)
            body = try await response.body.collect(upTo: mostByteCount)
        } catch {
            throw ImportRefusal.all("The daemon does not answer (\(error)).")
        }
        switch response.status.code {
        case 201: return try decoded(ImportPayload.Session.self, body).token
        case 401: throw VaultError.noSuchVault
        case 429:
            let seconds = response.headers.first(name: "Retry-After").flatMap { Int64($0) } ?? 1
            throw VaultError.tooManyAttempts(retryAfter: .seconds(max(0, seconds - 1)))
        default: throw refusal(body, response.status)
        }
    }

    func unreadCount() async throws -> Int {
        try Self.decoded(ImportPayload.Count.self, try await ask(.GET, "/import/unread")).count
    }

    func find(_ contents: [ImportPayload.Content]) async throws -> [ImportPayload.State?] {
        try Self.decoded([ImportPayload.State?].self, try await ask(.POST, "/import/find", contents))
    }

    func tell(_ words: [ImportPayload.Words]) async throws -> [ImportPayload.State] {
        try Self.decoded([ImportPayload.State].self, try await ask(.POST, "/import/tell", words))
    }

    func states(of ids: [String]) async throws -> [ImportPayload.State?] {
        try Self.decoded(
            [ImportPayload.State?].self, try await ask(.POST, "/import/states", ImportPayload.IDs(ids: ids)))
    }

    func readAgain(_ ids: [String]) async throws -> [ImportPayload.State?] {
        try Self.decoded(
            [ImportPayload.State?].self, try await ask(.POST, "/import/read", ImportPayload.IDs(ids: ids)))
    }

    func note(_ proof: ImportProofPayload) async throws { _ = try await ask(.PUT, "/import/proof", proof) }

    func send(_ file: OutgoingFile) async throws -> ImportPayload.State {
        let query = [
            file.modifiedAt.map { "modified=\($0)" }, file.waitsAs.map { "waitsAs=\(Self.escaped($0))" },
        ].compactMap(\.self).joined(separator: "&")
        var request = request(.PUT, "/import/photos/\(Self.escaped(file.name))\(query.isEmpty ? "" : "?\(query)")")
        request.body = .stream(file.pieces, length: .known(Int64(clamping: file.byteCount)))
        do {
            return try Self.decoded(ImportPayload.State.self, try await execute(request))
        } catch let error as HTTPClientError where error == .bodyLengthMismatch {
            throw ImportRefusal.file("it changed while it was read")
        }
    }

    func close() async {
        _ = try? await ask(.DELETE, "/import")
        try? await client.shutdown()
        withExtendedLifetime(socket) {}
    }

    private func ask(_ method: HTTPMethod, _ path: String, _ json: (any Encodable & Sendable)? = nil) async throws
        -> ByteBuffer
    {
        var request = request(method, path)
        if let json {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: try JSONEncoder().encode(json)))
        }
        return try await execute(request)
    }

    private func request(_ method: HTTPMethod, _ path: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: socket.url(path))
        request.method = method
        request.headers.add(name: "Host", value: "localhost")
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        return request
    }

    private func execute(_ request: HTTPClientRequest) async throws -> ByteBuffer {
        do {
            // Bytes of a file may take as long as they take: the daemon minds how they come.
            let response = try await client.execute(request, deadline: .distantFuture)
            let body = try await response.body.collect(upTo: Self.mostByteCount)
            guard (200..<300).contains(response.status.code) else { throw Self.refusal(body, response.status) }
            return body
        } catch {
            // What the source of the body says, and what the daemon does, is told as it is.
            if error is ImportRefusal || error is ImportError { throw error }
            if let error = error as? HTTPClientError, error == .bodyLengthMismatch { throw error }
            throw ImportRefusal.all("The daemon does not answer any more (\(error)).")
        }
    }

    private struct Problem: Decodable {
        var code: String
        var title: String
        var detail: String
    }

    private static func refusal(_ body: ByteBuffer, _ status: HTTPResponseStatus) -> ImportRefusal {
        guard let problem = try? decoded(Problem.self, body) else {
            return .all("The daemon answered with \(status.code).")
        }
        return ImportRefusal(code: problem.code, title: problem.title, detail: problem.detail)
    }

    private static func decoded<Value: Decodable>(_ type: Value.Type, _ body: ByteBuffer) throws -> Value {
        try JSONDecoder().decode(type, from: Data(body.readableBytesView))
    }

    /// One part of a path, or of a query.
    private static func escaped(_ name: String) -> String {
        PercentEncoding.encode(name) { $0.isUnreserved && $0 != UInt8(ascii: ".") }
    }
}
