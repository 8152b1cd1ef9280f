/// What head fields say of a content, of a request as of a form's part, by which it cannot be a file as it is.
enum ContentFields {
    /// Media types whose content is parts, a piece of one, or the way to one.
    private static let pieceTypes = [
        "multipart/byteranges", "multipart/x-byteranges", "message/partial", "message/external-body",
        "application/partial-upload", "application/offset+octet-stream", "application/x-sabredav-partialupdate",
    ]

    /// - Throws: `partOfFile` for a type by which the content cannot be a whole file.
    static func requireWhole(type: String?) throws(WebError) {
        let type = type?.lowercased() ?? ""
        guard !pieceTypes.contains(where: type.hasPrefix) else { throw .partOfFile }
    }

    /// - Parameter encoding: the value of `Content-Transfer-Encoding`
    /// - Throws: `unsupportedContentEncoding` where the bytes are not the file's own.
    static func requirePlain(_ encoding: String) throws(WebError) {
        guard ["binary", "8bit", "7bit"].contains(encoding.lowercased()) else { throw .unsupportedContentEncoding }
    }
}
