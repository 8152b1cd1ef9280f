import ArgumentParser
import Bucket
import Glibc
import Printing
import Records
import Synchronization

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
