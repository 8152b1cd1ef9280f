import HTTPTypes
import Hummingbird
import Vaults

/// The daemon's health, for monitors: without a session, and without anything about vaults.
struct HealthRoutes {
    private struct Payload: Encodable {
        struct Check: Encodable {
            let status: String
            let output: String?
        }

        let status: String
        let version: String
        let checks: [String: [Check]]
    }

    /// The addresses of all these routes.
    static let addresses: Set<String> = ["/health", "/health/live"]

    let version: String
    let health: @Sendable () async -> Health

    func add(to routes: RouteTable) {
        routes.on(.get, "/health") { _, context in
            let health = await health()
            var checks: [String: [Payload.Check]] = [:]
            for check in health.checks {
                checks[check.name, default: []].append(.init(status: check.status.rawValue, output: check.output))
            }
            let payload = Payload(status: health.status.rawValue, version: version, checks: checks)
            return try Self.answer(health.status == .fail ? .serviceUnavailable : .ok, payload, context)
        }
        routes.on(.get, "/health/live") { _, context in
            try Self.answer(.ok, Payload(status: Health.Status.pass.rawValue, version: version, checks: [:]), context)
        }
    }

    private static func answer(
        _ status: HTTPResponse.Status, _ payload: Payload, _ context: WebContext
    ) throws -> Response {
        var response = try Response(from: context.allowance, status: status, json: payload)
        response.headers[.contentType] = "application/health+json"
        return response
    }
}
