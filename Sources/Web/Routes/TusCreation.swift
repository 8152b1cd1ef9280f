import HTTPTypes
import Hummingbird

/// A request for a new upload, read from its header.
struct TusCreation {
    let byteCount: UInt64
    /// As it was sent; HEAD gives it back.
    let metadataField: String
    let metadata: TusMetadata
    let checksum: TusChecksum?
    /// Whether the first bytes come with it.
    let hasBody: Bool

    /// - Throws: `malformedRequest`, `unsupportedMediaType`.
    init(_ request: Request) throws(WebError) {
        guard request.headers[.uploadDeferLength] == nil else {
            throw .malformedRequest("its length has to be known: Upload-Defer-Length is not offered")
        }
        guard request.headers[.uploadConcat] == nil else {
            throw .malformedRequest("a file is one upload: Upload-Concat is not offered")
        }
        hasBody = request.announcesBody
        guard !hasBody || request.isTusBody else { throw .unsupportedMediaType }
        byteCount = try request.tusByteCount(.uploadLength)
        metadataField = request.headers[.uploadMetadata] ?? ""
        metadata = try TusMetadata(field: metadataField)
        checksum = try request.tusChecksum()
    }
}

extension Request {
    /// `Upload-Checksum`, if there is one.
    func tusChecksum() throws(WebError) -> TusChecksum? {
        guard let field = headers[.uploadChecksum] else { return nil }
        return try TusChecksum(field: field)
    }
}
