import HTTPTypes
import Hummingbird
import Media
import Search
import Vaults

/// Where photos were taken: the list of places, names of towns, a place put right by hand, journeys.
struct PlaceRoutes {
    let access: Access
    let limits: WebLimits

    func add(to routes: RouteTable) {
        addLists(to: routes)
        routes.on(.post, "/api/photos/place") { request, context in
            let session = try await access.session(of: request, context)
            let wanted = try await request.decodeChange(SaidPlacePayload.self, limit: limits.idListByteCount, context)
            let place = try wanted.place.map { try session.places.said($0.wanted) }
            let count = try await session.places.set(wanted.ids, to: place)
            return try context.answer(CountPayload(count: count))
        }
        routes.on(.post, "/api/trips/{from}/album") { request, context in
            let session = try await access.session(of: request, context)
            let wanted = try await request.decodeJSON(TripAlbumPayload.self, limit: limits.idListByteCount, context)
            let day = CalendarDate(text: try context.parameters.require("from")[...])
            let album = try await session.places.makeAlbum(ofTripFrom: day?.daysSinceEpoch, called: wanted.name)
            return try context.answer(AlbumPayload(album), status: .created)
        }
    }

    private func addLists(to routes: RouteTable) {
        routes.on(.get, "/api/places") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let naming = PlaceNaming(session.places.gazetteer, try Self.language(request))
            return try context.answer(PlaceListPayload(try await session.places.all(), naming, from: context.allowance))
        }
        routes.on(.get, "/api/places/names") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let naming = PlaceNaming(session.places.gazetteer, try Self.language(request))
            let text = try request.query("q", blanks: "+") ?? ""
            // What looks like one character may have any number of marks.
            guard text.utf8.count <= 8 * Session.Places.longestBeginning, text.count <= Session.Places.longestBeginning
            else {
                throw WebError.malformedRequest("a name has at most \(Session.Places.longestBeginning) characters")
            }
            let found = try await session.places.towns(beginning: text)
            return try context.answer(
                TownListPayload(
                    places: found.rows(from: context.allowance) { naming.town($0.town, count: $0.count) }
                        .compactMap(\.self)))
        }
        routes.on(.get, "/api/trips") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let naming = PlaceNaming(session.places.gazetteer, try Self.language(request))
            let trips = try await session.places.trips()
            return try context.answer(
                TripListPayload(trips: trips.rows(from: context.allowance) { TripPayload($0, naming) }))
        }
    }

    private static func language(_ request: Request) throws -> Gazetteer.Language {
        switch try request.query("lang") {
        case nil, "en": return .english
        case "de": return .german
        case "zh-Hans": return .simplifiedChinese
        case "zh-Hant": return .traditionalChinese
        default: throw WebError.malformedRequest("lang is en, de, zh-Hans or zh-Hant")
        }
    }
}
