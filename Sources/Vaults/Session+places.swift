import Media
package import Records
package import Search
import Vault

extension Session {
    /// Where photos were taken.
    package var places: Places { Places(session: self) }

    /// Places of a vault's photos, and journeys. Without a gazetteer there are none.
    package struct Places: Sendable {
        let session: Session

        package var gazetteer: Gazetteer? { session.engine.gazetteer }

        /// A place with photos, or the city of one.
        package struct Entry: Sendable {
            package let name: Located.Name
            /// Its city, where it is a district.
            package let city: Located.Name?
            package let count: Int
            /// The id of the newest photo.
            package let cover: String
            /// Where that was taken, in degrees; for a country, which has no middle.
            package let coverPosition: (latitude: Double, longitude: Double)?
            /// When, in milliseconds of a clock on the wall.
            package let newest: Int64
        }

        /// Those with most photos first.
        package func all() async throws -> [Entry] {
            try await session.search.searching { [session] state, _ in
                guard let names = state.names.places else { return [] }
                let columns = state.columns
                return columns.placeCounts(names).map { place in
                    Entry(
                        name: place.name, city: place.city, count: place.count,
                        cover: session.handle(columns.serials[place.newest]),
                        coverPosition: columns.position(place.newest), newest: columns.shownAt[place.newest])
                }
            }
        }

        // MARK: Names that begin so

        package static let longestBeginning = 100
        private static let mostNames = 10

        /// Towns, the ones with photos first, and how many photos those have.
        package func towns(beginning text: String) async throws -> [(town: Int, count: Int)] {
            guard let gazetteer else { return [] }
            return try await session.search.searching { state, _ in
                guard let names = state.names.places else { return [] }
                var counts: [Int: Int] = [:]
                for place in state.columns.placeCounts(names) {
                    if case .town(let town) = place.name { counts[town] = place.count }
                }
                let found = gazetteer.towns(beginning: text, most: Self.mostNames) { counts[$0] != nil }
                return found.map { ($0, counts[$0] ?? 0) }
            }
        }

        // MARK: Putting one right

        /// A place as a client names it.
        package enum Wanted: Sendable {
            /// At GeoNames.
            case town(id: UInt32)
            /// Degrees.
            case point(latitude: Double, longitude: Double)
        }

        /// - Throws: `placeInvalid`.
        package func said(_ wanted: Wanted) throws(VaultError) -> SaidPlace {
            switch wanted {
            case .town(let id):
                guard let gazetteer, let town = gazetteer.town(id: id),
                    let place = Place(latitude: gazetteer.latitude(town), longitude: gazetteer.longitude(town))
                else { throw .placeInvalid }
                return SaidPlace(place, town: id)
            case .point(let latitude, let longitude):
                guard let place = Place(latitude: latitude, longitude: longitude) else { throw .placeInvalid }
                return SaidPlace(place)
            }
        }

        /// Says where photos were taken; nil goes back to what their files say.
        /// - Returns: how many it changed.
        /// - Throws: `noSuchPhoto`, `vaultNeeded`.
        package func set(_ ids: [String], to place: SaidPlace?) async throws -> Int {
            let word: PhotoCorrection.Word<SaidPlace> = place.map { .said($0) } ?? .none
            return try await session.photos.mark(ids) { change, serials in try change.setPlace(serials, word) }
        }

        // MARK: Journeys

        private static let mostTrips = 100

        /// A journey.
        package struct Journey: Sendable {
            /// Days since 1970, both included.
            package let days: ClosedRange<Int>
            package let name: Located.Name?
            package let count: Int
            /// The id of the newest photo.
            package let cover: String
            /// That of an album that has at least half of its photos.
            package let album: AlbumID?
        }

        /// The newest first.
        package func trips() async throws -> [Journey] {
            try await session.search.searching { [session] state, _ in
                guard let names = state.names.places else { return [] }
                return state.columns.trips(names, most: Self.mostTrips).map { trip in
                    Journey(
                        days: trip.days, name: trip.name, count: trip.photos.count,
                        cover: session.handle(state.columns.serials[trip.photos[0]]),
                        album: trip.album.flatMap { state.albums[$0]?.id })
                }
            }
        }

        /// Makes an album of a journey.
        /// - Parameter day: its first one, since 1970; nil for what is no day.
        /// - Throws: `noSuchTrip`, and what `Albums.make` throws.
        package func makeAlbum(ofTripFrom day: Int?, called name: String) async throws -> Album {
            _ = try session.requireOwnVault()
            let ids = try await session.search.searching { [session] state, _ -> [String]? in
                guard let names = state.names.places else { return nil }
                let trips = state.columns.trips(names, most: Self.mostTrips)
                let columns = state.columns
                // The video of a Live Photo and the raw file of a shot go along.
                return trips.first { $0.days.lowerBound == day }?.photos.flatMap { photo in
                    [columns.serials[photo], columns.video(of: photo), columns.raw(of: photo)].compactMap(\.self)
                        .map(session.handle)
                }
            }
            guard let ids else { throw VaultError.noSuchTrip }
            return try await session.albums.make(name, with: ids)
        }
    }
}
