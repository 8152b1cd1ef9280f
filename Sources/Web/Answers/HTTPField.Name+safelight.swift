import HTTPTypes

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
