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
        return isGood
    }
}

extension StoreTrial.Question {
    /// Without these a copy is none.
    static let needed: Set<Self> = [.write, .read, .list, .parts]

    fileprivate var claim: PrintableText {
        switch self {
        case .write: "takes an object"
        case .read: "gives it back as it was"
        case .range: "sends a part of an object"
        case .metadata: "keeps what is said of an object"
        case .list: "lists an object once it is written"
        case .keepsFirst: "keeps the first of two that are written with If-None-Match"
        case .keepsCurrent: "refuses a stale If-Match"
        case .refusesDamage: "refuses what has changed on the way"
        case .parts: "puts a large object together from parts"
        case .delete: "deletes"
        }
    }

    fileprivate var consequence: PrintableText {
        switch self {
        case .write, .read, .list: "A copy there would be none: choose another store."
        case .parts: "Large videos cannot be kept there: choose another store."
        case .range: "Rehearsing and restoring fetch large photos and videos again and again: they take longer."
        case .metadata: "After a copy that was cut off everything without a state is sent again."
        case .keepsFirst: "A photo may be sent twice; it is the same one, and no harm."
        case .keepsCurrent: "Nothing of off-site copies needs it."
        case .refusesDamage:
            "What changes on the way is noticed only when it is read: rehearse often (safelight rehearse)."
        case .delete:
            "Old states stay, and cost. Whoever takes this computer over cannot remove them either, which may be meant."
        }
    }
}
