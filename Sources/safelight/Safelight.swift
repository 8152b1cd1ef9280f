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
            RehearseCommand.self, BucketCommand.self,
            Export.self, ImportCommand.self,
            Reclaim.self, GuestsCommand.self, CodeCommand.self, CertificateCommand.self, LiftLimits.self,
            VersionCommand.self,
        ])

    static func main() async {
        LoggingSystem.bootstrap { PrintableLogHandler(StreamLogHandler.standardError(label: $0)) }
        // The arguments are read from there; without them every command would be the one that prints its help.
        guard !CommandLine.arguments.isEmpty else {
            Terminal.show("safelight: /proc is not mounted, and without it no arguments are seen. Nothing was done.\n")
            Glibc.exit(ExitCode.unusable.rawValue)
        }
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
