import FoundationEssentials
import Hummingbird
import Records
import Unlocking
import Vaults

/// Creating a vault, changing its password or its key, erasing it.
struct VaultRoutes {
    let service: VaultService
    let access: Access
    let limits: WebLimits

    func add(to routes: RouteTable) {
        routes.on(.post, "/api/vaults", create)
        routes.on(.put, "/api/vault/password", changePassword)
        routes.on(.post, "/api/vault/rotate", rotateKey)
        routes.on(.delete, "/api/vault", erase)
    }

    @Sendable private func create(_ request: Request, _ context: WebContext) async throws -> Response {
        let creation = try await readCreation(request, context)
        let earlier = await access.earlierSession(of: request, context)
        let opening = try await service.create(
            password: creation.password, confirmation: creation.confirmation, code: creation.code,
            client: access.client(of: request, context), makesRecoveryCode: creation.recovery ?? false,
            options: await access.options(keep: creation.keep, migrate: creation.migrate, of: request, context))
        await access.end(earlier: earlier, context)
        var response = try context.answer(OpeningPayload(opening), status: .created)
        response.setCookies(for: opening, at: context.cookiePlace)
        return response
    }

    @Sendable private func changePassword(_ request: Request, _ context: WebContext) async throws -> Response {
        let session = try await access.requireVaultSession(of: request, context)
        let (current, new, confirmation) = try await readChange(request, context)
        try await service.changePassword(
            session, current: current, new: new, confirmation: confirmation,
            client: access.client(of: request, context))
        return try context.answer(EmptyPayload())
    }

    @Sendable private func rotateKey(_ request: Request, _ context: WebContext) async throws -> Response {
        let session = try await access.requireVaultSession(of: request, context)
        let password = try await readPassword(request, context)
        let isFinished = try await service.rotateKey(
            session, password: password, client: access.client(of: request, context))
        return try context.answer(RotationPayload(finished: isFinished))
    }

    @Sendable private func erase(_ request: Request, _ context: WebContext) async throws -> Response {
        let session = try await access.requireVaultSession(of: request, context)
        let password = try await readPassword(request, context)
        try await service.erase(session, password: password, client: access.client(of: request, context))
        var response = try context.answer(EmptyPayload(), status: .accepted)
        response.expireVaultCookie(at: context.cookiePlace)
        response.headers[.clearSiteData] = "\"cache\""
        return response
    }

    // The raw fields go, overwritten, before the vault is asked; only locked memory is left.

    private struct Creation {
        let password: Password
        let confirmation: Password
        let code: String?
        let keep: Bool?
        let migrate: Bool?
        let recovery: Bool?
    }

    private func readCreation(_ request: Request, _ context: WebContext) async throws -> Creation {
        let fields = try await request.secretFields(limit: limits.passwordBodyByteCount, context)
        return Creation(
            password: try fields.password("password"), confirmation: try fields.password("confirmation"),
            code: try fields.text("code"), keep: try fields.boolean("keep"), migrate: try fields.boolean("migrate"),
            recovery: try fields.boolean("recovery"))
    }

    private func readChange(
        _ request: Request, _ context: WebContext
    ) async throws -> (current: Password, new: Password, confirmation: Password) {
        let fields = try await request.secretFields(limit: limits.passwordBodyByteCount, context)
        return (
            try fields.password("current"), try fields.password("password"), try fields.password("confirmation")
        )
    }

    private func readPassword(_ request: Request, _ context: WebContext) async throws -> Password {
        try await request.secretFields(limit: limits.passwordBodyByteCount, context).password("password")
    }
}

/// A vault has another key.
struct RotationPayload: Encodable {
    /// Whether the slots hold it; else the next opening writes it there.
    let finished: Bool
}

/// Further passwords, recovery code, passkeys and programs' codes of the open vault.
struct WayRoutes {
    let service: VaultService
    let access: Access
    let configuration: WebConfiguration

    func add(to routes: RouteTable) {
        routes.on(.get, "/api/vault/ways") { request, context in
            let session = try await access.requireVaultSession(of: request, context)
            let ways = try service.ways(of: session).rows(from: context.allowance) { WayPayload($0) }
            return try context.answer(WayPayload.List(ways: ways))
        }
        routes.on(.post, "/api/vault/ways", create)
        routes.on(.delete, "/api/vault/ways/{id}", remove)
    }

