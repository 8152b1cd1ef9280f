import NIOHTTP1
import XML

/// What became of an object that was put.
package struct PutOutcome: Sendable, Equatable {
    /// SHA-256 of its bytes, in hexadecimal digits.
    package var digest: String
    /// The same object was there: nothing was sent, or a request whose answer was lost had brought it.
    package var wasThere: Bool
}

extension BucketClient {
    /// - Parameters:
    ///   - isOnce: an object of this name never has other bytes. One that is there is left (`If-None-Match: *`), and
    ///     compared by the digest that it was put with; where that is another one, it is replaced.
    ///   - longestPart: from which on it goes in several requests
    /// - Throws: `BucketError`
    package func put(
        _ key: String, _ body: ObjectBody, isOnce: Bool, longestPart: UInt64? = nil
    ) async throws -> PutOutcome {
        let digested = try await readers.run {
            try DigestedBody(body, longestPart: longestPart ?? DigestedBody.longestPart)
        }
        do {
            try await send(key, digested, onlyIfAbsent: isOnce)
        } catch BucketError.conditionFailed where isOnce {
            let found = try await head(key)
            if found?.digest == digested.sha256, found?.byteCount == body.byteCount {
                return PutOutcome(digest: digested.sha256, wasThere: true)
            }
            try await send(key, digested, onlyIfAbsent: false)
        }
        return PutOutcome(digest: digested.sha256, wasThere: false)
    }

    /// What is never replaced, in one request: where another object has its name nothing is sent over it.
    /// - Returns: nil when it is there, by this request or an earlier one; else the digest of the one that is.
    package func putFirst(_ key: String, _ body: ObjectBody) async throws -> String? {
        let digested = try await readers.run { try DigestedBody(body, longestPart: DigestedBody.longestWhole) }
        do {
            try await send(key, digested, onlyIfAbsent: true)
            return nil
        } catch BucketError.conditionFailed {
            // Some show an object a moment before what is said of it.
            for _ in 0..<10 {
                if let found = try await head(key)?.digest { return found == digested.sha256 ? nil : found }
                try await world.sleep(.milliseconds(100))
            }
            throw BucketError.strange("it says that an object is there, and does not know its digest")
        }
    }

    private func send(_ key: String, _ body: DigestedBody, onlyIfAbsent: Bool) async throws {
        guard body.parts.count > 1 else {
            let answer = try await ask(
                request(
                    .PUT, key, body, body.parts[0], fields: condition(onlyIfAbsent) + [(Self.digestField, body.sha256)])
            )
            // A page for people, of whoever stands between.
            guard answer.body.isEmpty || answer.fields.contains(name: "ETag") else {
                throw BucketError.strange("it says that an object is there by a text and without a tag")
            }
            return
        }
        let id = try await beginUpload(key, digest: body.sha256)
        do {
            var tags: [String] = []
            for (index, part) in body.parts.enumerated() {
                let query = [("partNumber", String(index + 1)), ("uploadId", id)]
                let answer = try await ask(request(.PUT, key, body, part, query: query))
                guard let tag = answer.fields.first(name: "ETag") else {
                    throw BucketError.strange("it gives no tag for a part")
                }
                tags.append(tag)
            }
            try await completeUpload(key, id, tags, body, onlyIfAbsent: onlyIfAbsent)
        } catch {
            // What is left of it otherwise goes with the next run.
            try? await endUpload(key, id)
            throw error
        }
    }

    private func request(
        _ method: HTTPMethod, _ key: String, _ body: DigestedBody, _ part: BodyPart,
        query: [(name: String, value: String)] = [], fields: [(name: String, value: String)] = []
    ) -> StoreRequest {
        let readers = readers
        return StoreRequest(
            method: method, key: key, query: query, fields: fields + [("Content-MD5", part.md5)],
            payloadHash: part.sha256, body: { body.content(of: part, on: readers) })
    }

    private func condition(_ onlyIfAbsent: Bool) -> [(name: String, value: String)] {
        onlyIfAbsent ? [("If-None-Match", "*")] : []
    }

    private func beginUpload(_ key: String, digest: String) async throws -> String {
        let answer = try await ask(
            StoreRequest(method: .POST, key: key, query: [("uploads", "")], fields: [(Self.digestField, digest)]))
        guard let id = try answer.document().childText("UploadId"), !id.isEmpty else {
            throw BucketError.strange("it begins an upload in parts without a name")
        }
        return id
    }

    private func completeUpload(
        _ key: String, _ id: String, _ tags: [String], _ body: DigestedBody, onlyIfAbsent: Bool
    ) async throws {
        let list = tags.enumerated()
            .map { "<Part><PartNumber>\($0.offset + 1)</PartNumber><ETag>\(XMLText.escaped($0.element))</ETag></Part>" }
            .joined()
        let text = Array("<CompleteMultipartUpload>\(list)</CompleteMultipartUpload>".utf8)
        let document = try DigestedBody(ObjectBody(text))
        do {
            let answer = try await ask(
                request(
                    .POST, key, document, document.parts[0], query: [("uploadId", id)],
                    fields: condition(onlyIfAbsent)))
            // One that cannot be read may be half of a failure.
            _ = try answer.document()
        } catch BucketError.absent {
            // The upload is over: a request whose answer was lost may have completed it.
            let found = try await head(key)
            guard found?.digest == body.sha256, found?.byteCount == body.body.byteCount else {
                throw BucketError.busy(404)
            }
        }
    }
}
