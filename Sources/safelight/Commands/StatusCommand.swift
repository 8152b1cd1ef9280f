import ArgumentParser
import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import Vaults
import Web

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Says whether the daemon runs, and how it is.",
        discussion: """
            Asks the running daemon by the socket in its data directory; run it as the daemon's user. Exit codes: \
            0 it runs and is well (there may be warnings), 1 it runs and takes nothing, or does not answer, 3 it is not \
            running, 64 usage, 78 unusable configuration.
            """)

    private static let patience: TimeAmount = .seconds(15)
    /// More than any answer has.
    private static let mostByteCount = 1 << 20

    @OptionGroup var options: StoreOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reportingFailures {
            let settings = try await options.settings()
            switch try await ask(ConsoleSocket(dataPath: settings.vaults.dataPath)) {
            case .status(let status, let text):
                let now = UInt64(Date().timeIntervalSince1970)
                Terminal.print(json ? text : StatusText(status, now: now).text(.current()))
                if status.health == Health.Status.fail.rawValue { throw ExitCode.damaged }
            case .silent(let reason):
                Terminal.print(json ? #"{"running":true}"# : "Safelight does not answer (\(reason)).")
                throw ExitCode.damaged
            case .notRunning:
                Terminal.print(json ? #"{"running":false}"# : "Safelight is not running.")
                throw ExitCode.notRunning
            }
        }
    }

    private enum Answer {
        case status(StatusPayload, String)
        case silent(reason: String)
        case notRunning
    }

    private func ask(_ socket: ConsoleSocket) async throws -> Answer {
        guard socket.isListenedTo else { return .notRunning }
        let client = HTTPClient(eventLoopGroupProvider: .singleton)
        let answer: Answer
        do {
            var request = HTTPClientRequest(url: socket.url("/status"))
            request.headers.add(name: "Host", value: "localhost")
            let response = try await client.execute(request, timeout: Self.patience)
            let body = try await response.body.collect(upTo: Self.mostByteCount)
            let status = try JSONDecoder().decode(StatusPayload.self, from: Data(body.readableBytesView))
            answer = .status(status, String(buffer: body))
        } catch {
            answer = .silent(reason: "\(error)")
        }
        withExtendedLifetime(socket) {}
        try? await client.shutdown()
        return answer
    }
}
