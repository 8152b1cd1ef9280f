import Media

/// Photos that are the same picture, and photos of one moment.
package struct AlikeGroups: Sendable {
    package struct Group: Equatable, Sendable {
        /// Serials of two or more, the best first.
        package let serials: [UInt64]
        /// Those of them that may be no more than copies of the best, and that nobody did anything with. Only their pixels
        /// say whether they are.
        package let candidates: Set<UInt64>
        /// Taken one after the other within two seconds: several pictures, and not one twice.
        package let isBurst: Bool
        /// Where its newest photo stands in the timeline.
        package let shownAt: Int64
        package let newest: UInt64

        package var place: Place { Place(shownAt: shownAt, newest: newest, isBurst: isBurst) }
    }

    /// Where a group stands in the list; a burst behind a group with the same newest photo.
    package struct Place: Comparable, Sendable {
        let shownAt: Int64
        let newest: UInt64
        let isBurst: Bool

        package init(shownAt: Int64, newest: UInt64, isBurst: Bool) {
            self.shownAt = shownAt
            self.newest = newest
            self.isBurst = isBurst
        }

        package static func < (one: Self, other: Self) -> Bool {
            (one.shownAt, one.newest, one.isBurst ? 0 : 1) < (other.shownAt, other.newest, other.isBurst ? 0 : 1)
        }
    }

    /// Those with the newest photos first. A photo may stand in a group and in a burst.
    package let groups: [Group]

    /// - Parameter mostComparisons: with how many others each photo is compared.
    package init(_ columns: SearchColumns, mostComparisons: Int = 2000) {
        let candidates = columns.candidates()
        let relations = AlikeRelations(columns)
        let bursts = Self.bursts(candidates, relations)
        // Of several pictures of one moment nobody can tell for others which may go.
        let moments = Set(bursts.joined().map(\.place))
        let found =
            Self.duplicates(candidates, relations, mostComparisons).map { ($0, false) } + bursts.map { ($0, true) }
        groups = found.map { members, isBurst in
            let members = members.sorted { relations.isBetter($0.place, $1.place) }
            let newest = members.map(\.place).min() ?? 0
            let candidates =
                isBurst
                ? []
                : members.dropFirst().filter { !moments.contains($0.place) && relations.mayBeCopy($0, of: members[0]) }
            return Group(
                serials: members.map { columns.serials[$0.place] },
                candidates: Set(candidates.map { columns.serials[$0.place] }),
                isBurst: isBurst, shownAt: columns.shownAt[newest], newest: columns.serials[newest])
        }
        .sorted { $0.place > $1.place }
    }

    typealias Candidate = (place: Int, likeness: Likeness)

    // MARK: The same picture

    /// Only photos are compared whose coarsest waves have the same signs, or would have if the weakest of them had the
    /// other one. So a hundred thousand photos take seconds, and each is compared with so many at most.
    private static func duplicates(
        _ candidates: [Candidate], _ relations: AlikeRelations, _ mostComparisons: Int
    ) -> [[Candidate]] {
        var buckets: [UInt32: [Int32]] = [:]
        for (index, candidate) in candidates.enumerated() {
            buckets[candidate.likeness.signs, default: []].append(Int32(index))
        }
        var sets = DisjointSets(count: candidates.count)
        for (index, candidate) in candidates.enumerated() {
            var left = mostComparisons
            for key in candidate.likeness.nearSigns() {
                for other in buckets[key] ?? [] where other != index {
                    guard left > 0 else { break }
                    left -= 1
                    if relations.areDuplicates(candidate, candidates[Int(other)]) { sets.join(index, Int(other)) }
                }
            }
        }
        return sets.groups().flatMap { group in
            split(group.map { candidates[$0] }, relations)
        }
    }

    private static let mostLeaders = 1000

    /// Who is like a likeness of the best one need not be like that itself: all of a group are.
    private static func split(_ group: [Candidate], _ relations: AlikeRelations) -> [[Candidate]] {
        var left = group.sorted { relations.isBetter($0.place, $1.place) }
        var groups: [[Candidate]] = []
        for _ in 0..<mostLeaders {
            guard let best = left.first, left.count > 1 else { break }
            let others = left.dropFirst()
            let alike = others.filter { relations.areDuplicates(best, $0) }
            if !alike.isEmpty { groups.append([best] + alike) }
            let taken = Set(alike.map(\.place))
            left = others.filter { !taken.contains($0.place) }
        }
        return groups
    }

    // MARK: One moment

    /// Those of one moment stand beside each other in the timeline.
    private static func bursts(_ candidates: [Candidate], _ relations: AlikeRelations) -> [[Candidate]] {
        var sets = DisjointSets(count: candidates.count)
        for index in candidates.indices {
            for other in candidates[(index + 1)...].prefix(mostNeighbours).indices {
                guard relations.standNear(candidates[index].place, candidates[other].place) else { break }
                if relations.areBurst(candidates[index], candidates[other]) { sets.join(index, other) }
            }
        }
        return sets.groups().map { $0.map { candidates[$0] } }
    }

    private static let mostNeighbours = 64
}

