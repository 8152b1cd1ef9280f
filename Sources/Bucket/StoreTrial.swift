/// Tries what a store does with what it is asked: many that call themselves compatible leave parts of it out without
/// saying so. Everything that is written for it is removed again.
package struct StoreTrial: Sendable {
    /// One thing that was tried.
    package enum Question: String, CaseIterable, Sendable {
        case write, read, range, metadata, list, keepsFirst, keepsCurrent, refusesDamage, parts, delete
    }

    package enum Verdict: Sendable, Equatable {
        case yes
        /// What it did instead.
        case no(String)
    }

    package typealias Finding = (question: Question, verdict: Verdict)

    private static let partByteCount: UInt64 = 5 << 20
    private static let racerCount = 6
    private let client: BucketClient
    private let folder: String

    /// - Parameter name: random, so that two trials do not meet
    package init(_ client: BucketClient, name: String) {
        self.client = client
        folder = "safelight-trial-\(name)/"
    }

    /// - Parameter each: gets every finding once it is known
    /// - Throws: `BucketError` where nothing can be tried: no keys, no bucket, no answer
    package func run(_ each: (Finding) -> Void) async throws {
        // What fails here fails everywhere, and is no finding. Whether anybody answers is known soonest where nothing is sent.
        _ = try await client.list(folder, next: nil, atMost: 1)
        _ = try await client.put(folder + "first", ObjectBody(Array("0123456789".utf8)), isOnce: false)
        do {
            each((.write, .yes))
            try await tryReading(each)
            try await tryConditions(each)
            try await ask(.refusesDamage, each) { try await refusesDamage() }
            try await ask(.parts, each) { try await takesParts() }
            try await ask(.delete, each) { try await deletes() }
        } catch {
            await remove()
            throw error
        }
        await remove()
    }

    /// A refusal is a finding, too; only a store that does not answer ends the trial.
    private func ask(
        _ question: Question, _ each: (Finding) -> Void, _ body: () async throws -> Verdict
    ) async throws {
        do {
            each((question, try await body()))
        } catch let error as BucketError {
            switch error {
            // None of these says what the store can do.
            case .unreachable, .busy, .clockDiffers, .keysEnded, .keysUnknown: throw error
            default: each((question, .no(error.description)))
            }
        }
    }

    private func tryReading(_ each: (Finding) -> Void) async throws {
        let key = folder + "first"
        try await ask(.read, each) {
            try await client.read(key, 0..<100) == Array("0123456789".utf8)
                ? .yes : .no("what comes back is not what was written")
        }
        try await ask(.range, each) { try await answersRange(key) }
        try await ask(.metadata, each) {
            try await client.head(key)?.digest == nil ? .no("it forgets what is said of an object") : .yes
        }
        try await ask(.list, each) {
            let page = try await client.list(folder, next: nil)
            return page.objects.contains { $0.key == key && $0.byteCount == 10 }
                ? .yes : .no("an object is not listed after it was written")
        }
    }

    private func answersRange(_ key: String) async throws -> Verdict {
        let answer = try await client.ask(
            StoreRequest(method: .GET, key: key, unsignedFields: [("Range", "bytes=3-5")]))
        if answer.status == 206, answer.body == Array("345".utf8) { return .yes }
        return .no("asked for three bytes it sends \(answer.body.count), with status \(answer.status)")
    }

    private func tryConditions(_ each: (Finding) -> Void) async throws {
        let key = folder + "second"
        let first = try await client.ask(client.plainPut(key, "one", []))
        let alone = try await isRefused(client.plainPut(key, "two", [("If-None-Match", "*")]), key, "one")
        each((.keepsFirst, alone == .yes ? try await keepsFirstOfSeveral() : alone))
        guard let stale = first.fields.first(name: "ETag") else {
            each((.keepsCurrent, .no("it gives no tag")))
            return
        }
        _ = try await client.ask(client.plainPut(key, "three", []))
        each((.keepsCurrent, try await isRefused(client.plainPut(key, "four", [("If-Match", stale)]), key, "three")))
    }

    private func isRefused(_ request: StoreRequest, _ key: String, _ former: String) async throws -> Verdict {
        do {
            let answer = try await client.ask(request)
            let isKept = try await client.read(key, 0..<100) == Array(former.utf8)
            return .no("it answers \(answer.status) and \(isKept ? "keeps the former object" : "overwrites")")
        } catch BucketError.conditionFailed {
            let isKept = try await client.read(key, 0..<100) == Array(former.utf8)
            return isKept ? .yes : .no("it answers 412 and overwrites")
        } catch BucketError.notOffered {
            return .no("it knows no conditions")
        } catch BucketError.strange(let reason) {
            return .no("it answers \(reason)")
        }
    }

    /// Several that come at the same moment. A store that looks first and writes then tells more than one of them that it
    /// was the first: two hosts would both take themselves for the one that writes.
    private func keepsFirstOfSeveral() async throws -> Verdict {
        let key = folder + "race"
        let winners = try await withThrowingTaskGroup(of: String?.self) { group in
            for number in 0..<Self.racerCount {
                group.addTask {
                    let text = "racer \(number)"
                    do {
                        _ = try await client.ask(client.plainPut(key, text, [("If-None-Match", "*")]))
                        return text
                    } catch BucketError.conditionFailed {
                        return nil
                    }
                }
            }
            return try await group.reduce(into: [String]()) { if let text = $1 { $0.append(text) } }
        }
        guard winners.count < 2 else {
            return .no("of \(Self.racerCount) at once it tells \(winners.count) that they were the first")
        }
        // None has won where an answer was lost on its way and the request was sent again.
        let kept = try await client.read(key, 0..<100)
        return winners.allSatisfy { kept == Array($0.utf8) } ? .yes : .no("it keeps another one than it says")
    }

    /// The digest that is signed is the one of other bytes.
    private func refusesDamage() async throws -> Verdict {
        var request = try client.plainPut(folder + "third", "what was meant", [])
        let other = try DigestedBody(ObjectBody(Array("what has come.".utf8)))
        let readers = client.readers
        request.body = { other.content(of: other.parts[0], on: readers) }
        do {
            let answer = try await client.ask(request)
            return .no("it answers \(answer.status) to a body that does not match its digest")
        } catch BucketError.unreachable(let reason) {
            throw BucketError.unreachable(reason)
        } catch {
            return .yes
        }
    }

    private func takesParts() async throws -> Verdict {
        let count = Int(Self.partByteCount) + 3
        let bytes = [UInt8](repeating: 0x61, count: count - 3) + Array("end".utf8)
        let key = folder + "parts"
        _ = try await client.put(key, ObjectBody(bytes), isOnce: false, longestPart: Self.partByteCount)
        let end = try await client.read(key, Self.partByteCount - 1..<Self.partByteCount + 3)
        let object = try await client.head(key)
        return end == Array("aend".utf8) && object?.byteCount == UInt64(count)
            ? .yes : .no("what was put together is not what was sent")
    }

    private func deletes() async throws -> Verdict {
        let key = folder + "first"
        do {
            try await client.delete(key)
        } catch BucketError.forbidden(let reason) {
            return .no("these keys may not, or an object lock forbids it (\(reason))")
        }
        return try await client.head(key) == nil ? .yes : .no("what was deleted is still there")
    }

    /// What cannot be removed has been told by then.
    private func remove() async {
        for name in ["first", "second", "race", "third", "parts"] {
            do {
                try await client.delete(folder + name)
            } catch BucketError.unreachable {
                // Nor does it answer for the others, and each would be waited for.
                return
            } catch {}
        }
    }
}

extension BucketClient {
    /// For a few bytes that lie in memory.
    func plainPut(_ key: String, _ text: String, _ fields: [(name: String, value: String)]) throws -> StoreRequest {
        let body = try DigestedBody(ObjectBody(Array(text.utf8)))
        let readers = readers
        return StoreRequest(
            method: .PUT, key: key, fields: fields, payloadHash: body.sha256,
            body: { body.content(of: body.parts[0], on: readers) })
    }
}
