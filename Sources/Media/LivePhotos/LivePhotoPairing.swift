/// Finds the photo and the few seconds of video that are one Live Photo, and the raw file and the picture of one shot.
package struct LivePhotoPairing<ID: Hashable & Sendable>: Sendable {
    package struct Candidate: Sendable {
        package let id: ID
        let name: String
        let type: MediaType
        let facts: MediaFacts
        /// Nil for what is half of no shot.
        let shot: ShotKey?

        package init(id: ID, name: String, type: MediaType, facts: MediaFacts, shot: ShotKey? = nil) {
            self.id = id
            self.name = name
            self.type = type
            self.facts = facts
            self.shot = shot
        }
    }

    package struct Pair: Equatable, Sendable {
        package let photo: ID
        package let video: ID
    }

    /// In the order of the photos given; nobody is in two pairs.
    package let pairs: [Pair]
    /// Raw files by the pictures of the same shots.
    package let raws: [ID: ID]

    /// Same content identifier; else same name but for the extension, a video of a few seconds and about the same time.
    package init(_ candidates: some Sequence<Candidate>) {
        let candidates = Array(candidates)
        let photos = candidates.filter { $0.type.isPicture }
        let videos = candidates.filter { $0.type.isVideo }
        var matcher = Matcher()
        // Of a shot the picture has the video: the raw file goes along with it.
        let (pictures, raws) = (photos.filter { !$0.type.isRaw }, photos.filter(\.type.isRaw))
        let ordered = pictures + raws
        matcher.match(ordered, videos, by: \.facts.contentIdentifier) { _, _ in true }
        matcher.match(ordered, videos, by: \.stem, where: Candidate.belongTogether)
        let found = matcher.videoByPhoto
        pairs = photos.compactMap { photo in found[photo.id].map { Pair(photo: photo.id, video: $0) } }
        let halves = photos.indices.compactMap { place in
            photos[place].shot.map { (place: place, key: $0, isRaw: photos[place].type.isRaw) }
        }
        self.raws = Dictionary(ShotKey.raws(of: halves).map { (photos[$0].id, photos[$1].id) }) { first, _ in first }
    }

    private struct Matcher {
        var videoByPhoto: [ID: ID] = [:]
        var takenVideos: Set<ID> = []

        /// Within each key the photo and the video whose names agree come first, for an identifier survives copies.
        mutating func match(
            _ photos: [Candidate], _ videos: [Candidate], by key: (Candidate) -> String?,
            where fits: (Candidate, Candidate) -> Bool
        ) {
            let videosByKey = Dictionary(grouping: videos.filter { key($0) != nil }) { key($0) ?? "" }
            for photo in photos where videoByPhoto[photo.id] == nil {
                guard let wanted = key(photo), let group = videosByKey[wanted] else { continue }
                let free = group.prefix(16).filter { !takenVideos.contains($0.id) && fits(photo, $0) }
                guard let video = free.first(where: { $0.stem == photo.stem }) ?? free.first else { continue }
                videoByPhoto[photo.id] = video.id
                takenVideos.insert(video.id)
            }
        }
    }
}

extension LivePhotoPairing.Candidate {
    /// Live Photos last about three seconds.
    package static var longestDuration: Duration { .seconds(6) }

    /// The name without folder and extension, in small letters, and without what exporters add to a video's.
    package var stem: String { Self.stem(of: name) }

    package static func stem(of name: String) -> String {
        let file = name.split(separator: "/").last.map(String.init) ?? name
        // `PXL_1.MP.jpg` has its video as `PXL_1.MP`; once it was changed, `PXL_1.MP~2.jpg` has it as `PXL_1.MP~2`.
        if file.utf8.contains(UInt8(ascii: "~")),
            let match = file.firstMatch(of: /^(.+)\.mp(~[0-9]+)(?:\.[^.]*)?$/.ignoresCase())
        {
            return (match.1 + match.2).lowercased()
        }
        let end = file.lastIndex(of: ".") ?? file.endIndex
        let stem = (end == file.startIndex ? file[...] : file[..<end]).lowercased()
        let added = ["_hevc", ".mp"].first { stem.hasSuffix($0) && stem.utf8.count > $0.utf8.count }
        return String(stem.dropLast(added?.count ?? 0))
    }

    fileprivate static func belongTogether(_ photo: Self, _ video: Self) -> Bool {
        let identifiers = [photo, video].compactMap(\.facts.contentIdentifier)
        guard Set(identifiers).count < 2, let duration = video.facts.duration, duration <= longestDuration else {
            return false
        }
        guard let taken = photo.facts.takenAt, let recorded = video.facts.takenAt else { return true }
        // Two instants differ by seconds. A clock without its zone differs from an instant by up to half a day and more.
        // A camera whose clock was left at home does not show the time of its place.
        let isSure = taken.isInstant && !taken.isInstantOfPlace && recorded.isInstant
        let difference = taken.milliseconds.subtractingReportingOverflow(recorded.milliseconds)
        return !difference.overflow && difference.partialValue.magnitude <= (isSure ? 60_000 : 86_400_000)
    }
}

/// What a raw file has in common with the picture that the camera made of the same shot: name, moment, folder, and who
/// brought them.
package struct ShotKey: Hashable, Sendable {
    private let stem: String
    /// By the camera's clock. The two may tell other fractions of it.
    private let second: Int64
    private let folder: Int64?
    private let origin: [UInt8]?

    /// Nil for what is no picture, and where nobody knows the moment.
    /// - Parameters:
    ///   - folder: where it lay, however that is told; nil where nobody knows.
    ///   - origin: by what way it came, nil for the owner's own: what somebody else brought must not hide behind a photo
    ///     of the owner's.
    package init?(name: String, type: MediaType, takenAt: CaptureTime?, folder: Int64? = nil, origin: [UInt8]? = nil) {
        guard type.isPicture, let takenAt, takenAt.precision == .moment else { return nil }
        stem = LivePhotoPairing<Int>.Candidate.stem(of: name)
        second = takenAt.wallClockMilliseconds.dividedDown(by: 1000).quotient
        self.folder = folder
        self.origin = origin
    }

    /// The places of raw files by those of their pictures. Of several of one shot the first ones belong together.
    package static func raws<Key: Hashable>(of shots: [(place: Int, key: Key, isRaw: Bool)]) -> [Int: Int] {
        guard shots.contains(where: \.isRaw) else { return [:] }
        var found: [Int: Int] = [:]
        for alike in Dictionary(grouping: shots, by: \.key).values where alike.count > 1 {
            for (picture, raw) in zip(alike.filter { !$0.isRaw }, alike.filter(\.isRaw)) {
                found[picture.place] = raw.place
            }
        }
        return found
    }
}