extension SearchColumns {
    /// What can be compared, in the order of the timeline.
    fileprivate func candidates() -> [AlikeGroups.Candidate] {
        serials.indices.compactMap { index in
            guard traits[index].isDisjoint(with: .companions), let likeness = Likeness(placeholder(index)) else {
                return nil
            }
            return (index, likeness)
        }
    }
}

extension Likeness {
    private static let signCount = 14
    private static let mostUncertain = 5

    /// The shape, and the signs of the longest waves.
    fileprivate var signs: UInt32 {
        (0..<Self.signCount).reduce(UInt32(aspect)) { $0 << 1 | (waves[$1] < 0 ? 1 : 0) }
    }

    /// The same, with each choice of signs of those waves that are too weak to have one for sure.
    fileprivate func nearSigns() -> [UInt32] {
        let weak = (0..<Self.signCount).filter { abs(waves[$0]) <= 2 }
            .sorted { abs(waves[$0]) < abs(waves[$1]) }.prefix(Self.mostUncertain)
        return weak.reduce([signs]) { keys, wave in
            keys + keys.map { $0 ^ 1 << UInt32(Self.signCount - 1 - wave) }
        }
    }
}

/// Which things belong together, by ever more pairs.
struct DisjointSets {
    private var parents: [Int32]

    init(count: Int) { parents = (0..<Int32(count)).map { $0 } }

    mutating func join(_ one: Int, _ other: Int) {
        let (one, other) = (root(Int32(one)), root(Int32(other)))
        if one != other { parents[Int(max(one, other))] = min(one, other) }
    }

    private mutating func root(_ index: Int32) -> Int32 {
        var index = index
        while parents[Int(index)] != index {
            parents[Int(index)] = parents[Int(parents[Int(index)])]
            index = parents[Int(index)]
        }
        return index
    }

    /// Those of two and more.
    mutating func groups() -> [[Int]] {
        var groups: [Int32: [Int]] = [:]
        for index in parents.indices {
            let root = root(Int32(index))
            if root != index || groups[root] != nil { groups[root, default: [Int(root)]].append(index) }
        }
        return Array(groups.values)
    }
}

/// What two photos that look alike are to each other.
struct AlikeRelations {
    typealias Candidate = AlikeGroups.Candidate

    let columns: SearchColumns
    /// What is written in pictures, by their places: hashes of words, each once and in order.
    private let words: [Int: [Int]]

    init(_ columns: SearchColumns) {
        self.columns = columns
        let written = columns.traits.indices.filter { columns.traits[$0].contains(.written) }
        words = Dictionary(uniqueKeysWithValues: written.map { ($0, Self.words(columns.text($0))) })
    }

