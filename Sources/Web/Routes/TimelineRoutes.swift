import Hummingbird
import Records
import Vault
import Vaults

/// Photos by when they were taken.
struct TimelineRoutes {
    let access: Access

    func add(to routes: RouteTable) {
        routes.on(.get, "/api/timeline") { request, context in
            try await Self.months(of: .timeline, try await access.sessionOrCredentials(of: request, context), context)
        }
        routes.on(.get, "/api/timeline/{month}") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            return try await Self.month(of: .timeline, session, request, context)
        }
    }

    /// Months and how many of these photos each has.
    static func months(
        of scope: TimelineScope, _ session: Session, _ context: WebContext
    ) async throws -> Response {
        let months = try await session.photos.months(of: scope)
        return try Response(
            from: context.allowance, status: .ok,
            json: months.rows(from: context.allowance) { MonthCountPayload(month: $0.month, count: $0.count) })
    }

    /// Those of these photos that are of the month of the address.
    static func month(
        of scope: TimelineScope, _ session: Session, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let month = try month(of: context)
        let page = try await session.photos.page(
            of: month, in: scope, cursor: try request.query("cursor"), skipping: try skipped(request))
        return try Response(
            from: context.allowance, status: .ok, json: MonthPayload(month, page, from: context.allowance))
    }

    /// That of the address.
    static func month(of context: WebContext) throws -> CalendarMonth {
        guard let month = CalendarMonth(text: try context.parameters.require("month")) else {
            throw WebError.malformedRequest("a month is written as yyyy-mm")
        }
        return month
    }

    /// How many of the newest are left out, for whoever wants the middle of a long month at once.
    static func skipped(_ request: Request) throws -> Int {
        guard let text = try request.query("skip") else { return 0 }
        guard let count = Int(text), count >= 0 else {
            throw WebError.malformedRequest("skip is a number of photos")
        }
        return count
    }
}
