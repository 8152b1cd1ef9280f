import FoundationEssentials
import HTTPTypes
import Hummingbird
import Records

/// A request for a new upload, read from its header.
struct TusCreation {
    let request: UploadRequest
    /// The first bytes, if they come with it.
    let body: UploadBody?

    /// - Throws: `malformedRequest`, `unsupportedMediaType`.
    init(_ request: Request) throws {
        guard request.headers[.uploadDeferLength] == nil else {
            throw WebError.malformedRequest("its length has to be known: Upload-Defer-Length is not offered")
        }
        guard request.headers[.uploadConcat] == nil else {
            throw WebError.malformedRequest("a file is one upload: Upload-Concat is not offered")
        }
        guard (request.headers[.uploadOffset].flatMap { UInt64($0) } ?? 0) == 0 else {
            throw WebError.malformedRequest("an upload begins at its beginning")
        }
        body = request.hasBody ? try request.tusBody() : nil
        let field = request.headers[.uploadMetadata] ?? ""
        let metadata = try TusMetadata(field: field)
        self.request = UploadRequest(
            name: Self.name(metadata), byteCount: try request.tusByteCount(.uploadLength),
            lastModified: metadata.lastModified, taken: metadata.taken, clientID: metadata.clientID,
            batch: try request.query("batch") ?? metadata.batch, metadata: field.isEmpty ? nil : field,
            album: try request.query("album") ?? metadata.album,
            path: try request.query("path") ?? metadata.path)
    }

    /// Creating an upload twice makes one only if it is called the same.
    private static func name(_ metadata: TusMetadata) -> String {
        if let name = NamelessFile.given(metadata.filename) { return name }
        guard let moment = metadata.lastModified ?? (metadata.clientID == nil ? Date() : nil) else { return "photo" }
        return NamelessFile.name(declaredType: metadata.type, at: moment)
    }
}
