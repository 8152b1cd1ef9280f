import Bytes
import Discovery
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

extension ByteBuffer {
    private static let encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        return encoder
    }()

    /// - Throws: `Spent` where it is longer than the request may be answered.
    init(from allowance: Allowance, json value: some Encodable) throws {
        let bytes = try Self.encoder.encode(value)
        try allowance.take(.answer, bytes.count)
        self.init(bytes: bytes)
    }
}

extension Response {
    /// A picture that a camera reads a text from.
    init(qrCode text: String) throws {
        self.init(
            status: .ok, headers: [.contentType: "image/svg+xml"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: try QRCode(text).svg)))
    }
}

/// An answer without anything to say.
struct EmptyPayload: Encodable {}

extension Collection {
    /// The rows of a list that is answered, taken from what the request may take before one of them is made.
    /// - Throws: `Spent`, and what `make` throws.
    func rows<Row>(from allowance: Allowance, _ make: (Element) throws -> Row) throws -> [Row] {
        try allowance.take(.rows, count)
        return try map(make)
    }
}

/// The value of `Date`, which stays the same for a second.
enum DateField {
    private static let last = Mutex<(second: Int, text: String)>((.min, ""))

    static var now: String { text(at: Date()) }

    static func text(at moment: Date) -> String {
        let second = Int(moment.timeIntervalSince1970.rounded(.down))
        return last.withLock { last in
            if last.second != second {
                last = (second, UTCTime(Date(timeIntervalSince1970: Double(second))).httpDate)
            }
            return last.text
        }
    }
}

/// Header fields that HTTPTypes does not name.
extension HTTPField.Name {
    static let clearSiteData = known("Clear-Site-Data")
    static let crossOriginOpenerPolicy = known("Cross-Origin-Opener-Policy")
    static let entityTag = known("ETag")
    static let forwarded = known("Forwarded")
    static let host = known("Host")
    static let originAgentCluster = known("Origin-Agent-Cluster")
    static let permissionsPolicy = known("Permissions-Policy")
    static let referrerPolicy = known("Referrer-Policy")
    /// The id of the door whose space is meant.
    static let safelightDoor = known("Safelight-Door")
    /// Put there by the listener: the client speaks HTTP/1.0, and would take an answer with news for the answer.
    static let safelightOldHTTP = known("Safelight-Old-HTTP")
    static let secFetchSite = known("Sec-Fetch-Site")
    static let upgradeInsecureRequests = known("Upgrade-Insecure-Requests")
    static let xForwardedFor = known("X-Forwarded-For")
    static let xForwardedHost = known("X-Forwarded-Host")
    static let xForwardedProto = known("X-Forwarded-Proto")
    static let xRealIP = known("X-Real-IP")

    /// A name that is a token, as all those written here and in other files are.
    static func known(_ name: String) -> Self {
        guard let field = Self(name) else { preconditionFailure("not a token: \(name)") }
        return field
    }
}

/// Two codes that were defined for WebDAV (RFC 4918) and say exactly what is meant here.
extension HTTPResponse.Status {
    /// Some files of a form were kept, others not.
    static var multiStatus: Self { .init(code: 207, reasonPhrase: "Multi-Status") }
    /// The disk or the vault is full.
    static var insufficientStorage: Self { .init(code: 507, reasonPhrase: "Insufficient Storage") }
}

/// The fields that every answer has: they keep browsers to what our own pages need.
enum SecurityFields {
    /// Everything from this very host, nothing inline, and scripts only through the page's one Trusted Types policy.
    private static let contentSecurityPolicy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:",
        "media-src 'self' blob:", "connect-src 'self'", "worker-src 'self'", "manifest-src 'self'",
        "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
        "trusted-types vault",
    ].joined(separator: "; ")

    private static let fields: HTTPFields = [
        .contentSecurityPolicy: contentSecurityPolicy,
        .crossOriginOpenerPolicy: "same-origin",
        .crossOriginResourcePolicy: "same-origin",
        .originAgentCluster: "?1",
        .xContentTypeOptions: "nosniff",
        // With `no-referrer` browsers would send `Origin: null` with a plain form, which proves nothing.
        .referrerPolicy: "same-origin",
        .permissionsPolicy: "camera=(), microphone=(), geolocation=(), screen-wake-lock=(self)",
        .cacheControl: "no-store",
    ]

    /// A route's own value is left alone.
    static func add(to response: inout Response) {
        var headers = fields
        for field in response.headers where headers.contains(field.name) { headers[field.name] = nil }
        headers.append(contentsOf: response.headers)
        headers[.date] = DateField.now
        response.headers = headers
    }
}
