/// Finds the photo to which each sidecar belongs, among files whose names may be of one family.
package struct SidecarPairing: Sendable {
    package struct Candidate: Sendable {
        /// Grows in the order in which files came.
        package let serial: UInt64
        let name: FamilyName
        let type: MediaType
        /// What lies in "Recently deleted" and what does not never belong together.
        let isDeleted: Bool
        /// By what way it came, nil for the owner's own: what somebody else brought must not hide behind a photo of the
        /// owner's, nor go with it.
        let origin: [UInt8]?

        package init(serial: UInt64, name: String, type: MediaType, isDeleted: Bool, origin: [UInt8]? = nil) {
            self.serial = serial
            self.name = FamilyName(name, isKnown: type != .other)
            self.type = type
            self.isDeleted = isDeleted
            self.origin = origin
        }

        package var isSidecar: Bool { name.sidecar != nil }
    }

    /// The serials of sidecars, and of the photos that they belong to.
    package private(set) var owners: [UInt64: UInt64] = [:]

    package init(_ candidates: some Sequence<Candidate>) {
        let candidates = candidates.sorted { $0.serial < $1.serial }
        let photos = candidates.filter { $0.type != .other }
        guard !photos.isEmpty else { return }
        let sidecars = Dictionary(grouping: candidates.filter(\.isSidecar)) { candidate in
            Kind(
                whole: candidate.name.whole, sidecar: candidate.name.sidecar, isDeleted: candidate.isDeleted,
                origin: candidate.origin)
        }
        for alike in sidecars.values { match(alike, Self.best(for: alike[0], among: photos)) }
    }

    /// Tells sidecars that have one name by their kind.
    private struct Kind: Hashable {
        let whole: [UInt8]
        let sidecar: FamilyName.Sidecar?
        let isDeleted: Bool
        let origin: [UInt8]?
    }

    /// Those of the same, lowest rank, in their order.
    private static func best(for sidecar: Candidate, among photos: [Candidate]) -> [Candidate] {
        let ranked = photos.filter {
            $0.isDeleted == sidecar.isDeleted && $0.origin == sidecar.origin && sidecar.name.isFamily(of: $0.name)
        }
        .map { ($0, rank($0, for: sidecar)) }
        guard let lowest = ranked.map(\.1).min() else { return [] }
        return ranked.filter { $0.1 == lowest }.map(\.0)
    }

    /// How little a photo is the one meant, of those of its family.
    private static func rank(_ photo: Candidate, for sidecar: Candidate) -> Int {
        var rank = photo.name.isEdited != sidecar.name.isEdited ? 4 : 0
        if sidecar.name.ending.isEmpty {
            // Raw files cannot be written into, so programs write beside them; Apple writes beside pictures.
            let isMeant = sidecar.name.sidecar == .xmp ? photo.type.isRaw : photo.type.isPicture
            rank += isMeant ? 0 : photo.type.isPicture ? 1 : 2
        } else if sidecar.name.ending != photo.name.ending {
            rank += 8
        }
        return rank
    }

    /// Several photos of one name, and several sidecars of one name: in their order where all have come, else what came
    /// nearest to each other.
    private mutating func match(_ sidecars: [Candidate], _ photos: [Candidate]) {
        guard !photos.isEmpty else { return }
        if sidecars.count == photos.count {
            for (sidecar, photo) in zip(sidecars, photos) { owners[sidecar.serial] = photo.serial }
            return
        }
        for sidecar in sidecars {
            let nearest = photos.min { Self.distance($0, sidecar) < Self.distance($1, sidecar) }
            owners[sidecar.serial] = nearest?.serial
        }
    }

    private static func distance(_ photo: Candidate, _ sidecar: Candidate) -> UInt64 {
        max(photo.serial, sidecar.serial) - min(photo.serial, sidecar.serial)
    }
}
