import Media

/// What two photos that look alike are to each other.
struct AlikeRelations {
    typealias Candidate = AlikeGroups.Candidate

    let columns: SearchColumns

    /// Copies of 15 photos, halved, brighter and cropped to 94 %, are all nearer than this; other photos are not.
    private static let duplicateDistance: Float = 0.1
    /// Screens of one program look alike, whatever they say.
    private static let screenshotDistance: Float = 0.02
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
