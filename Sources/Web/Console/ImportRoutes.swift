import Bytes
import FoundationEssentials
import HTTPTypes
import Hummingbird
import Records
import Unlocking
import Vault
import Vaults

/// What `safelight import` does in the vault of whoever has its password: by the socket that only the daemon's user
/// reaches. The sources are read by the command, so that nothing of an archive is taken apart in here.
struct ImportRoutes {
    private static let bearer = "Bearer "
    /// A folder's path, and a few words.
    private static let mostReportBytes = 16 << 10
    /// 200 photos with the longest captions and many albums.
    private static let mostByteCount = 8 << 20

    let service: VaultService
    let access: Access

    func add(to routes: RouteTable) {
        routes.on(.post, "/import") { request, context in
            let opening = try await service.open(
                password: try Self.password(of: request), client: access.client(of: request, context))
            return try context.answer(ImportPayload.Session(token: opening.token), status: .created)
        }
        routes.on(.delete, "/import") { request, context in
            try await service.lock(try await session(of: request, context))
            return try context.answer(EmptyPayload())
        }
        routes.on(.get, "/import/unread") { request, context in
            let count = try await session(of: request, context).imports.unreadCount()
            return try context.answer(ImportPayload.Count(count: count))
        }
        routes.on(.put, "/import/photos/{name}") { request, context in
            let photo = try await receive(request, context)
            return try context.answer(ImportPayload.State(photo), status: .created)
        }
        routes.on(.put, "/import/proof") { request, context in
            let session = try await session(of: request, context)
            let proof = try await request.decodeJSON(ImportProofPayload.self, limit: Self.mostByteCount, context)
            try await session.imports.note(proof.record(at: Milliseconds.now))
            return try context.answer(EmptyPayload())
        }
        routes.on(.post, "/import/find", find)
        routes.on(.post, "/import/tell", tell)
        routes.on(.post, "/import/read", readAgain)
        routes.on(.post, "/import/states", states)
        addDoor(to: routes)
    }

    /// For `safelight import --door`, which sends what lies in a folder and opens no vault.
    private func addDoor(to routes: RouteTable) {
        routes.on(.post, "/import/door") { request, context in
            let token = try await service.sender(with: try Self.doorToken(of: request)).token
            return try context.answer(ImportPayload.Session(token: token), status: .created)
        }
        routes.on(.post, "/import/door/find") { request, context in
            let session = try await session(of: request, context, .sender)
            let file = try await request.decodeJSON(ImportPayload.DropQuestion.self, limit: Self.mostByteCount, context)
            let digest = try file.sha256.map(Self.digest)
            let isGiven =
                if let digest {
                    try await session.readBack(byteCount: file.size, sha256: digest)
                } else {
                    try await session.hasGiven(ofByteCount: file.size)
                }
            return try context.answer(ImportPayload.DropAnswer(isGiven: isGiven))
        }
        routes.on(.put, "/import/door/photos/{name}") { request, context in
            let session = try await session(of: request, context, .sender)
            let digest = try await session.give(
                try request.lastPathComponent(), path: try request.query("path"), byteCount: request.declaredByteCount,
                modifiedAt: try Self.modified(request)
            ) { try await $0.receive(request.body) }
            return try context.answer(ImportPayload.Dropped(sha256: digest.map(Hexadecimal.encode)), status: .created)
        }
        routes.on(.put, "/import/door/report") { request, context in
            let report = try await request.decodeJSON(
                ImportPayload.DropReport.self, limit: Self.mostReportBytes, context)
            service.note(report.trouble, ofFolder: report.folder)
            return try context.answer(EmptyPayload())
        }
    }

    @Sendable private func find(_ request: Request, _ context: WebContext) async throws -> Response {
        let session = try await session(of: request, context)
        let wanted = try await request.decodeJSON([ImportPayload.Content].self, limit: Self.mostByteCount, context)
        let contents = try wanted.map { (byteCount: $0.size, sha256: try Self.digest($0.sha256)) }
        let found = try await session.imports.find(contents).map { $0.map(ImportPayload.State.init) }
        return try context.answer(found)
    }

    @Sendable private func tell(_ request: Request, _ context: WebContext) async throws -> Response {
        let session = try await session(of: request, context)
        let wanted = try await request.decodeJSON([ImportPayload.Words].self, limit: Self.mostByteCount, context)
        guard wanted.count <= Session.Imports.mostPhotos else { throw WebError.malformedJSON("these are too many") }
        let photos = try await session.imports.tell(wanted.map { ($0.id, $0.words) })
        return try context.answer(photos.map(ImportPayload.State.init))
    }

    @Sendable private func states(_ request: Request, _ context: WebContext) async throws -> Response {
        let session = try await session(of: request, context)
        let wanted = try await request.decodeJSON(ImportPayload.IDs.self, limit: Self.mostByteCount, context)
        let photos = try await session.imports.photos(wanted.ids)
        return try context.answer(photos.map { $0.map(ImportPayload.State.init) })
    }

    @Sendable private func readAgain(_ request: Request, _ context: WebContext) async throws -> Response {
        let session = try await session(of: request, context)
        let wanted = try await request.decodeJSON(ImportPayload.IDs.self, limit: Self.mostByteCount, context)
        guard wanted.ids.count <= Session.Imports.mostPhotos else { throw WebError.malformedJSON("these are too many") }
        let photos = try await session.imports.readAgain(wanted.ids)
        return try context.answer(photos.map { $0.map(ImportPayload.State.init) })
    }

    private func receive(_ request: Request, _ context: WebContext) async throws -> Photo {
        let session = try await session(of: request, context)
        let waitsAs = try request.query("waitsAs")
        let upload = try await session.uploads.begin(
            name: try request.lastPathComponent(), declaredByteCount: request.declaredByteCount,
            lastModified: try Self.modified(request),
            path: waitsAs, readsSidecars: waitsAs != nil)
        return try await upload.receive(request.body)
    }

    private static func digest(_ text: String) throws -> [UInt8] {
        guard let digest = Hexadecimal.decode(text) else { throw WebError.malformedJSON("sha256 is not hexadecimal") }
        return digest
    }

    private static func modified(_ request: Request) throws -> Date? {
        try request.query("modified").flatMap { Int64($0) }.map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }

    /// - Throws: `notSignedIn`.
    private func session(
        of request: Request, _ context: WebContext, _ kind: Session.Kind = .vault
    ) async throws -> Session {
        guard let text = request.field(.authorization), text.hasPrefix(Self.bearer),
            let session = try await service.session(
                token: String(text.dropFirst(Self.bearer.count)), kind, of: access.client(of: request, context))
        else { throw WebError.notSignedIn }
        return session
    }

    private static func password(of request: Request) throws -> Password {
        try credentials(of: request).withPassword { try Password(utf8: $0) }
    }

    private static func doorToken(of request: Request) throws -> DoorToken {
        let token = try credentials(of: request).withPassword { DoorToken(ofCredential: $0) }
        guard let token else { throw VaultError.noSuchDoor }
        return token
    }

    /// - Throws: `notSignedIn`.
    private static func credentials(of request: Request) throws -> BasicCredentials {
        guard let text = request.field(.authorization), let credentials = BasicCredentials(authorization: text) else {
            throw WebError.notSignedIn
        }
        return credentials
    }
}
