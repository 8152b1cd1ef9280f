import Bytes
import Discovery
import HTTPTypes
import Hummingbird
import NIOCore
import Records
import Vault
import Vaults

/// Doors of the open vault: what they are called, what they take, what came through them.
struct DoorRoutes {
    let service: VaultService
    let access: Access
    let configuration: WebConfiguration

    private var limits: WebLimits { configuration.limits }

    func add(to routes: RouteTable) {
        routes.on(.get, "/api/doors") { request, context in
            let session = try await access.requireVaultSession(of: request, context)
            let doors = try await service.doors(of: session).rows(from: context.allowance) {
                payload($0, request, context)
            }
            return try context.answer(DoorListPayload(doors: doors))
        }
        routes.on(.post, "/api/doors") { request, context in
            let session = try await access.requireVaultSession(of: request, context)
            let wanted = try await change(request, context)
            let door = try await service.makeDoor(wanted, of: session)
            return try context.answer(payload(door, request, context), status: .created)
        }
        routes.on(.patch, "/api/doors/{id}") { request, context in
            let session = try await access.requireVaultSession(of: request, context)
            let wanted = try await change(request, context)
            let door = try await service.changeDoor(try context.parameters.require("id"), wanted, of: session)
            return try context.answer(payload(door, request, context))
        }
        routes.on(.delete, "/api/doors/{id}") { request, context in
            let session = try await access.requireVaultSession(of: request, context)
            try await service.removeDoor(try context.parameters.require("id"), of: session)
            return try context.answer(EmptyPayload())
        }
        routes.on(.get, "/api/doors/{id}/code.svg") { request, context in
            let session = try await access.requireVaultSession(of: request, context)
            let door = try await service.door(try context.parameters.require("id"), of: session)
            let text = try request.query("link") == nil ? door.code : link(door, request, context)
            return try Response(qrCode: text)
        }
        addArrivals(to: routes)
    }

    private func addArrivals(to routes: RouteTable) {
        routes.on(.get, "/api/doors/news") { request, context in
            let session = try await access.requireVaultSession(of: request, context)
            let news = try await service.doorNews(of: session).rows(from: context.allowance, DoorNewsPayload.init)
            return try context.answer(DoorNewsPayload.List(news: news))
        }
        routes.on(.delete, "/api/doors/news") { request, context in
            try await service.forgetDoorNews(of: try await access.requireVaultSession(of: request, context))
            return try context.answer(EmptyPayload())
        }
        routes.on(.get, "/api/doors/waiting") { request, context in
            let session = try await access.requireVaultSession(of: request, context)
            let photos = try await session.waitingPhotos().rows(from: context.allowance) { PhotoPayload($0) }
            return try context.answer(WaitingPayload(photos: photos))
        }
        routes.on(.post, "/api/doors/waiting/take") { request, context in
            let session = try await access.requireVaultSession(of: request, context)
            let list = try await request.decodeJSON(IDListPayload.self, limit: limits.idListByteCount, context)
            return try context.answer(CountPayload(count: try await session.takeWaiting(list.ids)))
        }
        routes.on(.post, "/api/doors/waiting/refuse") { request, context in
            let session = try await access.requireVaultSession(of: request, context)
            let list = try await request.decodeJSON(IDListPayload.self, limit: limits.idListByteCount, context)
            return try context.answer(CountPayload(count: try await session.refuseWaiting(list.ids)))
        }
    }

    private func change(_ request: Request, _ context: WebContext) async throws -> DoorChange {
        let wanted = try await request.decodeChange(
            DoorRequestPayload.self, limit: limits.passwordBodyByteCount, context)
        var change = DoorChange()
        change.name = wanted.name
        if let lastDay = wanted.lastDay {
            guard let day = CivilDay.parse(lastDay) else { throw VaultError.lastDayInvalid }
            change.lastDay = day
        }
        change.byteLimit = wanted.byteLimit
        change.photoLimit = wanted.photoLimit
        change.asksName = wanted.asksName
        change.looksFirst = wanted.lookFirst
        change.takesUnencrypted = wanted.unencrypted
        change.isShut = wanted.isShut
        return change
    }

    private func payload(_ door: Door, _ request: Request, _ context: WebContext) -> DoorPayload {
        DoorPayload(door, link: link(door, request, context))
    }

    private func link(_ door: Door, _ request: Request, _ context: WebContext) -> String {
        CodeLink(configuration, request, context)
            .toDoor(door.code, door.record.terms.name, takesUnencrypted: door.record.terms.takesUnencrypted)
    }
}