    /// The last text of a photo, word by word; of Chinese, which has no blanks, sign by sign.
    private static func words(_ texts: UnsafeRawBufferPointer) -> [Int] {
        guard let text = texts.split(separator: 0).last else { return [] }
        var (found, word): (Set<Int>, [UInt32]) = ([], [])
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            if scalar.isIdeographic {
                found.insert([scalar.value].hashValue)
            } else if scalar != " ", scalar != "\n" {
                word.append(scalar.value)
                continue
            }
            if !word.isEmpty { found.insert(word.hashValue) }
            word = []
        }
        if !word.isEmpty { found.insert(word.hashValue) }
        return found.sorted()
    }

    /// Copies of 15 photos, halved, brighter and cropped to 94 %, are all nearer than this; other photos are not.
    private static let duplicateDistance: Float = 0.1
    /// Screens of one program look alike, whatever they say.
    private static let screenshotDistance: Float = 0.02
    /// Of all words of two pictures together, how many stand in both of one document: some are read wrong in a smaller copy.
    private static let commonShare = 0.6
    /// Fewer say nothing.
    private static let fewestWords = 5
    private static let burstMilliseconds: Int64 = 2000
    private static let videoMilliseconds: UInt32 = 500

    func areDuplicates(_ one: Candidate, _ other: Candidate) -> Bool {
        guard let distance = one.likeness.distance(to: other.likeness), distance <= Self.duplicateDistance,
            one.likeness.hasColours(of: other.likeness), areOfOneKind(one.place, other.place),
            !isRawAndPicture(one.place, other.place)
        else { return false }
        let screenshot = PhotoTraits(.screenshot)
        let areScreens = traits(one.place).contains(screenshot) && traits(other.place).contains(screenshot)
        guard !areScreens || distance <= Self.screenshotDistance else { return false }
        guard !(traits(one.place).contains(.apart) && traits(other.place).contains(.apart)) else { return false }
        guard !sayDifferentThings(one.place, other.place) else { return false }
        return !areOfOneMoment(one.place, other.place)
    }

    /// Whether one may be no more than a copy of the best, and nobody has done anything with it: only the pixels of such are
    /// compared. Two that a camera took at two times are two photos, however alike, and what has more than one picture has
    /// more than is compared.
    func mayBeCopy(_ one: Candidate, of best: Candidate) -> Bool {
        guard one.likeness.isSame(as: best.likeness) else { return false }
        let both = traits(one.place).union(traits(best.place))
        guard both.isDisjoint(with: PhotoTraits([.video, .animated, .raw, .damaged])),
            traits(one.place).isDisjoint(with: [PhotoTraits(.live), .livePhoto, .pictureOfShot])
        else { return false }
        if let taken = columns.shotAt[one.place], let bestTaken = columns.shotAt[best.place], taken != bestTaken {
            return false
        }
        guard traits(one.place).isDisjoint(with: [PhotoTraits(.favourite), .captioned, .apart]) else { return false }
        return Set(columns.albums(of: one.place)).isSubset(of: columns.albums(of: best.place))
    }

    /// Pages of one form, and screens of one program, look alike, and differ in what is written on them.
    private func sayDifferentThings(_ one: Int, _ other: Int) -> Bool {
        guard let words = self.words[one], let others = self.words[other],
            min(words.count, others.count) >= Self.fewestWords
        else { return false }
        var (common, place) = (0, others.startIndex)
        for word in words {
            while place < others.endIndex, others[place] < word { place += 1 }
            if place < others.endIndex, others[place] == word { common += 1 }
        }
        return Double(common) < Double(words.count + others.count - common) * Self.commonShare
    }

    func areBurst(_ one: Candidate, _ other: Candidate) -> Bool {
        guard let distance = one.likeness.distance(to: other.likeness), distance <= SearchColumns.similarDistance else {
            return false
        }
        return !isRawAndPicture(one.place, other.place) && areOfOneMoment(one.place, other.place)
    }

    /// Whether bursts may go on from the newer to the older one.
    func standNear(_ newer: Int, _ older: Int) -> Bool {
        columns.shownAt[newer] - columns.shownAt[older] <= Self.burstMilliseconds
    }

    /// The larger picture, then the better format, then more bytes; what is damaged comes last.
    func isBetter(_ one: Int, _ other: Int) -> Bool { rank(one) > rank(other) }

    private typealias Rank = (Int, UInt64, Int, UInt64, UInt64)

    private func rank(_ place: Int) -> Rank {
        let pixels = UInt64(columns.widths[place]) * UInt64(columns.heights[place])
        // Of equal ones that which came first.
        return (
            traits(place).contains(PhotoTraits(.damaged)) ? 0 : 1, pixels, formatRank(traits(place)),
            columns.byteCounts[place], .max - columns.serials[place]
        )
    }

    private func formatRank(_ traits: PhotoTraits) -> Int {
        if traits.contains(PhotoTraits(.raw)) { return 3 }
        if !traits.isDisjoint(with: [PhotoTraits(.heic), PhotoTraits(.avif), PhotoTraits(.tiff)]) { return 2 }
        return traits.contains(PhotoTraits(.jpeg)) ? 1 : 0
    }

    private func traits(_ place: Int) -> PhotoTraits { columns.traits[place] }

    /// Pictures, or videos that last as long.
    private func areOfOneKind(_ one: Int, _ other: Int) -> Bool {
        let video = PhotoTraits(.video)
        guard traits(one).contains(video) == traits(other).contains(video) else { return false }
        let (length, otherLength) = (columns.lengths[one], columns.lengths[other])
        return !traits(one).contains(video)
            || max(length, otherLength) - min(length, otherLength) <= Self.videoMilliseconds
    }

    /// Sensor data and the picture that the camera made of it: whoever has both wants both.
    private func isRawAndPicture(_ one: Int, _ other: Int) -> Bool {
        let raw = PhotoTraits(.raw)
        return traits(one).contains(raw) != traits(other).contains(raw) && stem(one) == stem(other)
    }

    /// Two pictures of one camera within two seconds. A copy has the time of what it was made of, and another size or
    /// a name that says more than another number.
    private func areOfOneMoment(_ one: Int, _ other: Int) -> Bool {
        guard let taken = columns.shotAt[one], let otherTaken = columns.shotAt[other],
            abs(taken - otherTaken) <= Self.burstMilliseconds, columns.widths[one] == columns.widths[other],
            columns.heights[one] == columns.heights[other]
        else { return false }
        guard taken == otherTaken else { return true }
        // To the thousandth of a second it is one.
        guard taken.dividedDown(by: 1000).remainder == 0 else { return false }
        return stem(one) != stem(other) && withoutNumbers(stem(one)) == withoutNumbers(stem(other))
    }

    private func stem(_ place: Int) -> ArraySlice<UInt8> {
        let text = columns.text(place)
        let name = Array(text.prefix { $0 != 0 })
        let file = name.lastIndex(of: UInt8(ascii: "/")).map { name[($0 + 1)...] } ?? name[...]
        return file.lastIndex(of: UInt8(ascii: ".")).map { file[..<$0] } ?? file
    }

    private func withoutNumbers(_ name: ArraySlice<UInt8>) -> [UInt8] {
        name.filter { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
