import ArgumentParser
import Configuration
import Glibc

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the daemon until SIGTERM or SIGINT.",
        discussion: Setting.help
            + "\n\nThe configuration file is /etc/safelight/safelight.yaml where there is one. Exit codes: 0 stopped, 64 usage, 78 unusable configuration or data."
    )

    @OptionGroup var options: StoreOptions

    @Option(help: "ADDRESS:PORT to listen on; can be given again. 0.0.0.0 and [::] mean every address of this host.")
    var listen: [String] = []

    @Option(help: "The folder of the page.")
    var www: String?

    func run() async throws {
        try await reportingFailures {
            umask(0o077)
            let settings = try await options.settings(arguments)
            try await Daemon(settings).run()
        }
    }

    private var arguments: [Setting: ConfigValue] {
        var values: [Setting: ConfigValue] = [:]
        if let www { values[.www] = ConfigValue(.string(www), isSecret: false) }
        if !listen.isEmpty { values[.listen] = ConfigValue(.stringArray(listen), isSecret: false) }
        return values
    }
}
