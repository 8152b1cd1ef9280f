import Hummingbird
import Vaults

/// Photos by when they were taken.
struct TimelineRoutes {
    let access: Access

    func add(to routes: RouteTable) {
        routes.on(.get, "/api/timeline") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let months = try await session.months()
            return try Response(
                status: .ok, json: months.map { MonthCountPayload(month: $0.month, count: $0.count) })
        }
        routes.on(.get, "/api/timeline/{month}") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            guard let month = CalendarMonth(text: try context.parameters.require("month")) else {
                throw WebError.malformedRequest("a month is written as yyyy-mm")
            }
            let page = try await session.photos(of: month, cursor: try request.query("cursor"))
            return try Response(status: .ok, json: MonthPayload(month, page))
        }
    }
}