    @Sendable private func create(_ request: Request, _ context: WebContext) async throws -> Response {
        let session = try await access.requireVaultSession(of: request, context)
        let client = access.client(of: request, context)
        switch try await readWish(request, context) {
        case .password(let new, let confirmation, let common):
            let way = try await service.addPassword(
                session, current: common.current, new: new, confirmation: confirmation, label: common.label,
                client: client)
            return try context.answer(WayPayload(way), status: .created)
        case .recovery(let replaces, let common):
            let made = try await service.addRecoveryCode(
                session, current: common.current, replaces: replaces, label: common.label, client: client)
            return try context.answer(WayPayload(made.way, code: made.code), status: .created)
        case .app(let common):
            let made = try await service.addAppCode(
                session, current: common.current, label: common.label, client: client)
            let pairing = AppPairing(
                to: configuration.addresses(), presenting: configuration.certificate(), code: made.code)
            return try context.answer(
                WayPayload(made.way, code: made.code, pairing: pairing?.text, picture: try pairing?.picture()),
                status: .created)
        case .passkey(let secret, let rebinds, let common):
            let made = try await service.addPasskey(
                session, current: common.current, secret: secret, rebinds: rebinds, label: common.label,
                client: client)
            return try context.answer(WayPayload(made.way), status: made.isNew ? .created : .ok)
        }
    }

    @Sendable private func remove(_ request: Request, _ context: WebContext) async throws -> Response {
        let session = try await access.requireVaultSession(of: request, context)
        let id = try context.parameters.require("id")
        let current = try await readCurrent(request, context)
        try await service.removeWay(session, id, current: current, client: access.client(of: request, context))
        var response = try context.answer(EmptyPayload())
        // The session may have come that way.
        if session.isEnded { response.expireVaultCookie(at: context.cookiePlace) }
        return response
    }

    // The raw fields go, overwritten, before the vault is asked; only locked memory is left.

    private struct Common {
        let current: Password
        let label: String
    }

    private enum Wish {
        case password(Password, confirmation: Password, Common)
        case recovery(replaces: Bool, Common)
        case passkey(PasskeySecret, rebinds: Bool, Common)
        case app(Common)
    }

    private func readWish(_ request: Request, _ context: WebContext) async throws -> Wish {
        let fields = try await request.secretFields(limit: configuration.limits.passwordBodyByteCount, context)
        let common = Common(current: try fields.password("current"), label: try fields.text("label") ?? "")
        switch try fields.text("kind") {
        case "password":
            return .password(
                try fields.password("password"), confirmation: try fields.password("confirmation"), common)
        case "recovery": return .recovery(replaces: try fields.boolean("replace") ?? false, common)
        case "passkey":
            guard let secret = try fields.passkey("secret") else { throw VaultError.passkeyInvalid }
            return .passkey(secret, rebinds: try fields.boolean("rebind") ?? false, common)
        case "app": return .app(common)
        default: throw WebError.malformedJSON("kind must be password, recovery, passkey or app")
        }
    }

    private func readCurrent(_ request: Request, _ context: WebContext) async throws -> Password {
        try await request.secretFields(limit: configuration.limits.passwordBodyByteCount, context).password("current")
    }
}

/// A way into the open vault.
struct WayPayload: Encodable {
    struct List: Encodable {
        let ways: [WayPayload]
    }

    let id: String
    let kind: String
    let label: String
    let createdAt: String
    let current: Bool
    /// The recovery or app code that was just made; absent otherwise.
    let code: String?
    /// With an app code: the same with where this host is and how to know it, as an app reads it from `picture`.
    let pairing: String?
    /// SVG.
    let picture: String?

    init(_ way: Way, code: String? = nil, pairing: String? = nil, picture: String? = nil) {
        id = way.id
        kind = way.kind.name
        label = way.label
        createdAt = UTCTime(way.createdAt).rfc3339
        current = way.isCurrent
        self.code = code
        self.pairing = pairing
        self.picture = picture
    }
}
