import Media
import TestSupport
import Testing

@testable import Search

@Suite("Photos by where they were taken")
struct PlaceSearchTests {
    private static let shared = Result { try Gazetteer(path: placesPath) }
    private let gazetteer: Gazetteer
    private let today = CalendarDate(year: 2026, month: 11, day: 30)

    init() throws { gazetteer = try Self.shared.get() }

    /// Photos of these coordinates, by days; their serials count from 1.
    private func library(_ photos: [(latitude: Double, longitude: Double, day: Int)]) throws -> Library {
        var (located, rows): ([Located], [SearchRow]) = ([], [])
        for (index, photo) in photos.enumerated() {
            var row = SearchRow(
                serial: UInt64(index + 1), shownAt: Int64(photo.day) * 86_400_000 + Int64(index), byteCount: 1,
                traits: [], name: "IMG_\(index).jpg")
            row.position = Place(latitude: photo.latitude, longitude: photo.longitude)
            if var place = row.position.flatMap(gazetteer.locate) {
                place.isNear = false
                row.location = located.firstIndex(of: place) ?? located.count
                if row.location == located.count { located.append(place) }
            }
            rows.append(row)
        }
        return Library(columns: columns(rows), names: PlaceNames(gazetteer, located), today: today)
    }

    private struct Library {
        let columns: SearchColumns
        let names: PlaceNames
        let today: CalendarDate

        func query(_ text: String) -> SearchQuery {
            SearchQuery(text, today: today, names: SearchNames(places: names))
        }

        func found(_ text: String) -> [UInt64] {
            columns.places(query(text), placeNames: names).map { columns.serials[$0] }.sorted()
        }
    }

    private let rome = (41.8902, 12.4922, 1)
    private let trastevere = (41.8880, 12.4700, 2)
    private let milan = (45.4642, 9.1900, 3)
    private let berlin = (52.5163, 13.3777, 4)
    private let sea = (30.0, -40.0, 5)

    @Test(
        "a place is found by its name in English, German and both Chinese scripts, and told as one",
        arguments: ["rome", "Rom", "ROMA", "罗马", "羅馬", "place:3169070"])
    func names(text: String) throws {
        let library = try library([rome, trastevere, milan, berlin, sea])
        #expect(library.found(text) == [1, 2])
        guard case .place(let names) = library.query(text).parts.first?.meaning else {
            Issue.record("\(text) is no place")
            return
        }
        #expect(library.names.id(names[0]) == "3169070")
    }

    @Test("a country finds all that was taken there", arguments: ["italy", "Italien", "意大利", "義大利", "place:IT"])
    func countries(text: String) throws {
        #expect(try library([rome, trastevere, milan, berlin, sea]).found(text) == [1, 2, 3])
    }

    @Test("a part of a name finds as a word does, and a place that no photo has is none")
    func words() throws {
        let library = try library([rome, milan, berlin])
        #expect(library.found("berl") == [3])
        #expect(library.query("berl").parts.map(\.meaning) == [.word(Array("berl".utf8))])
        #expect(library.query("paris").parts.map(\.meaning) == [.word(Array("paris".utf8))])
        #expect(library.found("paris").isEmpty)
        #expect(library.found("place:999") == [])
    }

    @Test("where two countries meet, neither finds a photo by its own name")
    func borders() throws {
        let library = try library([(50.7545, 6.0208, 1), berlin])
        #expect(library.found("germany") == [2])
        #expect(library.found("belgium").isEmpty)
        #expect(library.found("aachen") == [1])
    }

    @Test("a city counts its districts, and the place with most photos comes first")
    func counts() throws {
        let library = try library([berlin, rome, trastevere, milan, rome])
        let counts = library.columns.placeCounts(library.names)
        #expect(counts.first.map { library.names.id($0.name) } == "3169070")
        #expect(counts.first?.count == 3)
        #expect(counts.first.map { library.columns.serials[$0.newest] } == 3)
    }

    @Test("days far from home are a trip, over gaps of two days, and those at home are none")
    func trips() throws {
        var photos = (0..<60).map { (52.52, 13.40, 20_000 + $0) }
        for day in [20_060, 20_061, 20_064] { for _ in 0..<3 { photos.append((41.89, 12.49, day)) } }
        photos += (20_066..<20_080).map { (52.45, 13.30, $0) }
        let library = try library(photos)
        let trips = library.columns.trips(library.names, most: 100)
        #expect(trips.count == 1)
        #expect(trips.first?.days == 20_060...20_064)
        #expect(trips.first?.photos.count == 9)
        #expect(trips.first?.name.map(library.names.id) == "3169070")
        #expect(library.columns.trips(library.names, most: 0).isEmpty)
    }

    @Test("a longer gap ends a trip, and a day at home too")
    func twoTrips() throws {
        var photos = (0..<60).map { (52.52, 13.40, 20_000 + $0) }
        for day in [20_060, 20_064, 20_066] { for _ in 0..<6 { photos.append((41.89, 12.49, day)) } }
        photos.append((52.52, 13.40, 20_065))
        let library = try library(photos)
        #expect(library.columns.trips(library.names, most: 100).map(\.days.lowerBound) == [20_066, 20_064, 20_060])
    }
}
