import Glibc
import Media

/// What a search knows of all photos of a vault, column by column, in the order of the timeline: the newest first.
package struct SearchColumns: Sendable {
    package private(set) var serials: [UInt64] = []
    package private(set) var shownAt: [Int64] = []
    package private(set) var byteCounts: [UInt64] = []
    private(set) var traits: [PhotoTraits] = []
    private(set) var lengths: [UInt32] = []
    private(set) var widths: [UInt32] = []
    private(set) var heights: [UInt32] = []
    private(set) var shotAt: [Int64?] = []
    /// What places are called, by their numbers; -1 for none.
    private var locations: [Int32] = []
    /// In 10⁻⁵ degrees; `nowhere` for none.
    private var latitudes: [Int32] = []
    private var longitudes: [Int32] = []
    /// Entry n + 1 is where the albums, and the text, of photo n end.
    private(set) var albumEnds = [0]
    private(set) var albums: [UInt32] = []
    private(set) var textEnds = [0]
    private(set) var text = WipedBytes(count: 0) { _ in }
    /// `Placeholder.byteCount` of each; zeros where there is none.
    private(set) var placeholders: [UInt8] = []
    private(set) var halves: [LivePhotoHalf] = []
    /// Of the other half of a Live Photo; -1 for what is none.
    private(set) var partners: [Int] = []
    private(set) var shots: [Int] = []
    /// The places of raw files by those of the pictures of the same shots.
    private(set) var raws: [Int: Int] = [:]

    package var count: Int { serials.count }

    package init() {}

    /// Those of other columns without some, and rows that come to them.
    /// - Parameters:
    ///   - gone: serials that are left out, also those of which new rows come.
    package init(_ columns: SearchColumns, without gone: Set<UInt64>, adding rows: [SearchRow]) {
        let added = rows.sorted { ($0.shownAt, $0.serial) > ($1.shownAt, $1.serial) }
        let kept = columns.serials.indices.filter { gone.isEmpty || !gone.contains(columns.serials[$0]) }
        reserve(kept.count + added.count)
        var sources: [Source] = []
        sources.reserveCapacity(kept.count + added.count)
        var next = 0
        for index in kept {
            while next < added.count, columns.stands(index, behind: added[next]) {
                append(added[next], &sources)
                next += 1
            }
            append(columns, index, &sources)
        }
        for row in added[next...] { append(row, &sources) }
        copyText(columns, sources)
        pair()
        pairShots()
    }

    private enum Source {
        case kept(Range<Int>)
        case added([UInt8])
    }

    private mutating func reserve(_ count: Int) {
        serials.reserveCapacity(count)
        shownAt.reserveCapacity(count)
        byteCounts.reserveCapacity(count)
        traits.reserveCapacity(count)
        lengths.reserveCapacity(count)
        widths.reserveCapacity(count)
        heights.reserveCapacity(count)
        shotAt.reserveCapacity(count)
        locations.reserveCapacity(count)
        latitudes.reserveCapacity(count)
        longitudes.reserveCapacity(count)
        halves.reserveCapacity(count)
        shots.reserveCapacity(count)
        albumEnds.reserveCapacity(count + 1)
        textEnds.reserveCapacity(count + 1)
        placeholders.reserveCapacity(count * Placeholder.byteCount)
    }

    private func stands(_ index: Int, behind row: SearchRow) -> Bool {
        (shownAt[index], serials[index]) < (row.shownAt, row.serial)
    }

    private mutating func append(_ row: SearchRow, _ sources: inout [Source]) {
        serials.append(row.serial)
        shownAt.append(row.shownAt)
        byteCounts.append(row.byteCount)
        traits.append(row.traits)
        lengths.append(row.length)
        widths.append(row.width)
        heights.append(row.height)
        shotAt.append(row.shotAt)
        locations.append(Int32(row.location ?? -1))
        latitudes.append(row.position.map { Int32(($0.latitude * 1e5).rounded()) } ?? Self.nowhere)
        longitudes.append(row.position.map { Int32(($0.longitude * 1e5).rounded()) } ?? Self.nowhere)
        halves.append(row.half)
        shots.append(row.shot)
        albums += row.albums
        albumEnds.append(albums.count)
        let isWhole = row.placeholder.count == Placeholder.byteCount
        placeholders += isWhole ? row.placeholder : [UInt8](repeating: 0, count: Placeholder.byteCount)
        textEnds.append(textEnds[textEnds.count - 1] + row.text.count)
        sources.append(.added(row.text))
    }

    private mutating func append(_ columns: SearchColumns, _ index: Int, _ sources: inout [Source]) {
        serials.append(columns.serials[index])
        shownAt.append(columns.shownAt[index])
        byteCounts.append(columns.byteCounts[index])
        traits.append(columns.traits[index])
        lengths.append(columns.lengths[index])
        widths.append(columns.widths[index])
        heights.append(columns.heights[index])
        shotAt.append(columns.shotAt[index])
        locations.append(columns.locations[index])
        latitudes.append(columns.latitudes[index])
        longitudes.append(columns.longitudes[index])
        halves.append(columns.halves[index])
        shots.append(columns.shots[index])
        albums += columns.albums(of: index)
        albumEnds.append(albums.count)
        placeholders += columns.placeholder(index)
        let range = columns.textEnds[index]..<columns.textEnds[index + 1]
        textEnds.append(textEnds[textEnds.count - 1] + range.count)
        sources.append(.kept(range))
    }

    private mutating func copyText(_ columns: SearchColumns, _ sources: [Source]) {
        text = WipedBytes(count: textEnds[textEnds.count - 1]) { place in
            var offset = 0
            for source in sources {
                let rest = UnsafeMutableRawBufferPointer(rebasing: place[offset...])
                switch source {
                case .kept(let range):
                    rest.copyMemory(from: UnsafeRawBufferPointer(rebasing: columns.text.bytes[range]))
                    offset += range.count
                case .added(let bytes):
                    rest.copyBytes(from: bytes)
                    offset += bytes.count
                }
            }
        }
    }

    /// Halves of a Live Photo stand near each other, as lists look for them.
    private mutating func pair() {
        partners = [Int](repeating: -1, count: count)
        for index in traits.indices { traits[index].subtract(.ofPair) }
        let videos = halves.indices.filter { halves[$0].isVideo }
        for fits in [LivePhotoHalf.haveOneIdentifier, LivePhotoHalf.haveOneName] {
            for video in videos where partners[video] < 0 {
                let near = max(0, video - Self.pairMargin)..<min(count, video + Self.pairMargin + 1)
                let photos = near.filter { partners[$0] < 0 && halves[$0].isPhoto && fits(halves[$0], halves[video]) }
                let named = photos.filter { halves[$0].stem == halves[video].stem }
                // Of a shot the picture has the video: the raw file goes along with it.
                guard let photo = named.first(where: { !isRaw($0) }) ?? named.first ?? photos.first else { continue }
                (partners[photo], partners[video]) = (video, photo)
                traits[photo].insert(.livePhoto)
                traits[video].insert(.liveVideo)
            }
        }
    }

    private mutating func pairShots() {
        let halves = shots.indices.filter { shots[$0] != 0 }
        raws = ShotKey.raws(of: halves.map { (place: $0, key: shots[$0], isRaw: isRaw($0)) })
        for (picture, raw) in raws {
            traits[picture].insert(.pictureOfShot)
            traits[raw].insert(.rawOfShot)
        }
    }

    private func isRaw(_ index: Int) -> Bool { traits[index].contains(PhotoTraits(.raw)) }

    private static let pairMargin = 32
    private static let nowhere = Int32.min

    // MARK: Reading

    package func placeholder(_ index: Int) -> ArraySlice<UInt8> {
        placeholders[index * Placeholder.byteCount..<(index + 1) * Placeholder.byteCount]
    }

    /// The serial of the video of a Live Photo; nil for every other photo.
    package func video(of index: Int) -> UInt64? {
        guard partners[index] >= 0, !traits[index].contains(.liveVideo) else { return nil }
        return serials[partners[index]]
    }

    /// The serial of the raw file of the same shot; nil for whatever is not the picture of one.
    package func raw(of index: Int) -> UInt64? { raws[index].map { serials[$0] } }

    /// The number of what the place is called where it was taken (`PlaceNames`).
    package func location(_ index: Int) -> Int? { locations[index] < 0 ? nil : Int(locations[index]) }

    /// Where it was taken, in degrees.
    package func position(_ index: Int) -> (latitude: Double, longitude: Double)? {
        guard latitudes[index] != Self.nowhere else { return nil }
        return (Double(latitudes[index]) / 1e5, Double(longitudes[index]) / 1e5)
    }

    package func albums(of index: Int) -> ArraySlice<UInt32> { albums[albumEnds[index]..<albumEnds[index + 1]] }

    func text(_ index: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: text.bytes[textEnds[index]..<textEnds[index + 1]])
    }
}

/// Bytes that are overwritten when they go. What the heap frees in large blocks is not overwritten by itself, and the
/// names of a vault must not outlive its lock.
final class WipedBytes: @unchecked Sendable {
    // Nothing writes to it after `init`, so that any thread may read it.
    let bytes: UnsafeRawBufferPointer

    /// - Parameter fill: writes all of them.
    init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        let place = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, count), alignment: 16)
        place.initializeMemory(as: UInt8.self, repeating: 0)
        fill(UnsafeMutableRawBufferPointer(rebasing: place[..<count]))
        bytes = UnsafeRawBufferPointer(place)
    }

    deinit {
        let place = UnsafeMutableRawBufferPointer(mutating: bytes)
        if let start = place.baseAddress { explicit_bzero(start, place.count) }
        place.deallocate()
    }
}
