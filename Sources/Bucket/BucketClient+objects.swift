import NIOHTTP1
import XML

/// What a store says of an object without sending it.
package struct StoredObject: Sendable, Equatable {
    package var byteCount: UInt64
    /// As the store gave it, with its quotation marks.
    package var entityTag: String?
    /// In hexadecimal digits, as whoever put it said; nil where the store has kept no metadata.
    package var digest: String?
}

/// Up to 1,000 objects, in the order of their keys.
package struct ListPage: Sendable {
    /// Behind the address's prefix.
    package var objects: [(key: String, byteCount: UInt64)] = []
    /// Nil at the end.
    package var next: String?
}

extension BucketClient {
    static let digestField = "x-amz-meta-sha256"

    /// Nil when there is no such object.
    /// - Throws: `BucketError`, as all of these do
    package func head(_ key: String) async throws -> StoredObject? {
        do {
            let answer = try await ask(StoreRequest(method: .HEAD, key: key))
            return StoredObject(
                byteCount: answer.fields.first(name: "Content-Length").flatMap { UInt64($0) } ?? 0,
                entityTag: answer.fields.first(name: "ETag"), digest: answer.fields.first(name: Self.digestField))
        } catch BucketError.absent {
            return nil
        }
    }

    /// The bytes of a range, fewer where the object ends; nil when there is no such object.
    package func read(_ key: String, _ range: Range<UInt64>) async throws -> [UInt8]? {
        do {
            return try await readOnce(key, range)
        } catch BucketError.absent {
            return nil
        } catch BucketError.strange(let reason) where reason.hasPrefix("416") || reason.hasPrefix("400") {
            // It ends before the range does. Most send what there is then (RFC 9110, 14.2), and some refuse.
            guard let found = try? await head(key) else { throw BucketError.strange(reason) }
            let end = found.byteCount
            let rest = range.clamped(to: 0..<end)
            guard !rest.isEmpty else { return [] }
            guard rest != range else { throw BucketError.strange(reason) }
            return try await readOnce(key, rest)
        }
    }

    private func readOnce(_ key: String, _ range: Range<UInt64>) async throws -> [UInt8] {
        let value = "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
        return try await ask(
            StoreRequest(method: .GET, key: key, unsignedFields: [("Range", value)], window: range),
            atMost: range.count
        ).body
    }

    /// - Parameter prefix: behind the address's prefix
    package func list(_ prefix: String, next: String?, atMost count: Int = 1000) async throws -> ListPage {
        var query = [("list-type", "2"), ("prefix", address.prefix + prefix)]
        if count < 1000 { query.append(("max-keys", String(count))) }
        if let next { query.append(("continuation-token", next)) }
        let document = try await ask(StoreRequest(method: .GET, query: query)).document()
        guard document.name.local == "ListBucketResult" else { throw BucketError.strange("it lists nothing") }
        var page = ListPage()
        for entry in document.elements where entry.name.local == "Contents" {
            guard let key = entry.childText("Key"), key.hasPrefix(address.prefix),
                let byteCount = entry.childText("Size").flatMap({ UInt64($0) })
            else { throw BucketError.strange("a list names what was not asked for") }
            page.objects.append((String(key.dropFirst(address.prefix.count)), byteCount))
        }
        if document.childText("IsTruncated") == "true" {
            guard let token = document.childText("NextContinuationToken"), token != next else {
                throw BucketError.strange("a list does not say how it goes on")
            }
            page.next = token
        }
        return page
    }

    /// Also for what is not there.
    package func delete(_ key: String) async throws {
        do {
            _ = try await ask(StoreRequest(method: .DELETE, key: key))
        } catch BucketError.absent {}
    }

    // MARK: What was begun in parts and not ended

    /// Ends the uploads in parts below the address that nobody has completed: their parts cost as if they were objects.
    /// - Returns: how many there were; nil where the store does not tell, or does not let these keys.
    package func endUnfinishedUploads() async throws -> Int? {
        do {
            let document = try await ask(
                StoreRequest(method: .GET, query: [("uploads", ""), ("prefix", address.prefix)])
            ).document()
            var ended = 0
            for upload in document.elements where upload.name.local == "Upload" {
                guard let key = upload.childText("Key"), key.hasPrefix(address.prefix),
                    let id = upload.childText("UploadId")
                else { continue }
                try await endUpload(String(key.dropFirst(address.prefix.count)), id)
                ended += 1
            }
            return ended
        } catch let error as BucketError {
            switch error {
            case .unreachable, .busy: throw error
            // Nothing that was copied depends on it.
            default: return nil
            }
        }
    }

    func endUpload(_ key: String, _ id: String) async throws {
        do {
            _ = try await ask(StoreRequest(method: .DELETE, key: key, query: [("uploadId", id)]))
        } catch BucketError.absent {}
    }
}

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
