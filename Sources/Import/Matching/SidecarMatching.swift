import Media

/// Finds for each photo of one folder the file that speaks of it.
struct SidecarMatching {
    struct Named {
        var file: Int
        var family: FamilyName
        var type: MediaType
    }

    /// By the photo's place in the list of files: the sidecars that speak of it, the best first.
    private(set) var sidecars: [Int: [Int]] = [:]
    private(set) var used: Set<Int> = []
    private let files: [ImportFile]

    init(_ files: [ImportFile], photos: [Int], notes: [Int]) {
        self.files = files
        let photos = photos.map { index in
            Named(file: index, family: Self.family(files[index]), type: files[index].type)
        }
        let notes = notes.map { index in
            Named(file: index, family: Self.family(files[index]), type: .other)
        }
        match(photos, Dictionary(grouping: notes) { $0.family.key })
        matchTitles(photos.filter { sidecars[$0.file] == nil }, notes.filter { !used.contains($0.file) })
    }

    private static func family(_ file: ImportFile) -> FamilyName {
        FamilyName(ImportTree.composed(file.name), isKnown: file.content == nil)
    }

    private mutating func match(_ photos: [Named], _ notes: [Int64: [Named]]) {
        for photo in photos {
            let family = (notes[photo.family.key] ?? []).filter { $0.family.isFamily(of: photo.family) }
            // One of each kind: what an editor noted and what an archive says are both true.
            for kind in [FamilyName.Sidecar.takeout, .xmp] {
                let ranked = family.filter { $0.family.sidecar == kind }
                    .compactMap { note in Self.rank(note.family, for: photo).map { (note.file, $0) } }
                guard let best = ranked.min(by: { $0.1 < $1.1 }) else { continue }
                sidecars[photo.file, default: []].append(best.0)
                used.insert(best.0)
            }
        }
    }

    /// Of videos whose content is damaged.
    private static let videoEndings = Set(["mp", "mp4", "mov", "m4v"].map { Array($0.utf8) })

    /// How little a sidecar is the one meant; nil where it cannot be.
    private static func rank(_ note: FamilyName, for photo: Named) -> Int? {
        var rank = note.isEdited == photo.family.isEdited ? 0 : photo.family.isEdited ? 1 : 8
        if note.ending == photo.family.ending { return rank }
        if note.ending.isEmpty { return rank + 2 }
        // A Live Photo's video, and a picture that was changed, have another ending than the one they belong to.
        guard photo.type.isVideo || videoEndings.contains(photo.family.ending) || photo.family.isEdited else {
            return nil
        }
        rank += 4
        return rank
    }

    /// Names that the archive changed beyond what is known: by the title that the sidecar has kept.
    private mutating func matchTitles(_ photos: [Named], _ notes: [Named]) {
        var places: [String: [Named]] = [:]
        for photo in photos { places[Self.titleKey(files[photo.file].name), default: []].append(photo) }
        for note in notes {
            guard case .note(let said) = files[note.file].content, let title = said.title else { continue }
            let candidates = (places[Self.titleKey(title)] ?? [])
                .filter { $0.family.copy == note.family.copy && sidecars[$0.file] == nil }
            guard let photo = candidates.first else { continue }
            sidecars[photo.file] = [note.file]
            used.insert(note.file)
        }
    }

    /// The beginning of a name in small letters, with `_` for every sign: archives cut names, and replace signs.
    private static func titleKey(_ name: String) -> String {
        let family = FamilyName(ImportTree.composed(name), isKnown: true)
        let stem = String(decoding: family.stem, as: UTF8.self).lowercased()
        return String(stem.map { $0.isLetter || $0.isNumber ? $0 : "_" }.prefix(40))
    }
}
