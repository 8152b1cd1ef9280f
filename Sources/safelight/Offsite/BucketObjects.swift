import Bucket
import Printing
import Records
import Store
import Threads

/// A bucket as the store's backups want it: for threads that wait.
struct BucketObjects: RemoteObjects {
    let client: BucketClient
    /// For what is put first of its name, where that is to be given up sooner than a copy.
    var quick: BucketClient?

    var place: String { client.address.text }
    var concurrency: Int { BucketClient.mostAtOnce }
    var urgent: any RemoteObjects { BucketObjects(client: quick ?? client) }
    var anew: any RemoteObjects { BucketObjects(client: client.anew, quick: quick?.anew) }
    var longestWhole: UInt64 { BucketClient.longestWhole }

    func requireGood() throws {
        let lacks = try waiting { try await client.lacks(StoreTrial.Question.needed) }
        guard lacks.isEmpty else {
            throw StoreError.unusable(
                "The store of \(place) cannot be trusted with copies. It lacks: \(lacks.joined(separator: "; ")). Choose "
                    + "another one (safelight bucket --check). Nothing was copied.")
        }
    }

    func pause(before attempt: Int) throws { try waiting { try await client.pause(before: attempt) } }

    func list(_ prefix: String, _ each: (_ name: String, _ byteCount: UInt64) throws -> Void) throws {
        var next: String?
        var order = ListOrder()
        repeat {
            let page = try waiting { [next] in try await client.list(prefix, next: next) }
            try order.take(page)
            for (name, byteCount) in page.objects { try each(name, byteCount) }
            next = page.next
        } while next != nil
    }

    func look(at name: String) throws -> (byteCount: UInt64, digest: String?)? {
        try waiting { try await client.head(name) }.map { ($0.byteCount, $0.digest) }
    }

    func put(
        _ name: String, byteCount: UInt64, isOnce: Bool,
        read: @escaping @Sendable (_ buffer: UnsafeMutableRawBufferPointer, _ offset: UInt64) throws -> Int
    ) throws -> String {
        try waiting {
            do {
                return try await client.put(name, ObjectBody(byteCount: byteCount, read: read), isOnce: isOnce).digest
            } catch BucketError.unreadable {
                throw StoreError.objectUnreadable
            }
        }
    }

    func putFirst(
        _ name: String, byteCount: UInt64,
        read: @escaping @Sendable (_ buffer: UnsafeMutableRawBufferPointer, _ offset: UInt64) throws -> Int
    ) throws -> FirstPut {
        try waiting {
            let other = try await (quick ?? client).putFirst(name, ObjectBody(byteCount: byteCount, read: read))
            return other.map { .taken(digest: $0) } ?? .stands
        }
    }

    func read(_ name: String, _ range: Range<UInt64>) throws -> [UInt8]? {
        try waiting { try await client.read(name, range) }
    }

    func remove(_ name: String) throws -> Bool {
        try waiting {
            do {
                try await client.delete(name)
                return true
            } catch BucketError.forbidden, BucketError.notOffered {
                return false
            }
        }
    }

    func endUnfinished() throws { _ = try waiting { try await client.endUnfinishedUploads() } }

    /// Never from a cooperative thread, which must not wait.
    private func waiting<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) throws -> R {
        let work = StartedWork<R>()
        Task {
            do {
                work.fulfil(.success(try await body()))
            } catch {
                work.fulfil(.failure(error))
            }
        }
        return try work.waitForResult().get()
    }
}

extension BucketOptions {
    /// Runs what copies or fetches, with the place that was named: a folder, or a bucket that is let go of afterwards.
    func using<R: Sendable>(
        _ text: String, _ body: (BackupPlace) async throws -> R
    ) async throws -> R {
        guard Self.isAddress(text) else { return try await body(.folder(text)) }
        let client = try client(for: text)
        do {
            let result = try await body(.elsewhere(BucketObjects(client: client)))
            await client.shutdown()
            return result
        } catch {
            await client.shutdown()
            throw error
        }
    }
}

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

/// The bucket that everything goes along to, tried before anything is trusted to it.
struct Tier: Sendable {
    let remote: BucketObjects
    private let clients: (objects: BucketClient, log: BucketClient)

    /// Nil where the configuration names none.
    /// - Throws: `StartFailure`, also where the store does not do what it must.
    static func open(_ settings: ObjectsSettings?) async throws -> Tier? {
        guard let settings else { return nil }
        let tier = try forReading(settings)
        do {
            try await tier.requireGood()
            return tier
        } catch {
            await tier.close()
            throw StartFailure.told(error)
        }
    }

    /// For who changes nothing there: what the store does with that matters to nobody.
    static func forReading(_ settings: ObjectsSettings) throws -> Tier {
        let clients = try settings.clients()
        return Tier(remote: BucketObjects(client: clients.objects, quick: clients.log), clients: clients)
    }

    func close() async {
        await clients.objects.shutdown()
        await clients.log.shutdown()
    }

    private func requireGood() async throws {
        let lacks = try await clients.log.lacks(StoreTrial.Question.neededByTier)
        guard lacks.isEmpty else {
            throw StartFailure(
                description: "The store of \(remote.place) cannot be trusted with more than copies. It lacks: "
                    + lacks.joined(separator: "; ")
                    + ". Remove objects from the configuration, or choose another store (safelight bucket --check). "
                    + "Nothing was changed.")
        }
    }
}
