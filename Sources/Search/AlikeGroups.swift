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
        let relations = AlikeRelations(columns: columns)
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
