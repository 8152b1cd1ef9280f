import Bytes
import Foundation
package import Media

/// What a place on Earth is called.
package struct Located: Hashable, Sendable {
    package enum Name: Hashable, Sendable {
        /// The number of a town, or of a district of one.
        case town(Int)
        /// Nothing has a name within 30 km: the number of the country.
        case country(Int)
    }

    package var name: Name
    /// Whether the town is so far away that one says "near" it.
    package var isNear = false
    /// Whether a town of another country is less than twice as far as the next one of its own: nobody can say by towns alone
    /// which country it is.
    package var isAtBorder = false

    package init(name: Name, isNear: Bool = false, isAtBorder: Bool = false) {
        self.name = name
        self.isNear = isNear
        self.isAtBorder = isAtBorder
    }
}

/// Distances are in kilometres.
extension Gazetteer {
    /// So far a town names what is around it; farther than `nearness` by "near".
    private static let farthest = 30.0
    private static let nearness = 10.0
    /// So far the next town tells the country of what has no name.
    private static let wilderness = 300.0
    /// A town without a number of people counts as one of so many.
    private static let leastPeople = 1000.0

    /// Nil at sea, and where nobody lives far and wide.
    package func locate(_ place: Place) -> Located? {
        let found = towns(around: place, within: Self.farthest)
        guard let best = found.min(by: { $0.distance / reach($0.town) < $1.distance / reach($1.town) }) else {
            return wilderness(place)
        }
        var located = Located(name: .town(best.town))
        located.isNear = (found.map(\.distance).min() ?? 0) > Self.nearness
        located.isAtBorder = isAtBorder(best, among: found)
        return located
    }

    /// The time zone; nil where it is not sure.
    package func zone(at place: Place) -> PlaceZone? {
        let found = towns(around: place, within: Self.farthest)
        guard let nearest = found.min(by: { $0.distance < $1.distance }) else { return nil }
        let zone = zone(nearest.town)
        // Who stands between towns of two zones may be in either.
        let isSure = found.allSatisfy { self.zone($0.town) == zone || $0.distance > 2 * nearest.distance }
        return isSure ? placeZone(nearest.town) : nil
    }

    /// The city that a district belongs to: the largest town of its country with four times its people, near enough for them.
    package func city(of town: Int) -> Int? {
        let (people, country) = (people(town), country(town))
        guard let place = Place(latitude: latitude(town), longitude: longitude(town)) else { return nil }
        let found = towns(around: place, within: Self.farthest).filter { other in
            let others = self.people(other.town)
            return other.town != town && self.country(other.town) == country && others >= 4 * max(people, 1)
                && other.distance <= 2 * pow(Double(others) / 1000, 0.25)
        }
        return found.max { self.people($0.town) < self.people($1.town) }?.town
    }

    /// How far a town names what is around it: a photo in the midst of a city is of the city, and not of a hamlet beside it.
    private func reach(_ town: Int) -> Double {
        min(25, 2 * pow(max(Double(people(town)), Self.leastPeople) / 1000, 0.35))
    }

    private func isAtBorder(_ best: Neighbour, among found: [Neighbour]) -> Bool {
        let country = country(best.town)
        let own = found.lazy.filter { self.country($0.town) == country }.map(\.distance).min() ?? best.distance
        return found.contains { other in
            // Of the Vatican's few hundred people none makes a photo of the Colosseum one of another country.
            self.country(other.town) != country && other.distance < 2 * own
                && other.distance / reach(other.town) < 8 * best.distance / reach(best.town)
        }
    }

    /// The country of a place on land that is far from every town.
    private func wilderness(_ place: Place) -> Located? {
        guard isLand(latitude: place.latitude, longitude: place.longitude) else { return nil }
        let found = towns(around: place, within: Self.wilderness)
        guard let nearest = found.min(by: { $0.distance < $1.distance }) else { return nil }
        let country = country(nearest.town)
        let isSure = found.allSatisfy { self.country($0.town) == country || $0.distance > 2 * nearest.distance }
        return isSure ? Located(name: .country(country)) : nil
    }

    /// The town of an id of GeoNames, where it lies within 30 km.
    package func town(id: UInt32, near place: Place) -> Int? {
        towns(around: place, within: Self.farthest).first { self.id($0.town) == id }?.town
    }

    // MARK: Towns around a place

    struct Neighbour {
        let town: Int
        let distance: Double
    }

    private static let radius = 6371.0
    /// Of a degree of latitude.
    private static let degree = radius * .pi / 180

    /// In no order.
    func towns(around place: Place, within distance: Double) -> [Neighbour] {
        let (height, lowest) = (distance / Self.degree, place.latitude - distance / Self.degree)
        let highest = place.latitude + height
        // Where the circle is widest; at a pole it has all longitudes.
        let narrow = cos(min(90, max(abs(lowest), abs(highest))) * .pi / 180)
        let sine = sin(height * .pi / 180)
        let width = sine < narrow ? asin(sine / narrow) * 180 / .pi + 0.001 : 180
        // So near each other the Earth is flat, but for the poles.
        let isFlat = highest < 80 && lowest > -80
        let narrowing = cos(place.latitude * .pi / 180)
        var found: [Neighbour] = []
        for row in Self.row(lowest)...Self.row(highest) {
            for longitudes in Self.longitudes(place.longitude - width, place.longitude + width) {
                for town in towns(in: rows[row]..<rows[row + 1], longitudes) {
                    let (latitude, longitude) = (latitude(town), longitude(town))
                    let far: Double
                    if isFlat {
                        let east = (longitude - place.longitude).remainder(dividingBy: 360) * narrowing
                        let north = latitude - place.latitude
                        far = (east * east + north * north).squareRoot() * Self.degree
                    } else {
                        far = Self.distance(place.latitude, place.longitude, latitude, longitude)
                    }
                    if far <= distance { found.append(Neighbour(town: town, distance: far)) }
                }
            }
        }
        return found
    }

    private static func row(_ latitude: Double) -> Int {
        min(rowCount - 1, max(0, Int(((latitude + 90) * 2).rounded(.down))))
    }

    /// One range, or two where it lies across 180°.
    private static func longitudes(_ west: Double, _ east: Double) -> [ClosedRange<Double>] {
        if east - west >= 360 { return [-180...180] }
        if west < -180 { return [-180...east, west + 360...180] }
        if east > 180 { return [west...180, -180...east - 360] }
        return [west...east]
    }

    /// Towns of a half degree of latitude stand from west to east.
    private func towns(in row: Range<Int>, _ longitudes: ClosedRange<Double>) -> Range<Int> {
        let start = row.partitioningIndex { longitude($0) >= longitudes.lowerBound }
        return start..<(start..<row.upperBound).partitioningIndex { longitude($0) > longitudes.upperBound }
    }

    /// Degrees; kilometres. By the haversine.
    package static func distance(_ latitude: Double, _ longitude: Double, _ other: Double, _ otherLongitude: Double)
        -> Double
    {
        let unit = Double.pi / 180
        let (north, east) = (sin((other - latitude) * unit / 2), sin((otherLongitude - longitude) * unit / 2))
        let half = north * north + cos(latitude * unit) * cos(other * unit) * east * east
        return 2 * radius * asin(min(1, half.squareRoot()))
    }
}

extension PlaceZone {
    /// By the name that the time zone database has for it; nil for one that is not known here.
    init?(name: String) {
        guard let zone = TimeZone(identifier: name) else { return nil }
        self.init { zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double($0) / 1000)) / 60 }
    }
}
