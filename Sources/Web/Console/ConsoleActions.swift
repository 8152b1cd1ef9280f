import Hummingbird

/// What the owner does to the running daemon from the host itself, by the socket that only the daemon's user reaches.
package struct ConsoleActions: Sendable {
    private let renewAuthority: @Sendable () async throws -> Void

    /// - Parameter renewAuthority: puts a new authority in place of the present one
    package init(renewAuthority: @escaping @Sendable () async throws -> Void) {
        self.renewAuthority = renewAuthority
    }

    func add(to routes: RouteTable) {
        routes.on(.post, "/authority") { _, _ in
            do {
                try await renewAuthority()
                return try Response(status: .ok, json: EmptyPayload())
            } catch {
                // The reason is for whoever has typed the command.
                let problem = ProblemDetails(.conflict, "authority", "\(error)", "The present authority stays.")
                return try Response(status: problem.status, json: problem)
            }
        }
    }
}
