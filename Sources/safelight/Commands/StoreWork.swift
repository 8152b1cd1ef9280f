import ArgumentParser
import Configuration
import Records
import Store
import Threads

/// Work on a data directory that waits for the disk, on a thread of its own and with a bar that fills.
enum StoreWork {
    /// - Throws: `StartFailure` for what the store says.
    static func run<R: Sendable>(
        _ label: String, _ body: @escaping @Sendable (_ progress: (_ done: Int, _ of: Int) -> Void) throws -> R
    ) async throws -> R {
        let pool = BlockingPool(name: "store work", threads: 1)
        do {
            let result = try await pool.run {
                WorkingCopy.removeAbandoned()
                var bar = ProgressBar(label)
                defer { bar.finish() }
                return try body { done, total in bar.show(UInt64(done), of: UInt64(total)) }
            }
            await pool.shutdown()
            return result
        } catch {
            await pool.shutdown()
            throw StartFailure.told(error)
        }
    }
}

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
