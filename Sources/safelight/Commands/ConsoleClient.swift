import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Asks the running daemon by the socket in its data directory.
enum ConsoleClient {
    enum Answer {
        case answered(status: UInt, text: ByteBuffer)
        case silent(reason: String)
        case notRunning
    }

    private static let patience: TimeAmount = .seconds(15)
    /// More than any answer has.
    private static let mostByteCount = 16 << 20

    /// - Parameter json: what is sent, if anything.
    static func ask(
        _ method: HTTPMethod, _ path: String, json: ByteBuffer? = nil, dataPath: String,
        patience: TimeAmount = patience
    ) async -> Answer {
        let socket = ConsoleSocket(dataPath: dataPath)
        guard socket.isListenedTo else { return .notRunning }
        let client = HTTPClient(eventLoopGroupProvider: .singleton)
        let answer: Answer
        do {
            var request = HTTPClientRequest(url: socket.url(path))
            request.method = method
            request.headers.add(name: "Host", value: "localhost")
            if let json {
                request.headers.add(name: "Content-Type", value: "application/json")
                request.body = .bytes(json)
            }
            let response = try await client.execute(request, timeout: patience)
            answer = .answered(
                status: response.status.code, text: try await response.body.collect(upTo: Self.mostByteCount))
        } catch {
            answer = .silent(reason: "\(error)")
        }
        withExtendedLifetime(socket) {}
        try? await client.shutdown()
        return answer
    }
}
