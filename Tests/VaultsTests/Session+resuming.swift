import NIOCore

@testable import Records
@testable import Uploads
@testable import Vaults

extension Session {
    /// Makes an upload without a body.
    func announce(
        _ byteCount: Int, name: String = "photo.jpg", clientID: String? = nil, batch: String? = nil
    ) async throws -> UploadStatus {
        let request = UploadRequest(name: name, byteCount: UInt64(byteCount), clientID: clientID, batch: batch)
        return try await uploads.create(request).status
    }

    /// Makes an upload whose address is told before its bytes are read, and begins to write to it.
    func beginToldFirst(_ byteCount: Int, name: String = "photo.jpg") async throws -> UploadCreation {
        let request = UploadRequest(
            name: name, byteCount: UInt64(byteCount), metadata: "resumable", isToldFirst: true)
        return try await uploads.create(request, body: UploadBody(byteCount: UInt64(byteCount)))
    }

    /// One request, whole.
    @discardableResult
    func send(_ bytes: some Sequence<UInt8>, to id: String, at offset: Int, digest: ExpectedDigest? = nil) async throws
        -> UploadStatus
    {
        let run = try await uploads.resume(id, at: UInt64(offset), body: UploadBody(digest: digest))
        do {
            try await run.append(ByteBuffer(bytes: bytes))
            return try await run.finish()
        } catch {
            await run.abandon()
            throw error
        }
    }

    /// One request that breaks off.
    func sendCut(_ bytes: some Sequence<UInt8>, to id: String, at offset: Int, digest: ExpectedDigest? = nil)
        async throws
    {
        let run = try await uploads.resume(id, at: UInt64(offset), body: UploadBody(digest: digest))
        try await run.append(ByteBuffer(bytes: bytes))
        await run.abandon()
    }

    /// The same, by a task that is cancelled before.
    func sendCancelled(_ bytes: ArraySlice<UInt8>, to id: String, at offset: Int) async throws {
        let run = try await uploads.resume(id, at: UInt64(offset), body: UploadBody())
        try await Task {
            try await run.append(ByteBuffer(bytes: bytes))
            withUnsafeCurrentTask { $0?.cancel() }
            await run.abandon()
        }.value
    }

    /// The whole of it, in requests of so many bytes.
    @discardableResult
    func resume(_ bytes: [UInt8], in part: Int, name: String = "photo.jpg", batch: String? = nil) async throws
        -> UploadStatus
    {
        var status = try await announce(bytes.count, name: name, batch: batch)
        for start in stride(from: 0, to: bytes.count, by: part) {
            status = try await send(bytes[start..<min(start + part, bytes.count)], to: status.id, at: start)
        }
        return status
    }
}
