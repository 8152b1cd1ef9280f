import Foundation
import Media
import TestSupport
import Testing

@testable import Search

@Suite("What places are called")
struct GazetteerTests {
    private static let shared = Result { try Gazetteer(path: placesPath) }
    private let gazetteer: Gazetteer

    init() throws { gazetteer = try Self.shared.get() }

    private func locate(_ latitude: Double, _ longitude: Double) throws -> Located? {
        gazetteer.locate(try #require(Place(latitude: latitude, longitude: longitude)))
    }

    /// Names of the town and of its city.
    private func names(_ located: Located?) -> [String] {
        guard case .town(let town) = located?.name else { return [] }
        return ([town] + [gazetteer.city(of: town)].compactMap(\.self)).map { gazetteer.name($0, in: .english) }
    }

    private func country(_ located: Located?) -> String? {
        switch located?.name {
        case .town(let town): gazetteer.countries[gazetteer.country(town)].code
        case .country(let country): gazetteer.countries[country].code
        case nil: nil
        }
    }

    @Test("capitals, sights, borders, islands, the poles and the sea are called what they are called")
    func knownPlaces() throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: tests.appending(path: "Vectors/known-places.tsv"), encoding: .utf8)
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines.count >= 400)
        for line in lines {
            let fields = line.split(separator: "\t").map(String.init)
            let located = try locate(try #require(Double(fields[0])), try #require(Double(fields[1])))
            switch fields[2] {
            case "-": #expect(located == nil, "\(line)")
            case "+": #expect(located != nil, "\(line)")
            default:
                let wanted = Set(fields[2].split(separator: "|").map(String.init))
                #expect(!wanted.isDisjoint(with: names(located)), "\(line): \(names(located))")
            }
            if !fields[3].contains("?"), fields[3] != "-" {
                #expect(fields[3].split(separator: "|").map(String.init).contains(country(located) ?? ""), "\(line)")
            }
        }
    }

    @Test(
        "where a town of another country is hardly farther, none is said, but in the midst of a town"
    )
    func borders() throws {
        #expect(try locate(50.7545, 6.0208)?.isAtBorder == true)
        #expect(try locate(47.6633, 9.1753)?.isAtBorder == false)
        #expect(try locate(52.52, 13.40)?.isAtBorder == false)
        #expect(try locate(41.8902, 12.4922)?.isAtBorder == false)
    }

    @Test("what lies more than 10 km from every town is near it, and more than 30 km from all has a country at most")
    func distances() throws {
        #expect(try locate(41.8902, 12.4922)?.isNear == false)
        let sahara = try #require(try locate(23.0, 5.0))
        #expect(sahara.name == .country(try #require(gazetteer.countries.firstIndex { $0.code == "DZ" })))
        let fields = try #require(try locate(-31.30, 118.28))
        #expect(fields.isNear)
    }

    @Test("a place has its names in English, German and both Chinese scripts")
    func languages() throws {
        let rome = try #require(gazetteer.town(id: 3_169_070))
        #expect(gazetteer.name(rome, in: .english) == "Rome")
        #expect(gazetteer.name(rome, in: .german) == "Rom")
        #expect(gazetteer.name(rome, in: .simplifiedChinese) == "罗马")
        #expect(gazetteer.name(rome, in: .traditionalChinese) == "羅馬")
        let italy = gazetteer.countries[gazetteer.country(rome)]
        #expect(italy.name(in: .german) == "Italien")
        #expect(italy.name(in: .traditionalChinese) == "義大利")
        #expect(gazetteer.town(id: 1) == nil)
    }

    @Test("names are packed as a search compares them")
    func foldedNames() {
        for town in 0..<gazetteer.count {
            let folded = Set(gazetteer.foldedNames(town).split(separator: 0).map(Array.init))
            for language in [Gazetteer.Language.english, .german, .simplifiedChinese, .traditionalChinese] {
                let name = gazetteer.name(town, in: language)
                guard !folded.contains(FoldedText.fold(name)) else { continue }
                Issue.record("\(name) is packed as \(folded.map { String(decoding: $0, as: UTF8.self) })")
                return
            }
        }
    }

    @Test("towns whose names begin as typed come with the known ones first, then the largest")
    func beginnings() throws {
        let rome = try #require(gazetteer.town(id: 3_169_070))
        let found = gazetteer.towns(beginning: "ROM", most: 10) { _ in false }
        #expect(found.first == rome)
        let small = try #require(found.last)
        #expect(gazetteer.towns(beginning: "rom", most: 10) { $0 == small }.first == small)
        #expect(gazetteer.towns(beginning: "罗马", most: 10) { _ in false }.contains(rome))
        #expect(gazetteer.towns(beginning: "", most: 10) { _ in false }.isEmpty)
    }

    @Test("every zone of the table is known here, and a place has the one of its towns")
    func zones() throws {
        for town in stride(from: 0, to: gazetteer.count, by: 7) {
            #expect(PlaceZone(name: gazetteer.zone(town)) != nil, "\(gazetteer.zone(town))")
        }
        let konstanz = try #require(Place(latitude: 47.6633, longitude: 9.1753))
        #expect(gazetteer.zone(at: konstanz)?.offsetMinutes(at: 1_719_828_000_000) == 120)
        let suva = try #require(Place(latitude: -18.1416, longitude: 178.4419))
        #expect(gazetteer.zone(at: suva)?.offsetMinutes(at: 1_719_828_000_000) == 720)
        #expect(gazetteer.zone(at: try #require(Place(latitude: 30, longitude: -40))) == nil)
    }

    @Test(
        "a file that is cut off, changed or another's is refused with its reason", arguments: [0, 3, 40, 2000, 500_000])
    func unreadable(byteCount: Int) throws {
        let whole = try Data(contentsOf: URL(filePath: placesPath))
        let path = FileManager.default.temporaryDirectory.appending(path: "places-\(UUID().uuidString)").path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        try whole.prefix(byteCount).write(to: URL(filePath: path))
        #expect(throws: Gazetteer.Unreadable.self) { try Gazetteer(path: path) }
        var changed = whole
        changed[19] ^= 1
        try changed.write(to: URL(filePath: path))
        #expect(throws: Gazetteer.Unreadable.self) { try Gazetteer(path: path) }
        #expect(throws: Gazetteer.Unreadable.self) { try Gazetteer(path: path + "-none") }
    }
}
