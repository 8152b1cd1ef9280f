import Bytes
import FoundationEssentials

/// Where objects of one purpose lie: a bucket of a store that speaks S3, and a beginning that all of their names have.
package struct BucketAddress: Sendable, Equatable {
    /// What was typed cannot be an address; the text says why.
    package struct Malformed: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    package static let scheme = "s3://"
    private static let amazon = "amazonaws.com"

    package let bucket: String
    /// Empty, or with a slash at its end.
    package let prefix: String
    package let region: String
    /// As the store is asked: `http` or `https`.
    let isEncrypted: Bool
    /// Of the `Host` field: with the port, unless it is the usual one.
    let host: String
    /// Before the key in a path: `/BUCKET/` where the bucket does not stand in the host's name.
    let root: String

    /// - Parameters:
    ///   - text: `s3://BUCKET/PREFIX`
    ///   - endpoint: `https://HOST[:PORT]`; nil stands for Amazon's
    ///   - region: nil stands for `us-east-1`, which most stores of one's own take, too
    ///   - namesBucketInHost: virtual-host style; nil stands for what the endpoint is known to want
    ///   - allowsPlainHTTP: also to another computer, where whoever is on the way sees names and sizes, and may change
    ///     what comes back
    /// - Throws: `Malformed`
    package init(
        _ text: String, endpoint: String? = nil, region: String? = nil, namesBucketInHost: Bool? = nil,
        allowsPlainHTTP: Bool = false
    ) throws {
        guard text.hasPrefix(Self.scheme) else { throw Malformed(description: "\(text) is not s3://BUCKET/PREFIX.") }
        let parts = text.dropFirst(Self.scheme.count).split(separator: "/", omittingEmptySubsequences: false)
        bucket = String(parts[0])
        guard (3...63).contains(bucket.utf8.count), bucket.utf8.allSatisfy(Self.isOfBucketName) else {
            throw Malformed(
                description: "\(bucket) is no bucket's name: 3 to 63 of small letters, digits, hyphens and full stops.")
        }
        let folders = parts.dropFirst().filter { !$0.isEmpty }
        guard folders.allSatisfy({ $0 != "." && $0 != ".." }) else {
            throw Malformed(description: "\(text) has . or .. among its parts.")
        }
        prefix = folders.map { $0 + "/" }.joined()
        self.region = region ?? "us-east-1"
        let place = endpoint ?? "https://s3.\(self.region).\(Self.amazon)"
        guard let url = URL(string: place), let name = url.host(), !name.isEmpty, url.user() == nil, url.query() == nil,
            url.path().isEmpty || url.path() == "/", let scheme = url.scheme, ["http", "https"].contains(scheme)
        else { throw Malformed(description: "\(place) is no endpoint: https://HOST or https://HOST:PORT.") }
        isEncrypted = scheme == "https"
        guard isEncrypted || allowsPlainHTTP || Self.isThisComputer(name) else {
            throw Malformed(
                description:
                    "\(place) is not encrypted: whoever is on the way would see names and sizes, and could change "
                    + "what comes back. If that is meant, say --plain-http.")
        }
        let isInHost = namesBucketInHost ?? name.hasSuffix(Self.amazon) && !bucket.contains(".")
        let literal = name.contains(":") ? "[\(name)]" : name
        let port = url.port.flatMap { $0 == (scheme == "https" ? 443 : 80) ? nil : ":\($0)" } ?? ""
        host = (isInHost ? bucket + "." : "") + literal + port
        root = isInHost ? "/" : "/\(bucket)/"
    }

    /// For people, and to tell one address from another.
    package var text: String { Self.scheme + bucket + "/" + prefix }

    /// The path of an object, percent-encoded; of the bucket without a key.
    func path(of key: String?) -> String {
        guard let key else { return root == "/" ? "/" : String(root.dropLast()) }
        return root + PercentEncoding.encodePath(prefix + key)
    }

    func url(path: String, query: String) -> String {
        "\(isEncrypted ? "https" : "http")://\(host)\(path)\(query.isEmpty ? "" : "?" + query)"
    }

    private static func isOfBucketName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func isThisComputer(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host == "[::1]"
            || host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." }
    }
}
