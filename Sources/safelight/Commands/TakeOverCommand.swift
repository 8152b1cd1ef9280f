import ArgumentParser
import Bucket
import Glibc
import Printing
import Records
import Store
import Synchronization

struct TakeOverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "take-over",
        abstract: "Makes this host the one that writes to the bucket which everything goes along to.",
        discussion: """
            For a new host, with the configuration of the former one (objects and its keys) and an absent or empty data \
            directory, which is made of what the bucket has; for a former host that is to go on again; and once for a data \
            directory that has photos, before objects is used: they are put into the bucket. Whoever wrote there before \
            saves nothing any more from this moment on, and says so. Can be interrupted and run again. Run it as the \
            daemon's user while the daemon is stopped, and start the daemon afterwards; one that stands by (serve --stand-by) \
            is told to take over, and goes on by itself. \(BucketOptions.aboutKeys) Exit \
            codes: 0 done, 64 usage, 74 not completed, for want of room, of a working disk or of a store that answers, 78 \
            unusable bucket, configuration or data directory.
            """)

    @OptionGroup var options: StoreOptions

    @Flag(
        help: ArgumentHelp(
            "Go on although an entry of the log is missing in the bucket: what was saved from there on is lost. With --from-disk "
                + "also without photos that neither that disk gives nor the bucket has."))
    var withoutLost = false

    @Flag(
        help: ArgumentHelp(
            "Let go, in 30 days, what an earlier take-over found in the bucket and no entry of the log lists."))
    var withoutUnlisted = false

    @Option(
        help: ArgumentHelp(
            "The data directory of the former host, or a copy of it: what it knows and the bucket has lost comes in. Before this "
                + "host serves, with an empty data directory here."))
    var fromDisk: String?

    func run() async throws {
        try await reportingFailures {
            umask(0o077)
            let settings = try await options.settings()
            let path = settings.vaults.dataPath
            guard try await !StoreWork.run("Look   ", { _ in try TierFollower.askToTakeOver(at: path) }) else {
                return Terminal.print("The process that stands by here takes over now.")
            }
            guard let tier = try await Tier.open(settings.objects) else {
                throw StartFailure(
                    description: "The configuration names no bucket that everything goes along to (objects).")
            }
            do {
                try await takeOver(settings, tier)
            } catch {
                await tier.close()
                throw error
            }
            await tier.close()
            Terminal.print("This host writes to \(tier.remote.place) now, and no other does. Start the daemon.")
        }
    }

    private func takeOver(_ settings: Settings, _ tier: Tier) async throws {
        let (path, remote) = (settings.vaults.dataPath, tier.remote)
        let (reserve, mayLose, mayLoseUnlisted) = (settings.vaults.reserveByteCount, withoutLost, withoutUnlisted)
        if let fromDisk {
            let isMore = try await StoreWork.run("Disk   ") {
                try FormerDisk(fromDisk, remote: remote).join(
                    to: path, mayLose: mayLose, note: { Terminal.complain("\($0)") }, progress: $0)
            }
            Terminal.print(
                isMore
                    ? "The former host's disk knows what the bucket has lost: this host goes on with all of it."
                    : "The bucket has all that the former host's disk knows.")
        }
        if try await StoreWork.run("Look   ", { _ in try TierRestoration.isNeeded(at: path) }) {
            try await StoreWork.run("Restore") { try TierRestoration(from: remote, to: path).run(progress: $0) }
        }
        try await StoreWork.run("Ledger ") { _ in
            var configuration = StoreConfiguration(
                path: path, reserveByteCount: reserve, note: { Terminal.complain("\($0)") })
            configuration.beginsNewStore = false
            let bar = SharedBar()
            configuration.tier = TierConfiguration(remote, intent: .takeOver) { bar.show($0, of: $1) }
            configuration.tier?.mayLose = mayLose
            configuration.tier?.mayLoseUnlisted = mayLoseUnlisted
            defer { bar.finish() }
            let (store, report) = try Store.open(configuration) {
                throw StoreError.unusable("There is no data directory at \(path).")
            }
            for note in report.notes { Terminal.complain("\(note)") }
            try store.close()
        }
    }
}

/// Photos on their way into the bucket, where there are any to be put there.
private final class SharedBar: Sendable {
    private let bar = Mutex<ProgressBar?>(nil)

    func show(_ done: Int, of total: Int) {
        bar.withLock { bar in
            guard total > 0 else { return }
            var shown = bar ?? ProgressBar("Photos ")
            shown.show(UInt64(done), of: UInt64(total))
            bar = shown
        }
    }

    func finish() { bar.withLock { $0?.finish() } }
}

struct BucketCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bucket",
        abstract: "Tries what a store that speaks S3 really does, before photos are trusted to it.",
        discussion: """
            Writes a few objects below the address, the largest of 5 MiB, and removes them again. \
            \(BucketOptions.aboutKeys) Exit codes: 0 good for off-site copies, 1 not good for them (it says why), \
            64 usage, 74 no answer, 78 unusable address, keys or clock.
            """)

    @Argument(help: "s3://BUCKET/PREFIX")
    var place: String

    @Flag(help: "Try it; nothing else is offered yet to do with a bucket by itself.")
    var check = false

    @OptionGroup var bucket: BucketOptions

    func validate() throws {
        guard check else { throw ValidationError("Say --check.") }
    }

    func run() async throws {
        try await reportingFailures {
            let client = try bucket.client(for: place)
            let findings = Findings()
            do {
                let trial = StoreTrial(client, name: String(UInt64.random(in: 0 ... .max), radix: 36))
                try await trial.run { findings.show($0) }
            } catch {
                await client.shutdown()
                throw StartFailure.told(error)
            }
            await client.shutdown()
            guard findings.conclude() else { throw ExitCode.damaged }
        }
    }
}

/// What was found so far, and what follows of it.
private final class Findings: Sendable {
    private let failed = Mutex<Set<StoreTrial.Question>>([])

    func show(_ finding: StoreTrial.Finding) {
        switch finding.verdict {
        case .yes: Terminal.print("yes  \(finding.question.claim)")
        case .no(let instead):
            failed.withLock { _ = $0.insert(finding.question) }
            Terminal.print("NO   \(finding.question.claim): \(instead)")
        }
    }

    /// - Returns: whether off-site copies may be kept there
    func conclude() -> Bool {
        let failed = self.failed.withLock(\.self)
        for question in StoreTrial.Question.allCases where failed.contains(question) {
            Terminal.print("     \(question.consequence)")
        }
        let isGood = failed.isDisjoint(with: StoreTrial.Question.needed)
        Terminal.print(isGood ? "Good for off-site copies." : "Not good for off-site copies.")
        Terminal.print(
            failed.isDisjoint(with: StoreTrial.Question.neededByTier)
                ? "Good for everything to go along (objects)." : "Not good for everything to go along (objects).")
        return isGood
    }
}
