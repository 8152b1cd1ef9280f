import Hummingbird
import Vaults

/// How photos move in, as the page tells it: by a command on the host, and with what proof the last time.
struct MovingRoutes {
    let access: Access
    let configuration: WebConfiguration

    func add(to routes: RouteTable) {
        routes.on(.get, "/api/import") { request, context in
            let session = try await access.requireVaultSession(of: request, context)
            let last = try session.imports.last().map(LastImportPayload.init)
            return try Response(status: .ok, json: MovingPayload(command: configuration.importCommand, last: last))
        }
    }
}
