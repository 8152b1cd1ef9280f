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
