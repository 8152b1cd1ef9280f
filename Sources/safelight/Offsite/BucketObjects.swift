import Bucket
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
