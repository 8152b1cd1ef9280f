import Hummingbird
import Records
import Releases
import Search
import Vault
import Vaults

/// Finding photos by words, by how they look, and twice.
struct SearchRoutes {
    let access: Access
    let limits: WebLimits
    let upgrade: @Sendable () -> Upgrade?

    func add(to routes: RouteTable) {
        routes.on(.get, "/api/search") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let found = try await session.search.find(
                try Self.query(request), cursor: try request.query("cursor"),
                skipping: try TimelineRoutes.skipped(request))
            return try context.answer(MonthPayload(found, from: context.allowance))
        }
        routes.on(.get, "/api/search/timeline") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let months = try await session.search.months(try Self.query(request))
            return try context.answer(
                months.rows(from: context.allowance) { MonthCountPayload(month: $0.month, count: $0.count) })
        }
        routes.on(.get, "/api/search/timeline/{month}") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let month = try TimelineRoutes.month(of: context)
            let found = try await session.search.find(
                try Self.query(request), in: month, cursor: try request.query("cursor"),
                skipping: try TimelineRoutes.skipped(request))
            return try context.answer(MonthPayload(month, found.page, from: context.allowance))
        }
        routes.on(.get, "/api/similar") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            guard let id = try request.query("photo") else { throw WebError.malformedRequest("it names no photo") }
            let found = try await session.search.similar(to: id)
            return try context.answer(
                SimilarPayload(
                    photos: found.rows(from: context.allowance) { PhotoPayload($0.photo, distance: $0.distance) }))
        }
        routes.on(.get, "/api/duplicates") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let page = try await session.search.duplicates(
                cursor: try request.query("cursor"), until: try PictureRoutes.deadline(request))
            return try context.answer(DuplicatesPayload(page, from: context.allowance))
        }
        routes.on(.post, "/api/duplicates/apart") { request, context in
            let session = try await access.session(of: request, context)
            let wanted = try await request.decodeJSON(MarkPayload.self, limit: limits.idListByteCount, context)
            let count = try await session.photos.setApart(wanted.ids, wanted.on)
            return try context.answer(CountPayload(count: count))
        }
        routes.on(.get, "/api/storage") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            // A program has nobody to tell.
            let news = request.field(.authorization) == nil ? upgrade() : nil
            let payload = StoragePayload(try await session.storage(), upgrade: news)
            return try context.answer(payload)
        }
    }

    private static let mostBytes = 8 * SearchQuery.mostCharacters

    /// What is said of a query is never what it says.
    private static func query(_ request: Request) throws -> String {
        let text = try request.query("q", blanks: "+") ?? ""
        // What looks like one character may have any number of marks.
        guard text.utf8.count <= mostBytes, text.count <= SearchQuery.mostCharacters else {
            throw WebError.malformedRequest("a search has at most \(SearchQuery.mostCharacters) characters")
        }
        return text
    }
}

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
        return try context.answer(
            months.rows(from: context.allowance) { MonthCountPayload(month: $0.month, count: $0.count) })
    }

    /// Those of these photos that are of the month of the address.
    static func month(
        of scope: TimelineScope, _ session: Session, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let month = try month(of: context)
        let page = try await session.photos.page(
            of: month, in: scope, cursor: try request.query("cursor"), skipping: try skipped(request))
        return try context.answer(MonthPayload(month, page, from: context.allowance))
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
