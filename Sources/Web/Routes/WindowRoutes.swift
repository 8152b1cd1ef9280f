import Bytes
import Hummingbird
import Records
import Unlocking
import Vault
import Vaults

/// Windows of the open vault: what is shown to others, and to whom.
struct WindowRoutes {
    private static let fields: Set = [
        "name", "lastDay", "photos", "albumID", "mostVisitors", "originals", "places", "password", "isShut", "doorID",
    ]

    let service: VaultService
    let access: Access
    let configuration: WebConfiguration

    private var limits: WebLimits { configuration.limits }

    func add(to routes: RouteTable) {
        routes.on(.get, "/api/windows") { request, context in
            let session = try await access.requireVaultSession(of: request, context)
            let windows = try await service.windows(of: session).rows(from: context.allowance) {
                payload($0, request, context)
            }
            return try context.answer(WindowListPayload(windows: windows))
        }
        routes.on(.post, "/api/windows") { request, context in
            let session = try await access.requireVaultSession(of: request, context)
            let window = try await service.makeWindow(
                try await change(request, context), of: session, client: access.client(of: request, context))
            return try context.answer(payload(window, request, context), status: .created)
        }
        routes.on(.patch, "/api/windows/{id}") { request, context in
            let session = try await access.requireVaultSession(of: request, context)
            let window = try await service.changeWindow(
                try context.parameters.require("id"), try await change(request, context), of: session,
                client: access.client(of: request, context))
            return try context.answer(payload(window, request, context))
        }
        routes.on(.delete, "/api/windows/{id}") { request, context in
            let session = try await access.requireVaultSession(of: request, context)
            try await service.closeWindow(try context.parameters.require("id"), of: session)
            return try context.answer(EmptyPayload())
        }
        routes.on(.get, "/api/windows/{id}/code.svg") { request, context in
            let session = try await access.requireVaultSession(of: request, context)
            let window = try await service.window(try context.parameters.require("id"), of: session)
            let text = try request.query("link") == nil ? window.code : link(window, request, context)
            return try Response(qrCode: text)
        }
    }

    private func change(_ request: Request, _ context: WebContext) async throws -> WindowChange {
        let fields = try await request.secretFields(limit: limits.idListByteCount, takesLists: true, context)
        try fields.requireKnown(Self.fields)
        var change = WindowChange()
        change.name = try fields.text("name")
        if let lastDay = try fields.text("lastDay") {
            guard let day = CivilDay.parse(lastDay) else { throw VaultError.lastDayInvalid }
            change.lastDay = day
        }
        change.photos = try fields.texts("photos")
        change.album = try fields.text("albumID")
        change.mostVisitors = try fields.number("mostVisitors").map { UInt32(clamping: $0) }
        change.hasOriginals = try fields.boolean("originals")
        change.showsPlaces = try fields.boolean("places")
        change.isShut = try fields.boolean("isShut")
        change.door = try fields.text("doorID")
        if try fields.withString("password", { $0 != nil }) { change.password = try fields.password("password") }
        return change
    }

    private func payload(_ window: Window, _ request: Request, _ context: WebContext) -> WindowPayload {
        WindowPayload(window, link: link(window, request, context))
    }

    private func link(_ window: Window, _ request: Request, _ context: WebContext) -> String {
        CodeLink(configuration, request, context).toWindow(window.code, window.record.terms.name)
    }
}

struct WindowListPayload: Encodable {
    let windows: [WindowPayload]
}

/// A window as its owner sees it.
struct WindowPayload: Encodable {
    let id: String
    let name: String
    let code: String
    let link: String
    let lastDay: String
    let state: String
    let originals: Bool
    let places: Bool
    let hasPassword: Bool
    /// Nil for any number.
    let mostVisitors: UInt32?
    let visitors: UInt32
    /// The day on which somebody new came last.
    let lastSeen: String?
    let albumID: String?
    /// Photos that are shown.
    let count: Int
    let createdAt: String
    let doorID: String?

    init(_ window: Window, link: String) {
        let terms = window.record.terms
        id = window.record.id.text
        name = terms.name
        code = window.code
        self.link = link
        lastDay = CivilDay.text(terms.lastDay)
        state = window.state.rawValue
        originals = terms.hasOriginals
        places = terms.showsPlaces
        hasPassword = terms.hasPassword
        mostVisitors = terms.mostVisitors == 0 ? nil : terms.mostVisitors
        visitors = window.visitorCount
        lastSeen = window.lastSeen.map(CivilDay.text)
        albumID = window.record.album?.text
        count = window.count
        createdAt = UTCTime(Milliseconds.date(window.record.createdAt)).rfc3339
        doorID = window.record.door?.text
    }
}
