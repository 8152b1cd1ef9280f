import ArgumentParser
import Configuration
import Glibc
import Printing
import Records
import Store

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Makes a data directory from a backup, and checks it.",
        discussion: """
            The target must be absent or empty; nothing is ever replaced. Can be interrupted and run again. Run it as \
            the daemon's user, and start the daemon afterwards. Kept sessions of vaults are over; passwords, recovery \
            codes and passkeys open what they opened. \(BucketOptions.aboutKeys) Exit codes: 0 restored and sound, 1 some of \
            it is damaged (named), 64 usage, 74 not completed, for want of room, of a working disk or of a store that \
            answers, 78 unusable backup or target.
            """)

    @OptionGroup var options: StoreOptions

    @Option(help: "The folder of the backup, or s3://BUCKET/PREFIX.")
    var from: String

    @OptionGroup var bucket: BucketOptions

    @Option(help: "The data directory to make. Default: the configured one.")
    var to: String?

    @Option(help: "One of the states that the backup keeps, by the number in its name. Default: the newest.")
    var state: UInt64?

    func run() async throws {
        try await reportingFailures {
            umask(0o077)
            var values: [Setting: ConfigValue] = [:]
            if let to { values[.data] = ConfigValue(.string(to), isSecret: false) }
            let target = try await options.settings(values).vaults.dataPath
            let began = ContinuousClock.now
            let report = try await restore(to: target)
            let took = UInt64((ContinuousClock.now - began).components.seconds)
            for name in report.damaged { Terminal.print("DAMAGE \(name) of the backup is missing or has changed") }
            let isSound = Check.show(
                try await StoreWork.run("Check  ") { try StoreCheck.run(path: target, progress: $0) })
            Terminal.print(
                "Restored as of \(Figure.time(report.time)): \(Figure.count(report.objectCount, "object", "objects")), "
                    + "\(Figure.bytes(report.copiedByteCount)) copied in \(Figure.duration(seconds: took)).")
            if !report.damaged.isEmpty {
                Terminal.print(
                    "Where the fault may be of the moment, or another disk has what is missing: run this again before the "
                        + "daemon is started, and it goes on with what is missing.")
            }
            guard isSound, report.damaged.isEmpty else { throw ExitCode.damaged }
            Terminal.print("Sound.")
        }
    }

    private func restore(to target: String) async throws -> RestorationReport {
        let time = state
        do {
            return try await bucket.using(from) { place in
                try await StoreWork.run("Restore") { progress in
                    try Restoration(from: place, to: target).run(state: time, progress: progress)
                }
            }
        } catch let failure as StartFailure where failure.isOfDisk {
            Terminal.complain("\(failure.sentence) The data directory is not complete. Run this again to go on.")
            throw ExitCode.incomplete
        }
    }
}
