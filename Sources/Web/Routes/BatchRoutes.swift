import Hummingbird
import Vaults

/// Uploads that belong together, and the receipt of what was read back from disk.
struct BatchRoutes {
    private struct Creation: Encodable {
        let id: String
    }

    let access: Access

    func add(to routes: RouteTable) {
        routes.on(.post, "/api/batches") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            return try Response(status: .created, json: Creation(id: try await session.createBatch()))
        }
        routes.on(.post, "/api/batches/{id}/finish") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let status = try await session.finishBatch(try context.parameters.require("id"))
            return try Response(status: .accepted, json: BatchPayload(status))
        }
        routes.on(.get, "/api/batches/{id}") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let status = try await session.batch(try context.parameters.require("id"))
            return try Response(status: .ok, json: BatchPayload(status))
        }
    }
}
