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
