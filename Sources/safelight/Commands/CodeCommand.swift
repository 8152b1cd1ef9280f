import ArgumentParser
import FoundationEssentials
import Glibc
import Listener
import NIOHTTP1
import Printing
import Records
import Store
import Unlocking

struct CodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "code",
        abstract: "Prints the setup code that another device needs to create a vault; with --new, makes another.",
        discussion: """
            The daemon may be running. A code counts for a week; where it is over, another is made. Run it as the \
            daemon's user.
            """)

    @OptionGroup var options: StoreOptions

    @Flag(help: "Make another code; the former one counts no more.")
    var new = false

    func run() async throws {
        try await reportingFailures {
            let path = try await options.settings().vaults.dataPath
            let code = try await Self.code(in: path, isNew: new)
            Terminal.show("It counts until \(code.lastDate).\n")
            Terminal.print("\(code.text)")
        }
    }

    private static func code(in path: String, isNew: Bool) async throws -> SetupCode {
        guard let present = SetupCode.read(dataPath: path) else {
            throw StartFailure(
                description: "There is no setup code in \(path). It is made at the first start of the daemon.")
        }
        let today = UInt32(Date().timeIntervalSince1970 / 86_400)
        if !isNew, present.counts(on: today) { return present }
        // The daemon could not read a file that belongs to somebody else.
        let owner = try? FileManager.default.attributesOfItem(atPath: path)[.ownerAccountID] as? UInt
        guard owner == UInt(geteuid()) else {
            throw StartFailure(description: "\(path) belongs to another user; run this as that one to make a new code.")
        }
        do {
            try DirectoryState.requireChangeable(path)
        } catch {
            throw StartFailure.told(error)
        }
        return try SetupCode.renew(dataPath: path, today: today)
    }
}

extension SetupCode {
    /// The last day on which it counts, as "2026-12-02".
    var lastDate: String {
        String(Date(timeIntervalSince1970: Double(lastDay) * 86_400).ISO8601Format().prefix(10))
    }
}

/// Turns what cannot be used into a sentence on standard error and its exit code.
func reportingFailures(_ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch let error as ExitCode {
        throw error
    } catch let error as SettingsError {
        Terminal.complain(PrintableText(lines: error.description))
        throw ExitCode.unusable
    } catch let error as StartFailure {
        Terminal.complain("\(error.description)")
        throw error.isOfDisk ? ExitCode.incomplete : error.isOfBucket ? ExitCode.temporary : ExitCode.unusable
    } catch let error as ListenerError {
        Terminal.complain("\(error)")
        throw ExitCode.temporary
    } catch VaultError.passwordEmpty {
        Terminal.complain("No password was typed.")
        throw ExitCode.refused
    } catch VaultError.noSuchVault, VaultError.passwordTooLong, VaultError.passwordNotUTF8 {
        Terminal.complain("That password opens no vault here.")
        throw ExitCode.refused
    } catch VaultError.tooManyAttempts(let wait, _) {
        Terminal.complain("Too many attempts. Try again in \(wait.components.seconds + 1) seconds.")
        throw ExitCode.refused
    } catch {
        Terminal.complain("\(error)")
        throw ExitCode.unusable
    }
}

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

struct CreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Lets the daemon begin a new, empty data directory where it waits for the disk of an earlier one.",
        discussion: """
            Where the data directory lies on a disk of its own and that disk is missing, the daemon waits for it. This \
            says that a new one is wanted there all the same: it is made, with nothing in it, by the daemon that waits, \
            or at its next start. Run it as the daemon's user. Exit codes: 0 done, 64 usage, 78 there is a data \
            directory already, or something else; nothing was changed.
            """)

    @OptionGroup var options: StoreOptions

    func run() async throws {
        try await reportingFailures {
            umask(0o077)
            let path = try await options.settings().vaults.dataPath
            try await StoreWork.run("Create") { _ in try StorePresence.allowNewStore(at: path) }
            Terminal.print("The daemon begins a new data directory in \(path).")
        }
    }
}
