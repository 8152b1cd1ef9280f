import ArgumentParser
import Configuration
import FoundationEssentials
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

/// Exit codes that scripts can rely on; those of sysexits.h where it has one.
extension ExitCode {
    /// Something is damaged or missing; what it is was said.
    static let damaged = ExitCode(1)
    /// The daemon is not running (as the Linux Standard Base has it for status).
    static let notRunning = ExitCode(3)
    /// What was asked for elsewhere did not come (EX_UNAVAILABLE).
    static let unavailable = ExitCode(69)
    /// A question was not answered with what it asked for; nothing was changed.
    static let unconfirmed = ExitCode(73)
    /// A disk took no more, or failed; what was complete before still is (EX_IOERR). Another time it may go well.
    static let incomplete = ExitCode(74)
    /// It may go well another time, without a change of this program's configuration or data (EX_TEMPFAIL): an address cannot
    /// be listened on, a clock is not set, a store does not take the keys.
    static let temporary = ExitCode(75)
    /// The password opens no vault (EX_NOPERM).
    static let refused = ExitCode(77)
    /// The configuration or the data directory cannot be used; nothing was changed (EX_CONFIG).
    static let unusable = ExitCode(78)
}

/// Figures as people read them.
enum Figure {
    /// "1.5 GiB", "512 bytes"
    static func bytes(_ count: UInt64) -> String {
        guard count >= 1024 else { return "\(count) bytes" }
        var value = Double(count)
        var unit = ""
        for next in ["KiB", "MiB", "GiB", "TiB", "PiB"] where value >= 1024 {
            value /= 1024
            unit = next
        }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(unit)"
    }

    /// "14,203"
    static func grouped(_ number: Int) -> String {
        let digits = Array(String(number))
        return digits.indices.map { index in
            let isBreak = index > 0 && (digits.count - index) % 3 == 0
            return (isBreak ? "," : "") + String(digits[index])
        }.joined()
    }

    /// "1 file", "2 files"
    static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }

    /// "40 seconds", "3 hours", "12 days"
    static func duration(seconds: UInt64) -> String {
        let (number, unit) =
            switch seconds {
            case ..<120: (seconds, "second")
            case ..<7200: (seconds / 60, "minute")
            case ..<172_800: (seconds / 3600, "hour")
            default: (seconds / 86_400, "day")
            }
        return "\(number) \(unit)\(number == 1 ? "" : "s")"
    }

    /// "2026-11-22 10:00:00 UTC"
    static func time(_ seconds: UInt64) -> String {
        let text = Date(timeIntervalSince1970: Double(seconds)).ISO8601Format()
        return text.replacing("T", with: " ").replacing("Z", with: " UTC")
    }
}
