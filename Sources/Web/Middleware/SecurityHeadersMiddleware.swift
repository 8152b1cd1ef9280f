import FoundationEssentials
import HTTPTypes
import Hummingbird

/// Puts the security headers on every answer, errors included. A route's own value is left alone.
struct SecurityHeadersMiddleware: RouterMiddleware {
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

    func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        var headers = Self.fields
        for field in response.headers where headers.contains(field.name) { headers[field.name] = nil }
        headers.append(contentsOf: response.headers)
        headers[.date] = CivilTime(Date()).httpDate
        response.headers = headers
        return response
    }
}
