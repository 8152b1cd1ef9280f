import FoundationEssentials
import Hummingbird
import Records
import Vaults

/// How photos move in, as the page tells it: by a command on the host, and with what proof the last time.
struct MovingRoutes {
    let access: Access
    let configuration: WebConfiguration

    func add(to routes: RouteTable) {
        routes.on(.get, "/api/import") { request, context in
            let session = try await access.requireVaultSession(of: request, context)
            let last = try session.imports.last().map(LastImportPayload.init)
            return try context.answer(MovingPayload(command: configuration.importCommand, last: last))
        }
        routes.on(.get, "/api/sidecars") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let (waiting, count) = try await session.sidecars.waiting()
            return try context.answer(
                WaitingSidecarsPayload(
                    waiting: count, sidecars: waiting.rows(from: context.allowance, SidecarPayload.init)))
        }
        routes.on(.delete, "/api/sidecars") { request, context in
            try await access.session(of: request, context).sidecars.forget()
            return try context.answer(EmptyPayload())
        }
    }
}

/// How photos move in from elsewhere.
struct MovingPayload: Encodable, Sendable {
    /// For a shell on the host, without the names of files.
    let command: String
    /// Nil as long as nothing was imported.
    let last: LastImportPayload?
}

/// Files that say something of photos which have not come.
struct WaitingSidecarsPayload: Encodable {
    /// All of them, however many are listed.
    let waiting: Int
    let sidecars: [SidecarPayload]
}

/// What the last import proved.
struct LastImportPayload: Encodable, Sendable {
    /// RFC 3339.
    let at: String
    let proof: ImportProofPayload

    init(_ record: LastImportRecord) {
        at = UTCTime(Date(timeIntervalSince1970: Double(record.at) / 1000)).rfc3339
        proof = ImportProofPayload(record)
    }
}
