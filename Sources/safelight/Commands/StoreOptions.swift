import ArgumentParser
import Configuration

/// Which data directory a command works on.
struct StoreOptions: ParsableArguments {
    @Option(help: "The data directory.")
    var data: String?

    @Option(help: "The configuration file (YAML).")
    var config: String?

    func settings(_ more: [Setting: ConfigValue] = [:]) async throws -> Settings {
        var arguments = more
        if let data { arguments[.data] = ConfigValue(.string(data), isSecret: false) }
        return try await Settings(file: config, arguments: arguments)
    }
}
