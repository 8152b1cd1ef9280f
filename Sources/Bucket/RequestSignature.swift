import Bytes
import FoundationEssentials
import Sealing
import Synchronization

/// Signs requests by AWS Signature Version 4, as stores that speak S3 want it: in the `Authorization` field, for one
/// service, with the key's path encoded once.
final class RequestSignature: Sendable {
    /// All that a signature covers.
    struct Request {
        var method: String
        /// Percent-encoded.
        var path: String
        /// As they are, in any order.
        var query: [(name: String, value: String)]
        /// Of the fields that are signed; `host` is among them.
        var fields: [(name: String, value: String)]
        /// SHA-256 of the body in hexadecimal digits.
        var payloadHash: String
    }

    /// SHA-256 of nothing.
    static let emptyPayloadHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    private struct DayKey {
        var day: String
        var key: SharedSecret
    }

    private let keys: BucketKeys
    private let region: String
    private let service: String
    private let current = Mutex<DayKey?>(nil)

    init(_ keys: BucketKeys, region: String, service: String = "s3") {
        self.keys = keys
        self.region = region
        self.service = service
    }

    /// `20150830T123600Z`, of UTC.
    static func stamp(_ time: Date) -> String {
        String(time.ISO8601Format().filter { $0 != "-" && $0 != ":" })
    }

    /// - Parameter stamp: the value of the signed field `x-amz-date`
    /// - Returns: the value of `Authorization`
    func authorization(for request: Request, at stamp: String) throws -> String {
        let day = String(stamp.prefix(8))
        let scope = "\(day)/\(region)/\(service)/aws4_request"
        let canonical = Self.canonical(request)
        let digest = Hexadecimal.encode(try SHA256Hasher.hash(Array(canonical.text.utf8)))
        let text = "AWS4-HMAC-SHA256\n\(stamp)\n\(scope)\n\(digest)"
        var code = try HMACSHA256(key: key(of: day).bytes)
        let signature = try code.authenticate(Array(text.utf8))
        return "AWS4-HMAC-SHA256 Credential=\(keys.id)/\(scope), SignedHeaders=\(canonical.signedFields), "
            + "Signature=\(Hexadecimal.encode(signature))"
    }

    static func query(_ query: [(name: String, value: String)]) -> String {
        query.map { (PercentEncoding.encodePathPart($0.name), PercentEncoding.encodePathPart($0.value)) }
            .sorted { $0 < $1 }.map { "\($0)=\($1)" }.joined(separator: "&")
    }

    private static func canonical(_ request: Request) -> (text: String, signedFields: String) {
        let fields = request.fields.map { ($0.name.lowercased(), collapsed($0.value)) }.sorted { $0.0 < $1.0 }
        let names = fields.map(\.0).joined(separator: ";")
        let lines = fields.map { "\($0):\($1)\n" }.joined()
        let text = [
            request.method, request.path, Self.query(request.query), lines, names, request.payloadHash,
        ].joined(separator: "\n")
        return (text, names)
    }

    /// Without blanks at both ends, and with one where there are several.
    private static func collapsed(_ value: String) -> String {
        value.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
    }

    /// The same for all requests of a day.
    private func key(of day: String) throws -> SharedSecret {
        try current.withLock { current in
            if let current, current.day == day { return current.key }
            var key = keys.signingSecret
            for part in [day, region, service, "aws4_request"] {
                key = SharedSecret(try HMACSHA256.key(from: Array(part.utf8), under: key.bytes))
            }
            current = DayKey(day: day, key: key)
            return key
        }
    }
}
