import HTTPTypes
import Hummingbird
import NIOCore
import Records
import Uploads
import Vaults

/// The body of a request on its way into an upload.
struct TusBody {
    private let request: Request

    init(_ request: Request) {
        self.request = request
    }

    /// Answers at once when somebody else ends the run, also while the client is silent.
    /// - Parameter skipped: bytes at the body's beginning that the upload has already.
    func send(to run: UploadRun, skipping skipped: UInt64 = 0) async throws -> UploadStatus {
        try await withThrowingTaskGroup(of: UploadStatus?.self) { group in
            // At once, so that what is there already is taken before anybody can end the run.
            group.addImmediateTask { try await feed(run, skipping: skipped) }
            group.addTask {
                await run.waitUntilEnded()
                return nil
            }
            while let status = try await group.next() {
                // Nobody waits for the body any longer, nor for the end.
                group.cancelAll()
                if let status { return status }
            }
            throw VaultError.internalFailure("a request without an end")
        }
    }

    private func feed(_ run: UploadRun, skipping skipped: UInt64) async throws -> UploadStatus {
        do {
            var left = skipped
            for try await piece in request.body {
                var piece = piece
                let known = Int(clamping: min(left, UInt64(piece.readableBytes)))
                piece.moveReaderIndex(forwardBy: known)
                left -= UInt64(known)
                if piece.readableBytes > 0 { try await run.append(piece) }
            }
            // A body that nobody waits for any longer may seem to end.
            if Task.isCancelled { await run.abandon() }
            return try await run.finish()
        } catch {
            let isCancelled = Task.isCancelled
            await run.abandon()
            guard isCancelled else { throw error }
            // It stopped waiting because the run had ended, and how is what counts.
            return try await run.finish()
        }
    }

    /// For a creation that was sent again, with its body, to an upload that got some of it the first time.
    func resend(_ body: UploadBody, to status: UploadStatus, in session: Session) async throws -> UploadStatus {
        guard status.photo == nil, body.digest == nil, (body.byteCount ?? .max) > status.offset else {
            return try await refuse(answering: status)
        }
        let rest = UploadBody(byteCount: body.byteCount.map { $0 - status.offset })
        let run = try await session.uploads.resume(status.id, at: status.offset, body: rest)
        return try await send(to: run, skipping: status.offset)
    }

    /// Reads what is not needed, since a browser that is still sending would take an early answer for a broken
    /// connection and try again for ever. A client that asks before it sends is answered at once.
    private func refuse(answering status: UploadStatus) async throws -> UploadStatus {
        guard request.headers[.expect] == nil else { return status }
        var byteCount: UInt64 = 0
        for try await piece in request.body {
            byteCount += UInt64(piece.readableBytes)
            guard byteCount <= status.byteCount else { break }
        }
        return status
    }
}

extension Request {
    /// What is announced of a body that is the bytes of an upload; parameters of its type do not matter.
    /// - Throws: `unsupportedMediaType` for another body, `malformedRequest`.
    func tusBody() throws(WebError) -> UploadBody {
        let type = headers[.contentType]?.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
        guard let type = type?.lowercased(), TusProtocol.contentTypes.contains(type) else {
            throw .unsupportedMediaType
        }
        var digest = try headers[.uploadChecksum].map { field throws(WebError) in
            try ExpectedDigest(uploadChecksum: field)
        }
        if digest == nil, let content = try AnnouncedDigests.sha256OfContent(headers) { digest = .sha256(content) }
        return UploadBody(byteCount: declaredByteCount, digest: digest)
    }
}

extension ExpectedDigest {
    /// `Upload-Checksum`: an algorithm, a space, the digest in base64 that the bytes of this request must have.
    /// - Throws: `malformedRequest`, also for an algorithm that is not offered, as tus asks.
    package init(uploadChecksum field: String) throws(WebError) {
        let words = field.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, let digest = Base64.decode(words[1]) else {
            throw .malformedRequest("Upload-Checksum is not an algorithm and its digest in base64")
        }
        switch (words[0], digest.count) {
        case ("sha256", 32): self = .sha256(digest)
        case ("sha1", 20): self = .sha1(digest)
        case ("sha256", _), ("sha1", _):
            throw .malformedRequest("Upload-Checksum is not as long as its algorithm makes it")
        default:
            throw .malformedRequest("Upload-Checksum is not one of \(TusProtocol.checksumAlgorithms)")
        }
    }
}
