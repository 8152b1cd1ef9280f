import HTTPTypes
import Hummingbird

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
