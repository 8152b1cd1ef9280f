import HTTPTypes
import Hummingbird

/// A body that is only a part of a file must never be taken for the file: nobody would notice before the original is
/// gone (RFC 9110 section 14.5).
enum WholeFile {
    /// Fields by which clients say where in a file the body belongs.
    private static let positions = ["Content-Range", "X-Content-Range", "X-Upload-Content-Range", "X-File-Offset"]
        .compactMap { HTTPField.Name($0) }
    private static let isComplete = HTTPField.Name("Upload-Complete")
    private static let isIncomplete = HTTPField.Name("Upload-Incomplete")
    /// Media types whose content is parts, or a piece of one.
    private static let types = ["multipart/byteranges", "multipart/x-byteranges", "message/partial"]
    /// Parameters of requests that bring one piece of several: how many there are, or which one this is.
    private static let counts: Set = [
        "dztotalchunkcount", "resumabletotalchunks", "flowtotalchunks", "chunks", "totalchunks", "qqtotalparts",
    ]
    private static let pieces: Set = ["partnumber", "uploadid"]

    /// - Throws: `partOfFile`.
    static func require(_ request: Request) throws(WebError) {
        let headers = request.headers
        guard !positions.contains(where: headers.contains) else { throw .partOfFile }
        if let name = isComplete, let value = headers[name], value.hasPrefix("?0") { throw .partOfFile }
        if let name = isIncomplete, let value = headers[name], value.hasPrefix("?1") { throw .partOfFile }
        // A resumable upload says so by another address; here it would be the rest of one.
        if headers[.tusResumable] == nil, let offset = headers[.uploadOffset], offset != "0" { throw .partOfFile }
        let type = headers[.contentType]?.lowercased() ?? ""
        guard !types.contains(where: type.hasPrefix) else { throw .partOfFile }
        guard !queryNamesPiece(of: request) else { throw .partOfFile }
    }

    private static func queryNamesPiece(of request: Request) -> Bool {
        guard let query = request.uri.query else { return false }
        return query.split(separator: "&").contains { pair in
            let sides = pair.split(separator: "=", maxSplits: 1)
            guard let name = sides.first?.lowercased() else { return false }
            return pieces.contains(name) || saysPiece(field: name, value: sides.dropFirst().first ?? "")
        }
    }

    /// Whether a form's field is worth reading.
    static func mayName(field: String) -> Bool { counts.contains(field.lowercased()) }

    /// Whether a field of a form says that its file is one of several pieces.
    static func saysPiece(field: String, value: some StringProtocol) -> Bool {
        counts.contains(field.lowercased()) && (Int(value) ?? 1) > 1
    }
}
