import Media

/// What the places of a vault's photos are called: as many names as there are places, however many photos they have.
package final class PlaceNames: Sendable {
    package let gazetteer: Gazetteer
    /// Places, their cities and their countries, once each.
    package let names: [Located.Name]
    /// Entry n: what counts for photos of number n, as places in `names`: its own, that of its city, that of its country; -1 for none.
    private let parts: [[Int]]
    /// Those of `names` as they are compared, each behind a zero and ended by one. It tells where somebody was, and goes with the
    /// vault.
    private let text: WipedBytes
    /// Entry n + 1 is where the names of place n end.
    private let ends: [Int]
    /// Hashes of all names, by which most words are known to be none.
    private let hashes: Set<Int>

    package static let prefix = "place:"

    /// - Parameter located: the places by their numbers.
    package init(_ gazetteer: Gazetteer, _ located: [Located]) {
        self.gazetteer = gazetteer
        var (names, known): ([Located.Name], [Located.Name: Int]) = ([], [:])
        func number(_ name: Located.Name?) -> Int {
            guard let name else { return -1 }
            if let number = known[name] { return number }
            known[name] = names.count
            names.append(name)
            return names.count - 1
        }
        parts = located.map { place in
            guard case .town(let town) = place.name else { return [number(place.name), -1, number(place.name)] }
            let country: Located.Name? = place.isAtBorder ? nil : .country(gazetteer.country(town))
            return [number(place.name), number(gazetteer.city(of: town).map { .town($0) }), number(country)]
        }
        self.names = names
        var (ends, hashes): ([Int], Set<Int>) = ([1], [])
        for name in names {
            let text = Self.text(name, gazetteer)
            ends.append(ends[ends.count - 1] + text.count)
            for name in text.split(separator: 0) { hashes.insert(Self.hash(name)) }
        }
        (self.ends, self.hashes) = (ends, hashes)
        text = WipedBytes(count: ends[ends.count - 1]) { place in
            for (index, name) in names.enumerated() {
                let room = UnsafeMutableRawBufferPointer(rebasing: place[ends[index]..<ends[index + 1]])
                room.copyBytes(from: Self.text(name, gazetteer))
            }
        }
    }

    private static func text(_ name: Located.Name, _ gazetteer: Gazetteer) -> [UInt8] {
        switch name {
        case .town(let town): Array(gazetteer.foldedNames(town))
        case .country(let country): gazetteer.countries[country].foldedNames
        }
    }

    private static func hash(_ name: ArraySlice<UInt8>) -> Int {
        var hasher = Hasher()
        name.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    // MARK: By what is typed

    /// Places that are called so, the largest first; of `place:3169070` and `place:it` the one that is meant, if it is here.
    /// - Parameter literal: as it is compared.
    package func named(_ literal: [UInt8]) -> [Located.Name] {
        if let id = Self.id(literal) { return names.filter { self.id($0).lowercased() == id } }
        guard hashes.contains(Self.hash(literal[...])) else { return [] }
        return find([0] + literal + [0]).sorted { people($0) > people($1) }
    }

    private static func id(_ literal: [UInt8]) -> String? {
        guard literal.starts(with: prefix.utf8) else { return nil }
        return String(decoding: literal.dropFirst(prefix.utf8.count), as: UTF8.self)
    }

    /// How the interface names it: a town by its number at GeoNames, a country by its two letters.
    package func id(_ name: Located.Name) -> String {
        switch name {
        case .town(let town): String(gazetteer.id(town))
        case .country(let country): gazetteer.countries[country].code
        }
    }

    /// Whoever types the name of a country means that.
    private func people(_ name: Located.Name) -> Int {
        switch name {
        case .town(let town): gazetteer.people(town)
        case .country: .max
        }
    }

    private func find(_ bytes: [UInt8]) -> [Located.Name] {
        let search = ByteSearch(bytes)
        var (found, offset, index): ([Located.Name], Int, Int) = ([], 0, 0)
        while let place = search.first(in: text.bytes, from: offset, to: ends[names.count]) {
            // The zero before it may be the last one of another place.
            while ends[index + 1] <= place + 1 { index += 1 }
            found.append(names[index])
            offset = ends[index + 1] - 1
        }
        return found
    }

    // MARK: For a search

    /// By number, whether photos there are of one of these.
    func marks(of wanted: [Located.Name]) -> [Bool] {
        let wanted = Set(wanted)
        return marks(names.map(wanted.contains))
    }

    /// By number, whether what their photos are called has such a text; nil where none has.
    func marks(having literal: [UInt8], isWhole: Bool) -> [Bool]? {
        var (wanted, isAny) = ([Bool](repeating: false, count: names.count), false)
        let search = ByteSearch(literal)
        var (offset, index) = (1, 0)
        while let place = search.first(in: text.bytes, from: offset, to: ends[names.count]) {
            while ends[index + 1] <= place { index += 1 }
            let isGood =
                !isWhole
                || SearchMatcher.isWord(place..<place + literal.count, of: text.bytes, ending: ends[names.count])
            if isGood { (wanted[index], isAny) = (true, true) }
            offset = isGood ? ends[index + 1] : place + 1
        }
        return isAny ? marks(wanted) : nil
    }

    private func marks(_ wanted: [Bool]) -> [Bool] { parts.map { $0.contains { $0 >= 0 && wanted[$0] } } }

    // MARK: For a list

    /// What a number is called, and the city of that.
    package func names(of number: Int) -> (own: Located.Name, city: Located.Name?) {
        let parts = parts[number]
        return (names[parts[0]], parts[1] < 0 ? nil : names[parts[1]])
    }
}

extension SearchColumns {
    /// Photos of one place.
    package struct PlaceCount: Sendable {
        package var name: Located.Name
        /// The city that it is a district of.
        package var city: Located.Name?
        /// Of a city, with those of its districts.
        package var count = 0
        /// The place of the newest one in these columns.
        package var newest: Int
    }

    /// Places with photos, and the cities of districts: those with most photos first. Live Photos and shots count once.
    package func placeCounts(_ names: PlaceNames) -> [PlaceCount] {
        var counts: [Located.Name: PlaceCount] = [:]
        func count(_ name: Located.Name, in city: Located.Name?, _ index: Int) {
            counts[name, default: PlaceCount(name: name, city: city, newest: index)].count += 1
        }
        for index in serials.indices {
            guard let number = location(index), isOwn(index) else { continue }
            let (own, city) = names.names(of: number)
            count(own, in: city, index)
            if let city { count(city, in: nil, index) }
        }
        return counts.values.sorted { ($0.count, $1.newest) > ($1.count, $0.newest) }
    }

    /// Whether it is a photo by itself, and does not go with another one.
    func isOwn(_ index: Int) -> Bool { traits[index].isDisjoint(with: .companions) }
}
