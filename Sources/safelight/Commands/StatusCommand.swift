import ArgumentParser
import FoundationEssentials
import NIOCore
import NIOHTTP1
import Printing
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

    @OptionGroup var options: StoreOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reportingFailures {
            let settings = try await options.settings()
            switch await ask(dataPath: settings.vaults.dataPath) {
            case .status(let status, let text):
                let now = UInt64(Date().timeIntervalSince1970)
                Terminal.print(json ? PrintableText(lines: text) : StatusText(status, now: now).text(.current()))
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

    private func ask(dataPath: String) async -> Answer {
        switch await ConsoleClient.ask(.GET, "/status", dataPath: dataPath) {
        case .answered(_, let text):
            do {
                let status = try JSONDecoder().decode(StatusPayload.self, from: Data(text.readableBytesView))
                return .status(status, String(buffer: text))
            } catch {
                return .silent(reason: "\(error)")
            }
        case .silent(let reason): return .silent(reason: reason)
        case .notRunning: return .notRunning
        }
    }
}