/// Addresses with a code, under which other devices reach this host: the one that the owner uses, if it is one of them.
/// The code stands behind `#`, so that it is in no log and in no `Referer`. The name follows it: whoever comes over plain
/// HTTP reads whose photos these are before the browser warns, and the host, which would need the code to know, is not asked
/// there.
struct CodeLink {
    private let origin: String

    init(_ configuration: WebConfiguration, _ request: Request, _ context: WebContext) {
        let own = "\(context.isSecure ? "https" : "http")://\(request.head.authority ?? "localhost")"
        let known = configuration.addresses()
        let address = known.first { $0 == own || $0 == own + "/" } ?? known.first ?? own
        origin = address.hasSuffix("/") ? String(address.dropLast()) : address
    }

    /// A door that takes what comes unencrypted says so in the address: codes of others are never sent that way.
    func toDoor(_ code: String, _ name: String, takesUnencrypted: Bool) -> String {
        let isUnencrypted = takesUnencrypted && origin.hasPrefix("http://")
        return link("give/\(isUnencrypted ? "?\(GiveAddresses.unencrypted)" : "")", code, name)
    }

    func toWindow(_ code: String, _ name: String) -> String { link("see/", code, name) }

    private func link(_ page: String, _ code: String, _ name: String) -> String {
        let name = Base64URL.encode(Array(name.utf8))
        return "\(origin)\(PageBase.current)/\(page)#\(code.filter { $0 != "-" })/\(name)"
    }
}

/// What the owner wants of a door.
struct DoorRequestPayload: ChangePayload {
    static let fields: Set = [
        "name", "lastDay", "byteLimit", "photoLimit", "asksName", "lookFirst", "unencrypted", "isShut",
    ]

    let name: String?
    /// As `2026-12-01`.
    let lastDay: String?
    let byteLimit: UInt64?
    let photoLimit: UInt32?
    let asksName: Bool?
    let lookFirst: Bool?
    let unencrypted: Bool?
    let isShut: Bool?
}

struct DoorListPayload: Encodable {
    let doors: [DoorPayload]
}

/// A door as its owner sees it.
struct DoorPayload: Encodable {
    let id: String
    let name: String
    let code: String
    let link: String
    let lastDay: String
    let state: String
    let asksName: Bool
    let lookFirst: Bool
    let unencrypted: Bool
    let byteLimit: UInt64
    let photoLimit: UInt32
    let givenBytes: UInt64
    let givenPhotos: UInt32
    /// Photos that wait for a look.
    let waiting: Int
    let albumID: String?
    let createdAt: String
    /// The last day on which what was given is kept where nobody opens the vault.
    let keptUntil: String
    /// The code of why something that came is still outside.
    let obstacle: String?

    init(_ door: Door, link: String) {
        let terms = door.record.terms
        id = door.record.id.text
        name = terms.name
        code = door.code
        self.link = link
        lastDay = CivilDay.text(terms.lastDay)
        state = door.state.rawValue
        asksName = terms.asksName
        lookFirst = terms.looksFirst
        unencrypted = terms.takesUnencrypted
        byteLimit = terms.byteLimit
        photoLimit = terms.photoLimit
        givenBytes = door.givenByteCount
        givenPhotos = door.givenPhotoCount
        waiting = door.waitingCount
        albumID = door.album?.text
        createdAt = UTCTime(Milliseconds.date(door.record.createdAt)).rfc3339
        keptUntil = CivilDay.text(terms.keptUntil)
        obstacle = door.obstacle?.code
    }
}

/// What came through one door, of which the owner was not told yet.
struct DoorNewsPayload: Encodable {
    struct List: Encodable {
        let news: [DoorNewsPayload]
    }

    struct Door: Encodable {
        let id: String
        let name: String
    }

    let door: Door
    let count: Int
    /// Names of those who said one.
    let givers: [String]
    /// Photos of those who said none.
    let unnamed: Int
    /// Photos that wait for a look.
    let waiting: Int
    /// The code of why something that came is still outside.
    let obstacle: String?

    init(_ news: DoorNews) {
        door = Door(id: news.door.id.text, name: news.door.terms.name)
        count = Int(clamping: news.door.newsCount)
        givers = news.door.newsGivers
        unnamed = Int(clamping: news.door.unnamedCount)
        waiting = news.waitingCount
        obstacle = news.obstacle?.code
    }
}

struct WaitingPayload: Encodable {
    let photos: [PhotoPayload]
}
