import ArgumentParser

@main
struct Safelight: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "safelight",
        abstract: "Takes photos from the phones around it into encrypted vaults.",
        version: Version.text,
        subcommands: [
            Serve.self, StatusCommand.self, Check.self, BackupCommand.self, RestoreCommand.self, Export.self,
            Reclaim.self, GuestsCommand.self, Code.self, CertificateCommand.self, LiftLimits.self,
            VersionCommand.self,
        ])
}

enum Version {
    static let text = "0.1.0"
}
