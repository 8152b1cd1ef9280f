import ArgumentParser
import NIOHTTP1
import Printing

struct LiftLimits: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lift-limits",
        abstract: "Lets the day's counts begin anew: of new vaults and guests, changed ways, visitors, gifts.",
        discussion: """
            For who makes many vaults at once. Asks the running daemon by the socket in its data directory; run it as \
            the daemon's user. Waiting times after wrong passwords stay. Exit codes: 0 done, 1 the daemon does not \
            answer, 3 it is not running, 64 usage, 78 unusable configuration.
            """)

    @OptionGroup var options: StoreOptions

    func run() async throws {
        try await reportingFailures {
            let settings = try await options.settings()
            switch await ConsoleClient.ask(.POST, "/limits", dataPath: settings.vaults.dataPath) {
            case .answered(status: 200, _): Terminal.print("The counts of the day begin anew.")
            case .answered(let status, _):
                Terminal.complain("The daemon answered \(status).")
                throw ExitCode.damaged
            case .silent(let reason):
                Terminal.complain("Safelight does not answer (\(reason)).")
                throw ExitCode.damaged
            case .notRunning:
                Terminal.complain("Safelight is not running; a start begins the counts anew.")
                throw ExitCode.notRunning
            }
        }
    }
}
