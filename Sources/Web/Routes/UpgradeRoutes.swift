import Hummingbird
import Releases

/// What a vault does not want to hear of.
struct UpgradeRoutes {
    private struct Skip: Decodable {
        let version: String
    }

    let access: Access
    let limits: WebLimits

    func add(to routes: RouteTable) {
        routes.on(.post, "/api/upgrade/skip") { request, context in
            let session = try await access.requireVaultSession(of: request, context)
            let skip = try await request.decodeJSON(Skip.self, limit: limits.passwordBodyByteCount, context)
            guard let version = SemanticVersion(skip.version) else {
                throw WebError.malformedJSON("version must be one, such as 1.8.0")
            }
            try await session.skip(version)
            return try Response(from: context.allowance, status: .ok, json: EmptyPayload())
        }
    }
}
