import Bytes
import FoundationEssentials
import Media
import Search
import Vaults

/// What places are called in one language.
struct PlaceNaming {
    let gazetteer: Gazetteer?
    let language: Gazetteer.Language

    init(_ gazetteer: Gazetteer?, _ language: Gazetteer.Language) {
        (self.gazetteer, self.language) = (gazetteer, language)
    }

    /// Name and letters of the country; nil without a gazetteer.
    func name(_ place: Located.Name) -> (name: String, country: String)? {
        guard let gazetteer else { return nil }
        switch place {
        case .town(let town):
            return (gazetteer.name(town, in: language), gazetteer.countries[gazetteer.country(town)].code)
        case .country(let number):
            let country = gazetteer.countries[number]
            return (country.name(in: language), country.code)
        }
    }

    func town(_ town: Int, count: Int) -> TownPayload? {
        guard let gazetteer else { return nil }
        let country = gazetteer.countries[gazetteer.country(town)]
        return TownPayload(
            id: gazetteer.id(town), name: gazetteer.name(town, in: language), country: country.code,
            countryName: country.name(in: language), region: gazetteer.region(town),
            within: gazetteer.city(of: town).map { gazetteer.name($0, in: language) },
            latitude: gazetteer.latitude(town), longitude: gazetteer.longitude(town), count: count)
    }
}

/// Places with photos.
struct PlaceListPayload: Encodable {
    struct Place: Encodable {
        let id: UInt32
        let name: String
        /// ISO 3166, two letters.
        let country: String
        /// The state, in the USA.
        let region: String?
        /// `town` or `country`.
        let kind: String
        /// The id of its city, where it is a district.
        let within: UInt32?
        /// Degrees; of a country those of its newest photo.
        let latitude: Double
        let longitude: Double
        let count: Int
        /// The id of the newest photo.
        let cover: String
        /// When that was taken, by a clock on the wall.
        let newest: String
    }

    /// Whether this host knows the names of places.
    let table: Bool
    let places: [Place]
    /// Names of the countries of these places by their letters.
    let countries: [String: String]

    init(_ entries: [Session.Places.Entry], _ naming: PlaceNaming, from allowance: Allowance) throws {
        table = naming.gazetteer != nil
        places = try entries.rows(from: allowance) { Self.place($0, naming) }.compactMap(\.self)
        let codes = Set(places.map(\.country))
        let named = naming.gazetteer?.countries.filter { codes.contains($0.code) } ?? []
        countries = named.reduce(into: [:]) { $0[$1.code] = $1.name(in: naming.language) }
    }

    private static func place(_ entry: Session.Places.Entry, _ naming: PlaceNaming) -> Place? {
        guard let gazetteer = naming.gazetteer, let (name, country) = naming.name(entry.name) else { return nil }
        var (region, kind, position): (String?, String, (latitude: Double, longitude: Double)?)
        switch entry.name {
        case .town(let town):
            (region, kind) = (gazetteer.region(town), "town")
            position = (gazetteer.latitude(town), gazetteer.longitude(town))
        case .country: (region, kind, position) = (nil, "country", entry.coverPosition)
        }
        let newest = UTCTime(Date(timeIntervalSince1970: (Double(entry.newest) / 1000).rounded(.down)))
        return Place(
            id: gazetteer.id(entry.name), name: name, country: country, region: region, kind: kind,
            within: entry.city.map(gazetteer.id), latitude: position?.latitude ?? 0,
            longitude: position?.longitude ?? 0, count: entry.count, cover: entry.cover,
            newest: String(newest.rfc3339.dropLast()))
    }
}

/// Towns whose names begin as somebody has typed.
struct TownListPayload: Encodable {
    let places: [TownPayload]
}

struct TownPayload: Encodable {
    let id: UInt32
    let name: String
    let country: String
    let countryName: String
    let region: String?
    /// The name of its city, where it is a district.
    let within: String?
    let latitude: Double
    let longitude: Double
    /// Photos of the vault there.
    let count: Int
}

/// Journeys, the newest first.
struct TripListPayload: Encodable {
    let trips: [TripPayload]
}

struct TripPayload: Encodable {
    /// Days, both included.
    let from: String
    let to: String
    /// The id of the place where most of its photos were taken, what it is called, and the letters of its country.
    let place: UInt32?
    let name: String?
    let country: String?
    let count: Int
    let cover: String
    /// The id of an album that has at least half of them.
    let album: String?

    init(_ trip: Session.Places.Journey, _ naming: PlaceNaming) {
        from = CivilDay.text(trip.days.lowerBound)
        to = CivilDay.text(trip.days.upperBound)
        let named = trip.name.flatMap(naming.name)
        place = trip.name.flatMap { name in naming.gazetteer?.id(name) }
        (name, country) = (named?.name, named?.country)
        (count, cover, album) = (trip.count, trip.cover, trip.album?.text)
    }
}

/// Where photos were taken, as a client says it.
struct SaidPlacePayload: ChangePayload {
    static let fields: Set = ["ids", "place"]

    let ids: [String]
    /// Null goes back to what their files say.
    let place: WantedPlacePayload?

    private enum Key: String, CodingKey { case ids, place }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        ids = try container.decode([String].self, forKey: .ids)
        // Whoever forgets to say a place takes none away.
        place =
            try container.decodeNil(forKey: .place) ? nil : container.decode(WantedPlacePayload.self, forKey: .place)
    }
}

/// A town by its id, or coordinates.
struct WantedPlacePayload: Decodable, Sendable {
    let wanted: Session.Places.Wanted

    private enum Key: String, CodingKey { case id, latitude, longitude }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        if let id = try container.decodeIfPresent(UInt32.self, forKey: .id) {
            wanted = .town(id: id)
        } else {
            wanted = .point(
                latitude: try container.decode(Double.self, forKey: .latitude),
                longitude: try container.decode(Double.self, forKey: .longitude))
        }
    }
}

/// What the album of a journey is to be called.
struct TripAlbumPayload: Decodable {
    let name: String
}
