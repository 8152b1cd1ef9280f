import Media

/// Photos of a journey.
package struct Trip: Sendable {
    /// Days since 1970, both included.
    package let days: ClosedRange<Int>
    /// Where most of them were taken, a city rather than its districts.
    package let name: Located.Name?
    /// Their places in the columns, the newest first.
    package let photos: [Int]
    /// The number of an album that has at least half of them.
    package let album: UInt32?
}

extension SearchColumns {
    /// Journeys: days that were spent away from home, one behind the other, the newest first.
    package func trips(_ names: PlaceNames, most: Int) -> [Trip] {
        let days = TripDays(self)
        var (trips, run): ([Trip], [TripDays.Day]) = ([], [])
        func close() {
            if let trip = trip(run, names) { trips.append(trip) }
            run = []
        }
        for day in days.located.reversed() {
            guard days.isAway(day) else {
                close()
                continue
            }
            if let next = run.last, next.number - day.number > TripDays.longestGap + 1 { close() }
            run.append(day)
        }
        close()
        return Array(trips.prefix(most))
    }

    private func trip(_ run: [TripDays.Day], _ names: PlaceNames) -> Trip? {
        guard let last = run.first, let first = run.last else { return nil }
        let days = first.number...last.number
        let away = Set(run.flatMap(\.away))
        let photos = places(in: days.lowerBound..<days.upperBound + 1).filter { index in
            isOwn(index) && (away.contains(index) || position(index) == nil)
        }
        guard photos.count >= TripDays.leastPhotos else { return nil }
        var (towns, albums): ([Located.Name: Int], [UInt32: Int]) = ([:], [:])
        for index in photos {
            if let number = location(index) {
                let (own, city) = names.names(of: number)
                towns[city ?? own, default: 0] += 1
            }
            for album in self.albums(of: index) { albums[album, default: 0] += 1 }
        }
        let order = { (name: Located.Name) in (towns[name] ?? 0, names.id(name)) }
        return Trip(
            days: days, name: towns.keys.max { order($0) < order($1) }, photos: photos,
            album: albums.filter { 2 * $0.value >= photos.count }.keys.min())
    }
}

/// Where somebody was on which day, and where home was then: where photos were taken on most of the 90 days before.
struct TripDays {
    static let longestGap = 2
    static let leastPhotos = 5
    private static let window = 90
    /// Where there are fewer days with photos before, the ones behind tell, too.
    private static let leastDays = 5
    /// Kilometres.
    private static let away = 60.0

    struct Day {
        /// Since 1970.
        let number: Int
        /// Places in the columns of photos that know where they were taken.
        fileprivate var photos: [Int] = []
        /// Of these, those far from home; empty where most are not.
        fileprivate(set) var away: [Int] = []
        /// Half degrees, each once, with the mean of its photos.
        fileprivate var cells: [Cell: Mean] = [:]
    }

    fileprivate struct Cell: Hashable {
        let row: Int
        let column: Int
    }

    fileprivate struct Mean {
        var (latitude, longitude, count) = (0.0, 0.0, 0.0)
    }

    /// The earliest first; only days with photos that know where they were taken.
    private(set) var located: [Day]

    init(_ columns: SearchColumns) {
        located = []
        for index in columns.serials.indices.reversed() {
            guard columns.isOwn(index), let (latitude, longitude) = columns.position(index) else { continue }
            let number = columns.day(index)
            if located.last?.number != number { located.append(Day(number: number)) }
            let cell = Cell(row: Int((latitude * 2).rounded(.down)), column: Int((longitude * 2).rounded(.down)))
            located[located.count - 1].photos.append(index)
            var mean = located[located.count - 1].cells[cell] ?? Mean()
            mean.latitude += latitude
            mean.longitude += longitude
            mean.count += 1
            located[located.count - 1].cells[cell] = mean
        }
        var (before, around) = (Stay(), Stay())
        var (start, end) = (0, 0)
        for place in located.indices {
            let number = located[place].number
            while end < located.count, located[end].number <= number + Self.window {
                around.add(located[end])
                end += 1
            }
            while located[start].number < number - Self.window {
                before.remove(located[start])
                around.remove(located[start])
                start += 1
            }
            let home = before.days < Self.leastDays ? around.home : before.home
            if let home {
                let far = located[place].photos.filter { index in
                    columns.position(index).map { Gazetteer.distance(home.0, home.1, $0.0, $0.1) > Self.away } ?? false
                }
                if 2 * far.count > located[place].photos.count { located[place].away = far }
            }
            before.add(located[place])
        }
    }

    func isAway(_ day: Day) -> Bool { !day.away.isEmpty }

    /// On how many days of a time photos were taken in each half degree.
    private struct Stay {
        private(set) var days = 0
        private var cells: [Cell: (days: Int, mean: Mean)] = [:]

        mutating func add(_ day: Day) { change(day, by: 1) }
        mutating func remove(_ day: Day) { change(day, by: -1) }

        private mutating func change(_ day: Day, by sign: Int) {
            days += sign
            for (cell, mean) in day.cells {
                var stay = cells[cell] ?? (0, Mean())
                stay.days += sign
                stay.mean.latitude += Double(sign) * mean.latitude
                stay.mean.longitude += Double(sign) * mean.longitude
                stay.mean.count += Double(sign) * mean.count
                cells[cell] = stay.days == 0 ? nil : stay
            }
        }

        /// Degrees.
        var home: (Double, Double)? {
            let best = cells.max {
                ($0.value.days, $0.key.row, $0.key.column) < ($1.value.days, $1.key.row, $1.key.column)
            }
            return best.map {
                ($0.value.mean.latitude / $0.value.mean.count, $0.value.mean.longitude / $0.value.mean.count)
            }
        }
    }
}
