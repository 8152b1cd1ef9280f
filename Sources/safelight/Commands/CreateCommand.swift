import ArgumentParser
import Glibc
import Printing
import Store

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
