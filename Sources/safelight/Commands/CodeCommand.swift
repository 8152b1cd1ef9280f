import ArgumentParser
import FoundationEssentials
import Glibc
import Listener
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
