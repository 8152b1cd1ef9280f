package import Media

/// Where a page of a list ends: never between the photo and the video of a Live Photo that stand near each other, nor
/// between the raw file and the picture of a shot.
package enum LivePhotoPage {
    /// How many photos more than a page are looked at, and up to one less may be taken along.
    package static let margin = 32

    /// - Parameters:
    ///   - found: in the order of the list, from the page's first photo on; up to `limit + margin`. Only those near the
    ///     limit are looked at, so a lazy collection makes no others.
    ///   - limit: of a page that cuts no pair.
    /// - Returns: how many of them the page has.
    package static func end<ID, Found: RandomAccessCollection>(of found: Found, limit: Int) -> Int
    where Found.Element == LivePhotoPairing<ID>.Candidate, Found.Index == Int {
        guard found.count > limit else { return found.count }
        let start = max(0, limit - margin)
        let near = Array(found.dropFirst(start))
        let places = Dictionary(near.enumerated().map { ($1.id, start + $0) }) { first, _ in first }
        let pairing = LivePhotoPairing(near)
        let halves = pairing.pairs.map { ($0.photo, $0.video) } + pairing.raws.map { ($0, $1) }
        let pairs = halves.compactMap { one, other -> ClosedRange<Int>? in
            guard let photo = places[one], let video = places[other] else { return nil }
            return min(photo, video)...max(photo, video)
        }
        // The last one found stays: it says that there is another page.
        let whole = pairs.filter { $0.upperBound < found.count - 1 }
        var end = limit
        while let cut = whole.first(where: { $0.lowerBound < end && $0.upperBound >= end }) {
            end = cut.upperBound + 1
        }
        return end
    }
}
