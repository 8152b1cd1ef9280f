import ArgumentParser
import Glibc
import Logging
import Printing

@main
struct Safelight: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "safelight",
        abstract: "Takes photos from the phones around it into encrypted vaults.",
        version: Version.text,
        subcommands: [
            Serve.self, CreateCommand.self, StatusCommand.self, Check.self, BackupCommand.self, RestoreCommand.self,
            RehearseCommand.self, BucketCommand.self, TakeOverCommand.self,
            Export.self, ImportCommand.self,
            Reclaim.self, GuestsCommand.self, CodeCommand.self, CertificateCommand.self, LiftLimits.self,
            VersionCommand.self,
        ])

    static func main() async {
        LoggingSystem.bootstrap { PrintableLogHandler(StreamLogHandler.standardError(label: $0)) }
        // The arguments are read from there; without them every command would be the one that prints its help.
        guard !CommandLine.arguments.isEmpty else {
            // A library that sets variables before this begins moves what the arguments are found by.
            let reason =
                access("/proc/self/cmdline", R_OK) == 0
                ? "no arguments are seen, perhaps because of a library that was loaded before (LD_PRELOAD)"
                : "/proc is not mounted, and without it no arguments are seen"
            Terminal.show("safelight: \(reason). Nothing was done.\n")
            Glibc.exit(ExitCode.unusable.rawValue)
        }
        requireThreads()
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error)
        }
    }

    /// Where the system lets nobody begin a thread, as under the rules of old container programs, everything that follows
    /// would wait for one for ever and say nothing.
    private static func requireThreads() {
        var thread = pthread_t()
        let error = pthread_create(&thread, nil, { _ in nil }, nil)
        guard error == 0 else {
            // Too many processes are a matter of time; rules are not.
            let isForNow = error == EAGAIN || error == ENOMEM
            let hint =
                isForNow
                ? "There are too many, or too little memory."
                : "In a container, its program is older than this system's C library needs, or its rules (seccomp) "
                    + "forbid clone3."
            let reason = String(cString: strerror(error))
            Terminal.show("safelight: no thread can begin here: \(reason). \(hint) Nothing was done.\n")
            Glibc.exit((isForNow ? ExitCode.temporary : ExitCode.unusable).rawValue)
        }
        pthread_join(thread, nil)
    }

    /// As `exit(withError:)`, but what was typed, such as the names of files that a shell has put in, is made printable.
    private static func end(with error: any Error) -> Never {
        let message = CommandLine.arguments.reduce(fullMessage(for: error)) { text, argument in
            argument == argument.printable ? text : text.replacing(argument, with: argument.printable)
        }
        let text = PrintableText(lines: message)
        let code = exitCode(for: error)
        if !text.string.isEmpty { code.isSuccess ? Terminal.print(text) : Terminal.show("\(text)\n") }
        Glibc.exit(code.rawValue)
    }
}
