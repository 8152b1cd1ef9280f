import Bytes
import Hummingbird
import Records
import Vaults

/// Uploads that belong together, and the receipt of what was read back from disk.
struct BatchRoutes {
    private struct Creation: Encodable {
        let id: String
    }

    let access: Access
    let reminder: UpgradeReminder
    var base = "/api"

    func add(to routes: RouteTable) {
        routes.on(.post, "\(base)/batches") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            return try Response(status: .created, json: Creation(id: try await session.batches.create()))
        }
        routes.on(.post, "\(base)/batches/{id}/finish") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let status = try await session.batches.finish(try context.parameters.require("id"))
            return try Response(status: .accepted, json: await payload(status, of: session, request))
        }
        // To be asked again and again until all is read back: that must not keep a page open that somebody has left.
        routes.on(.get, "\(base)/batches/{id}") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context, isUse: false)
            let status = try await session.batches.status(of: try context.parameters.require("id"))
            return try Response(status: .ok, json: await payload(status, of: session, request))
        }
    }

    private func payload(_ status: BatchStatus, of session: Session, _ request: Request) async -> BatchPayload {
        let isPage = request.headers[.authorization] == nil
        return BatchPayload(
            status, upgrade: await reminder.payload(after: status, of: session, isPage: isPage))
    }
}

/// How far a batch is; the receipt comes when it is done.
struct BatchPayload: Encodable {
    struct Line: Encodable {
        let name: String
        let size: UInt64
        let sha256: String
    }

    let id: String
    let total: Int
    let saved: Int
    let duplicates: Int
    let failed: Int
    let verified: Int
    let finished: Bool
    let done: Bool
    let receipt: [Line]?
    let upgrade: UpgradePayload?

    init(_ status: BatchStatus, upgrade: UpgradePayload?) {
        self.upgrade = upgrade
        id = status.id
        total = status.total
        saved = status.saved
        duplicates = status.duplicates
        failed = status.failed
        verified = status.verified
        finished = status.isFinished
        done = status.isDone
        receipt = status.receipt?.map {
            Line(name: $0.name, size: $0.byteCount, sha256: Hexadecimal.encode($0.sha256))
        }
    }
}
