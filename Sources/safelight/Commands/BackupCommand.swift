import ArgumentParser
import Configuration
import Glibc
import Printing
import Records
import Store

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies the data directory into a folder or to a bucket; the daemon may be running.",
        discussion: """
            Needs no password, and copies what is new only; what it copies it reads back. Can be interrupted and run \
            again: the former backup stays whole until the new one is. Run it as the daemon's user. Not in the backup \
            are previews, which are made again, the certificates (tls/), and the pepper file, if there is one. \
            \(BucketOptions.aboutKeys) Try a store before: safelight bucket --check. \
            Exit codes: 0 complete, 1 complete but for objects or key slots that are lost, 64 usage, 74 not completed, \
            for want of room, of a working disk or of a store that answers, 78 unusable configuration, data or target.
            """)

    @OptionGroup var options: StoreOptions

    @Option(
        help:
            "The folder of the backup, made where there is none, best on another disk; or s3://BUCKET/PREFIX, elsewhere."
    )
    var to: String

    @OptionGroup var bucket: BucketOptions

    @Flag(help: "Read everything that the backup has already, and copy again what has changed on its disk.")
    var verify = false

    @Option(help: "How many states to keep, this one with them; objects that they share are kept once.")
    var keep = 2

    func validate() throws {
        guard (1...1000).contains(keep) else { throw ValidationError("--keep must be from 1 to 1000.") }
    }

    func run() async throws {
        try await reportingFailures {
            umask(0o077)
            let settings = try await options.settings()
            let report = try await copy(settings)
            show(report, hasPepper: settings.vaults.pepperPath != nil)
            if !report.isWhole { throw ExitCode.damaged }
        }
    }

    private func copy(_ settings: Settings) async throws -> BackupReport {
        let (verifies, kept, dataPath) = (verify, keep, settings.vaults.dataPath)
        // What this disk has no more lies there alone.
        let home = try settings.objects.map { try Tier.forReading($0) }
        do {
            let report: BackupReport
            do {
                report = try await bucket.using(to) { place in
                    try await StoreWork.run("Backup") { progress in
                        try Backup(from: dataPath, with: home?.remote, to: place)
                            .run(verifies: verifies, keeping: kept, progress: progress)
                    }
                }
            } catch {
                await home?.close()
                throw error
            }
            await home?.close()
            return report
        } catch let failure as StartFailure where failure.isOfDisk {
            Terminal.complain(
                "\(failure.sentence) The backup was not completed; a former one is whole. Run it again to go on.")
            throw ExitCode.incomplete
        }
    }

    private func show(_ report: BackupReport, hasPepper: Bool) {
        let new = Figure.count(report.copiedObjectCount, "new one", "new ones")
        Terminal.print(
            "Backed up as of \(Figure.time(report.time)): \(Figure.count(report.objectCount, "object", "objects")), "
                + "\(new), \(Figure.bytes(report.copiedByteCount)) copied, \(report.removedObjectCount) removed.")
        if report.repairedObjectCount > 0 {
            Terminal.print(
                "\(report.repairedObjectCount) objects had changed in the backup, and were copied again: where it lies may be failing."
            )
        }
        if report.refusedStateCount > 0 || report.refusedObjectCount > 0 {
            Terminal.print(
                "The store keeps what is not needed any more (\(Figure.count(report.refusedStateCount, "state", "states")), "
                    + "\(Figure.count(report.refusedObjectCount, "object", "objects"))): these keys may not delete, or an "
                    + "object lock forbids it. If that is meant, nothing has to be done.")
        }
        for state in report.unreadableStates {
            Terminal.print(
                "The state \(state) of the backup is damaged. While it is kept, no objects are removed.")
        }
        if report.rescuedObjectCount > 0 {
            Terminal.print(
                "DAMAGE \(report.rescuedObjectCount) objects are lost in the data directory; the backup has them. "
                    + "Restore it.")
        }
        if report.missingObjectCount > 0 {
            Terminal.print("DAMAGE \(report.missingObjectCount) objects that the ledger lists are lost.")
        }
        if report.unreadableSlotCount > 0 {
            Terminal.print(
                "DAMAGE \(report.unreadableSlotCount) of \(SlotTable.slotCount) key slots cannot be read in the data directory, whose disk "
                    + "may be failing. Every password has twelve; former states of the backup are all kept.")
        }
        if hasPepper {
            Terminal.print(
                "The pepper file is not in the backup; without it no password opens anything. Keep a copy apart.")
        }
    }
}

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
