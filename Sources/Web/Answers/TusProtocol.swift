import FoundationEssentials
import HTTPTypes
import Hummingbird
import Uploads

/// The words of tus 1.0.0, the protocol of resumable uploads (tus.io), and how its numbers are read.
enum TusProtocol {
    static let version = "1.0.0"
    static let extensions = "creation,creation-with-upload,checksum,expiration,termination"
    static let checksumAlgorithms = "sha256,sha1"
    /// That of tus, and the one that clients know which are generated from the description of the interface.
    static let contentTypes = ["application/offset+octet-stream", "application/octet-stream"]

    /// A count of bytes as tus writes it: digits and nothing else. `UInt64` alone would also take a plus sign.
    /// - Returns: `nil` when malformed, or beyond 64 bits.
    static func byteCount(_ text: String) -> UInt64? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return !text.isEmpty && text.utf8.allSatisfy(digits.contains) ? UInt64(text) : nil
    }

    /// Every answer about uploads has it, errors included.
    static func addVersion(to response: inout Response, for request: Request) {
        let path = request.uri.path
        let base = path.hasPrefix(GiveAddresses.base) ? GiveAddresses.base : "/api"
        guard path == "\(base)/uploads" || path.hasPrefix("\(base)/uploads/") else { return }
        response.headers[.tusResumable] = version
    }
}

extension HTTPField.Name {
    static let methodOverride = known("X-HTTP-Method-Override")
    static let tusResumable = known("Tus-Resumable")
    static let tusVersion = known("Tus-Version")
    static let tusExtension = known("Tus-Extension")
    static let tusMaxSize = known("Tus-Max-Size")
    static let tusChecksumAlgorithm = known("Tus-Checksum-Algorithm")
    static let uploadLength = known("Upload-Length")
    static let uploadDeferLength = known("Upload-Defer-Length")
    static let uploadConcat = known("Upload-Concat")
    static let uploadOffset = known("Upload-Offset")
    static let uploadMetadata = known("Upload-Metadata")
    static let uploadChecksum = known("Upload-Checksum")
    static let uploadExpires = known("Upload-Expires")
    /// Ours: the photo that an upload has become.
    static let safelightPhoto = known("Safelight-Photo")
    /// Ours: that a file was read which says something of photos.
    static let safelightSidecar = known("Safelight-Sidecar")
    /// Ours: whether that photo was there before.
    static let safelightDuplicate = known("Safelight-Duplicate")
}

extension Request {
    /// - Throws: `unsupportedTusVersion` unless the request speaks the version that we do.
    func requireTusVersion() throws(WebError) {
        guard headers[.tusResumable] == TusProtocol.version else { throw .unsupportedTusVersion }
    }

    /// A field that holds a count of bytes.
    /// - Throws: `malformedRequest` when it is missing or not a count.
    func tusByteCount(_ name: HTTPField.Name) throws(WebError) -> UInt64 {
        guard let text = headers[name] else { throw .malformedRequest("\(name.rawName) is missing") }
        guard let count = TusProtocol.byteCount(text) else {
            throw .malformedRequest("\(name.rawName) is not a count of bytes")
        }
        return count
    }
}

/// One iteration of the IETF's resumable uploads (draft-ietf-httpbis-resumable-upload). URLSession speaks one with every
/// file that it sends; clients name theirs by `Upload-Draft-Interop-Version`, and are answered in the same.
struct ResumableDraft: Equatable, Sendable {
    /// From draft-01 of 2023, which iOS 17 sends, to draft-15 of November 2026.
    static let versions = 3...9
    static let mediaType = "application/partial-upload"

    let version: Int

    /// Nil for a request that speaks none of them. Whoever names a version of tus as well means tus.
    init?(_ request: Request) {
        guard let text = request.field(.uploadDraft), request.field(.tusResumable) == nil,
            let version = Self.integer(text), Self.versions.contains(Int(clamping: version))
        else { return nil }
        self.version = Int(version)
    }

    /// Whether the upload ends with the request's body; nil where that is not said, or not understood.
    func isComplete(_ request: Request) -> Bool? {
        guard let text = request.field(completeness) else { return nil }
        switch Self.bareItem(text) {
        case "?1": return !isNegated
        case "?0": return isNegated
        default: return nil
        }
    }

    /// A count of bytes; nil where it is missing or no count, which the draft has servers pass over.
    func count(_ name: HTTPField.Name, of request: Request) -> UInt64? { request.field(name).flatMap(Self.integer) }

    /// Whether bytes that are appended have to be called so.
    var namesParts: Bool { version >= 6 }

    /// Where an upload stands.
    /// - Parameter mostBytes: of a file.
    func fields(_ status: UploadStatus, mostBytes: UInt64) -> HTTPFields {
        var fields = status.fields
        fields[.uploadDraft] = "\(version)"
        fields[completeness] = (status.photo != nil) != isNegated ? "?1" : "?0"
        if status.photo == nil { fields[.uploadLimit] = limit(of: status, mostBytes: mostBytes) }
        return fields
    }

    /// What the client is told of its upload before its bytes were read (104).
    func offer(_ status: UploadStatus, at location: String, mostBytes: UInt64) -> HTTPResponse {
        var head = HTTPResponse(status: .init(code: 104, reasonPhrase: "Upload Resumption Supported"))
        head.headerFields = [.uploadDraft: "\(version)", .location: location]
        head.headerFields[.uploadLimit] = limit(of: status, mostBytes: mostBytes)
        return head
    }

    /// What holds for every upload. A least size, though it is none, says that the length has to be known.
    static func limit(mostBytes: UInt64) -> String { "max-size=\(mostBytes), min-size=0" }

    /// Nil in iterations that had no such field.
    private func limit(of status: UploadStatus, mostBytes: UInt64) -> String? {
        guard version >= 6 else { return nil }
        let seconds = max(0, Int(status.expires.timeIntervalSinceNow))
        return "\(Self.limit(mostBytes: mostBytes)), \(version == 6 ? "expires" : "max-age")=\(seconds)"
    }

    /// The first iterations ask whether it is not complete.
    private var isNegated: Bool { version < 4 }

    private var completeness: HTTPField.Name { isNegated ? .uploadIncomplete : .uploadComplete }

    private static func integer(_ text: String) -> UInt64? { TusProtocol.byteCount(String(bareItem(text))) }

    /// A structured field's item (RFC 9651) without its parameters.
    private static func bareItem(_ text: String) -> Substring {
        let item = text.prefix { $0 != ";" }
        return item.drop { $0 == " " }.prefix { $0 != " " }
    }
}

extension HTTPField.Name {
    static let uploadDraft = known("Upload-Draft-Interop-Version")
    static let uploadComplete = known("Upload-Complete")
    static let uploadIncomplete = known("Upload-Incomplete")
    static let uploadLimit = known("Upload-Limit")
    static let acceptPatch = known("Accept-Patch")
}
