import Hummingbird

/// What the owner does to the running daemon from the host itself, by the socket that only the daemon's user reaches.
package struct ConsoleActions: Sendable {
    private let renewAuthority: @Sendable () async throws -> Void
    private let beginCountsAnew: @Sendable () -> Void

    /// - Parameters:
    ///   - renewAuthority: puts a new authority in place of the present one
    ///   - beginCountsAnew: lifts what limits of a day hold back
    package init(
        renewAuthority: @escaping @Sendable () async throws -> Void, beginCountsAnew: @escaping @Sendable () -> Void
    ) {
        self.renewAuthority = renewAuthority
        self.beginCountsAnew = beginCountsAnew
    }

    func add(to routes: RouteTable) {
        routes.on(.post, "/limits") { _, context in
            beginCountsAnew()
            return try Response(from: context.allowance, status: .ok, json: EmptyPayload())
        }
        routes.on(.post, "/authority") { _, context in
            do {
                try await renewAuthority()
                return try Response(from: context.allowance, status: .ok, json: EmptyPayload())
            } catch {
                // The reason is for whoever has typed the command.
                let problem = ProblemDetails(.conflict, "authority", "\(error)", "The present authority stays.")
                return try Response(from: context.allowance, status: problem.status, json: problem)
            }
        }
    }
}
