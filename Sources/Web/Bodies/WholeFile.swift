import Content
import HTTPTypes
import Hummingbird
import Records
import Uploads
import Vault

/// A body that is only a part of a file must never be taken for the file: nobody would notice before the original is
/// gone (RFC 9110 section 14.5).
enum WholeFile {
    /// Fields by which clients say how many bytes the whole file has.
    private static let sizes = [
        "Upload-Length", "X-Upload-Content-Length", "OC-Total-Length", "OC-Total-File-Length", "X-File-Size",
        "X-Expected-Entity-Length", "X-Amz-Decoded-Content-Length",
    ].compactMap { HTTPField.Name($0) }
    private static let transferEncoding = HTTPField.Name("Content-Transfer-Encoding")
    /// Of S3, whose bodies may be cut into signed pieces.
    private static let signedContent = HTTPField.Name("X-Amz-Content-Sha256")
    /// Parameters of addresses alone: in forms they also stand for whole files.
    private static let parameters: Set = ["uploadid", "upload_id", "comp"]
    /// Where the body begins in its file, if that is a number.
    private static let beginnings: Set = ["start", "begin", "position", "pos", "seek"]

    /// - Parameter isResumable: whether the rest may come with other requests, by the draft of which this one speaks.
    /// - Throws: `partOfFile`; `unsupportedContentEncoding` where the bytes are not the file's own; `malformedRequest` for a
    ///   form where a file is expected.
    static func require(_ request: Request, isResumable: Bool = false) throws(WebError) {
        let headers = request.headers
        var words = PieceWords()
        for field in headers { words.add(field.name.canonicalName, field.value) }
        if let query = request.uri.query { add(query, to: &words) }
        guard !words.sayPiece else { throw .partOfFile }
        if !isResumable {
            if let value = headers[.uploadComplete], saysNo(value) { throw .partOfFile }
            if let value = headers[.uploadIncomplete], !saysNo(value) { throw .partOfFile }
        }
        if headers.contains(.uploadConcat) { throw .partOfFile }
        try ContentFields.requireWhole(type: headers[.contentType])
        guard request.method != .put || headers[.contentType]?.lowercased().hasPrefix("multipart/form-data") != true
        else { throw .malformedRequest("a form is sent by POST, to an address without a name") }
        if let name = transferEncoding, let value = headers[name] { try ContentFields.requirePlain(value) }
        if let name = signedContent, headers[name]?.hasPrefix("STREAMING-") == true {
            throw .unsupportedContentEncoding
        }
    }

    /// How many bytes the file has that is this request's body, as far as it says; with a body in chunks also where only a
    /// field beside it tells.
    /// - Throws: `partOfFile` where the file has another number of bytes than the body.
    static func byteCount(of request: Request) throws(WebError) -> UInt64? {
        let declared = request.declaredByteCount
        guard let said = sizes.lazy.compactMap({ request.headers[$0].flatMap { UInt64($0) } }).first else {
            return declared
        }
        guard declared == nil || declared == said else { throw .partOfFile }
        return said
    }

    private static func add(_ query: String, to words: inout PieceWords) {
        for pair in query.utf8.split(separator: UInt8(ascii: "&"), maxSplits: Request.mostParameters).map(
            Substring.init)
        {
            let sides = pair.split(separator: "=", maxSplits: 1)
            guard let name = sides.first else { continue }
            let value = sides.count > 1 ? String(sides[1]) : ""
            switch name.lowercased() {
            case let name where parameters.contains(name): words.add("part-number", value)
            case let name where beginnings.contains(name): words.add("offset", value)
            default: words.add(String(name), value)
            }
        }
    }

    private static func saysNo(_ value: String) -> Bool {
        ["?0", "0", "no", "false"].contains(where: value.lowercased().hasPrefix)
    }
}

extension Upload {
    /// Streams a body into the vault; returns once it is on disk. One that breaks off leaves nothing.
    /// - Throws: `checksumMismatch` where it is not what was announced.
    func receive(_ body: RequestBody, _ announced: AnnouncedDigests? = nil) async throws -> Photo {
        do {
            let digests = try RunningDigests(announced?.expected.map(\.algorithm) ?? [])
            for try await piece in body {
                try digests.update(piece)
                try await append(piece)
            }
            if let announced, try !digests.match(announced) { throw VaultError.checksumMismatch }
            return try await finish()
        } catch {
            await abandon()
            throw error
        }
    }
}
