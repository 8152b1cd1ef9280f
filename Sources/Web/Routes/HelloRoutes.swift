import Certificates
import Discovery
import HTTPTypes
import Hummingbird
import NIOCore
import Releases
import Vaults

/// What a page has to know before anything is typed; the same whether or not any vault exists.
struct HelloRoutes {
    private struct Payload: Encodable {
        struct Limits: Encodable {
            let fileBytes: UInt64
            /// How long a deleted photo can be put back.
            let trashDays: Int
        }

        let version: String
        let session: String
        let guests: Bool
        let registration: String
        let codeNeeded: Bool
        let secure: Bool
        /// What this host is trusted by: `authority`, `own`, or null while there is no certificate.
        let certificate: String?
        /// Whom people ask, in the owner's words; null where nobody is named.
        let contact: String?
        let limits: Limits
        /// The piece in which a resumable upload is best sent.
        let chunk = 8 * 1024 * 1024
    }

    let service: VaultService
    let access: Access
    let configuration: WebConfiguration

    func add(to routes: RouteTable) {
        routes.on(.get, "/api/hello") { request, context in
            let hello = service.hello()
            // The page comes up for those, too, who cannot be let in at the moment; the next request tells them.
            let session = try? await access.cookieSession(of: request, context, isUse: false)
            let payload = Payload(
                version: configuration.version, session: session?.kind.rawValue ?? "none",
                guests: hello.takesGuests,
                registration: hello.registration.rawValue,
                codeNeeded: service.codeNeeded(for: access.client(of: request, context)), secure: context.isSecure,
                certificate: configuration.certificate()?.kind.rawValue, contact: configuration.contact,
                limits: .init(fileBytes: hello.fileByteLimit, trashDays: hello.trashDays))
            return try context.answer(payload)
        }
    }
}

/// How the next device finds this host.
struct AddressRoutes {
    private struct Payload: Encodable {
        let addresses: [String]
        let reached: Bool
    }

    let access: Access
    let configuration: WebConfiguration

    func add(to routes: RouteTable) {
        routes.on(.get, "/api/addresses") { request, context in
            try await allow(request, context)
            let payload = Payload(addresses: configuration.addresses(), reached: configuration.reached())
            return try context.answer(payload)
        }
        routes.on(.get, "/api/qr.svg") { request, context in
            try await allow(request, context)
            guard let address = try request.query("address"), configuration.addresses().contains(address) else {
                throw WebError.notOurAddress
            }
            return try Response(qrCode: address)
        }
    }

    /// For who has opened a vault, or sits at the host itself.
    private func allow(_ request: Request, _ context: WebContext) async throws {
        if context.isLocalPeer { return }
        guard try await access.cookieSession(of: request, context) != nil else {
            throw WebError.notSignedIn
        }
    }
}

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
        var response = try context.answer(payload, status: status)
        response.headers[.contentType] = "application/health+json"
        return response
    }
}

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
            return try context.answer(EmptyPayload())
        }
    }
}
