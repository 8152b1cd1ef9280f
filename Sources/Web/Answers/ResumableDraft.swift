import FoundationEssentials
import HTTPTypes
import Hummingbird
import Uploads

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
