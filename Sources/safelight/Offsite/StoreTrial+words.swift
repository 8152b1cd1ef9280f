import Bucket
import Printing

extension StoreTrial.Question {
    /// Without these a copy is none.
    static let needed: Set<Self> = [.write, .read, .list, .parts]
    /// Without these two hosts could both believe that they write, or nothing could be found again.
    static let neededByTier: Set<Self> = [.write, .read, .range, .metadata, .list, .keepsFirst, .parts, .delete]

    var claim: PrintableText {
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

    var consequence: PrintableText {
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

extension BucketClient {
    /// A store that does once what none should may have had a bad moment: it is tried again before that counts.
    private static let mostTrials = 3

    /// Tries the store.
    /// - Returns: what it does not do of what is needed, and what it does instead.
    /// - Throws: `BucketError` where nothing can be tried
    func lacks(_ needed: Set<StoreTrial.Question>) async throws -> [String] {
        var lacks: [String] = []
        for _ in 0..<Self.mostTrials {
            lacks = try await lacksNow(needed)
            if lacks.isEmpty { break }
        }
        return lacks
    }

    private func lacksNow(_ needed: Set<StoreTrial.Question>) async throws -> [String] {
        var lacks: [String] = []
        let trial = StoreTrial(self, name: String(UInt64.random(in: 0 ... .max), radix: 36))
        try await trial.run { finding in
            guard case .no(let instead) = finding.verdict, needed.contains(finding.question) else { return }
            lacks.append("\(finding.question.claim.string): \(instead)")
        }
        return lacks
    }
}
