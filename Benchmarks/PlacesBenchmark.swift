import Foundation
import Media
import Search

/// Names of places: reading the table, looking one up, and searches in 100,000 photos that were taken all over the world.
enum PlacesBenchmark {
    private static let path =
        #filePath.split(separator: "/").dropLast(2).reduce("") { "\($0)/\($1)" } + "/.build/places.bin"
    private static let queries = ["rome", "italien", "罗马", "san", "paris 2024", "place:3169070", "new york city", "e"]
    private static let count = 100_000

    static func run() throws {
        var gazetteer = try Gazetteer(path: path)
        let opening = try ContinuousClock().measure { gazetteer = try Gazetteer(path: path) }
        Samples([opening]).print("table of places")
        var random = SystemRandomNumberGenerator()
        let places = (0..<count).map { _ in
            let town = Int.random(in: 0..<gazetteer.count, using: &random)
            return Place(
                latitude: min(90, max(-90, gazetteer.latitude(town) + .random(in: -0.1...0.1))),
                longitude: min(180, max(-180, gazetteer.longitude(town) + .random(in: -0.1...0.1))))
        }
        var located: [Located?] = []
        let looking = ContinuousClock().measure { located = places.map { $0.flatMap(gazetteer.locate) } }
        Samples([looking]).print("\(count) places named")
        var (known, numbers): ([Located], [Located: Int]) = ([], [:])
        let rows = zip(places, located).enumerated().map { index, photo in
            var row = SearchRow(
                serial: UInt64(index), shownAt: Int64(index) * 3_600_000, byteCount: 1, traits: [],
                name: "IMG_\(index).jpg")
            row.position = photo.0
            if let place = photo.1 {
                row.location = numbers[place] ?? known.count
                if numbers[place] == nil {
                    numbers[place] = known.count
                    known.append(place)
                }
            }
            return row
        }
        let columns = SearchColumns(SearchColumns(), without: [], adding: rows)
        var names = PlaceNames(gazetteer, known)
        let naming = ContinuousClock().measure { names = PlaceNames(gazetteer, known) }
        Samples([naming]).print("names of \(known.count) places")
        let today = CalendarDate(year: 2026, month: 11, day: 30)
        let durations = queries.flatMap { text in
            (0..<5).map { _ in
                ContinuousClock().measure {
                    let query = SearchQuery(text, today: today, names: SearchNames(places: names))
                    _ = columns.places(query, placeNames: names)
                }
            }
        }.sorted()
        Samples(durations).print("search \(count) placed photos")
        let p95 = durations[durations.count * 95 / 100]
        print("\("  95 of 100 within".padded(40))\((p95.seconds * 1000).text(1)) ms")
        Samples([ContinuousClock().measure { _ = columns.placeCounts(names) }]).print("list of places")
        Samples([ContinuousClock().measure { _ = columns.trips(names, most: 100) }]).print("trips")
    }
}
