import Media

/// Finds for each photo of one folder the file that speaks of it.
struct SidecarMatching {
    /// How sure it is that a sidecar means this photo.
    enum Fit {
        /// It is called after it.
        case own
        /// It is called after the picture of which this is the video, the changed one, or the one in another format.
        case part
        /// By its title, or by a name that was cut.
        case likely
        /// By the beginning of its name alone: it speaks of another photo, of which this one may be a version.
        case guess
    }

    private struct Named {
        var file: Int
        /// Of the export, in which it lies.
        var part: Int
        var family: FamilyName
        var type: MediaType
        /// The ending of the photo, or of the one that a sidecar means.
        var ending: [UInt8]
    }

    private struct Place: Hashable {
        var part: Int
        var name: String
    }

    /// What lies elsewhere comes after all that lies in the same part.
    private static let elsewhere = 100

    /// By the photo's place in the list of files: the sidecars that speak of it, the best first.
    private(set) var sidecars: [Int: [(note: Int, fit: Fit)]] = [:]
    private(set) var used: Set<Int> = []
    /// Those of them whose own photo is here: what is said of it lies in the vault only with it.
    private(set) var owned: Set<Int> = []
    /// Photos that have no sidecar, for the one that fits lies beside another photo of the same name.
    private(set) var unclear: Set<Int> = []
    /// Those of them whose own photo surely is of their export.
    private var surelyOwned: Set<Int> = []
    private var strayed: Set<Int> = []
    /// Sidecars that were given to a photo of another part, of which nothing says that it is of the same export.
    var doubtful: Set<Int> { strayed.subtracting(surelyOwned) }
    private let files: [ImportFile]
    private let laid: ImportTrees
    private var parts: [Int] { laid.parts }
    private var photosByPlace: [Place: Int] = [:]

    /// - Parameter laid: the same files in their exports
    init(_ files: [ImportFile], _ laid: ImportTrees, photos: [Int], notes: [Int]) {
        self.files = files
        self.laid = laid
        let parts = laid.parts
        let named = { (index: Int, type: MediaType) in
            let family = Self.family(files[index])
            return Named(
                file: index, part: parts[index], family: family, type: type, ending: family.format)
        }
        guard !notes.isEmpty else { return }
        let photos = photos.map { named($0, files[$0].type) }
        let endings = Dictionary(grouping: photos) { $0.family.key }.mapValues { Set($0.map(\.ending)) }
        let notes = notes.map { index in
            var note = named(index, .other)
            // Of several photos of one name without its ending the title says which is meant.
            if note.ending.isEmpty, case .note(let said) = files[index].content, let title = said.title {
                let titled = FamilyName(title, isKnown: true).format
                if endings[note.family.key]?.contains(titled) == true { note.ending = titled }
            }
            return note
        }
        for photo in photos { photosByPlace[place(photo, in: photo.part)] = photo.file }
        match(photos, Dictionary(grouping: notes) { $0.family.key })
        let exported = notes.filter { $0.family.sidecar == .takeout }
        matchBeginnings(photos.filter { !hasExported($0) }, exported)
        matchCut(photos.filter { !hasExported($0) && !unclear.contains($0.file) }, exported)
        matchTitles(photos.filter { sidecars[$0.file] == nil }, exported.filter { !used.contains($0.file) })
    }

    /// What the sidecars of a photo say. That a photo lies in the trash is believed of what is surely meant alone: what is
    /// not brought, somebody may delete. Parts that only lie side by side may be of two people. Of another name it is surely one only in the same part: parts that came apart may
    /// call two photos alike. A video beside a JPEG is as often another one of its number as that of a Live Photo.
    /// What has its own photo in its own part is not said of what only is called alike elsewhere.
    func notes(of photo: Int) -> (notes: [SidecarNote], wasSpared: Bool, isForeign: Bool) {
        var (wasSpared, isForeign) = (false, false)
        let notes = (sidecars[photo] ?? []).compactMap { found -> SidecarNote? in
            guard var note = files[found.note].note else { return nil }
            let isSurelyPart =
                found.fit == .part && owned.contains(found.note) && parts[found.note] == parts[photo]
                && isOfPicture(photo, found.note)
            let isMeant = found.fit == .own && laid.isOfOneExport(photo, found.note) || isSurelyPart
            if note.isTrashed, !isMeant { (note.isTrashed, wasSpared) = (false, true) }
            if found.fit != .own, surelyOwned.contains(found.note), !laid.isOfOneExport(photo, found.note) {
                isForeign = true
                return nil
            }
            switch found.fit {
            case .own, .part: return note
            case .likely: return note.leadingNothing()
            case .guess: return note.asGuess()
            }
        }
        return (notes, wasSpared, isForeign)
    }

    /// Whether a video is that of the picture which a sidecar names; true of what is none.
    private func isOfPicture(_ photo: Int, _ note: Int) -> Bool {
        !files[photo].type.isVideo || Self.family(files[photo]).isSurelyVideo(of: Self.family(files[note]))
    }

    static func family(_ file: ImportFile) -> FamilyName {
        let isKnown = file.content == nil
        return FamilyName(TakeoutNames.plain(file.name, isSidecar: !isKnown), isKnown: isKnown)
    }

    private func place(_ photo: Named, in part: Int) -> Place {
        Place(part: part, name: EntryName.composed(files[photo.file].name).lowercased())
    }

    private func hasExported(_ photo: Named) -> Bool {
        sidecars[photo.file]?.contains { if case .note = files[$0.note].content { true } else { false } } == true
    }

    /// - Parameter isOwner: the photo is the one of which the sidecar speaks, and no version or video of that.
    private mutating func take(_ note: Int, _ fit: Fit, for photo: Int, isOwner: Bool? = nil) {
        sidecars[photo, default: []].append((note, fit))
        // What it says beside a date and a place is that of its own photo.
        if fit != .guess { used.insert(note) }
        let isOne = laid.isOfOneExport(photo, note)
        if isOwner ?? (fit == .own) {
            owned.insert(note)
            if isOne { surelyOwned.insert(note) }
        }
        if case .note = files[note].content, !isOne { strayed.insert(note) }
    }

    /// Of a name that was cut the title says which photo is meant.
    private func isTitled(_ note: Named, _ photo: Named) -> Bool {
        guard case .note(let said) = files[note.file].content, let title = said.title else { return true }
        let stem = FamilyName(title, isKnown: true).stem
        return stem.count < TakeoutNames.leastOfCut || TakeoutNames.isName(photo.family.stem, of: stem)
    }

    // MARK: By names

    private mutating func match(_ photos: [Named], _ notes: [Int64: [Named]]) {
        for photo in photos {
            let family = (notes[photo.family.key] ?? []).filter { note in
                note.family.isFamily(of: photo.family)
                    && (note.family.stem == photo.family.stem || isTitled(note, photo))
            }
            // What an editor noted and what an archive says are both true; and so are two of a kind that are as near.
            for kind in [FamilyName.Sidecar.takeout, .xmp] {
                let ranked = family.filter { $0.family.sidecar == kind }
                    .compactMap { note in Self.rank(note, for: photo).map { (note, $0.rank, $0.fit) } }
                let free = ranked.filter { isFree($0.0, for: photo) }
                guard let lowest = free.map(\.1).min() else {
                    if !ranked.isEmpty { unclear.insert(photo.file) }
                    continue
                }
                let best = free.filter { $0.1 == lowest }
                // Where names differ in the size or the form of letters alone, each has its own.
                let exact = best.filter { files[$0.0.file].name.utf8.starts(with: files[photo.file].name.utf8) }
                for (note, _, fit) in exact.isEmpty ? Array(best.prefix(1)) : exact {
                    take(note.file, fit, for: photo.file)
                }
            }
        }
    }

    /// Whether it does not lie, in another part, beside another photo of this name.
    private func isFree(_ note: Named, for photo: Named) -> Bool {
        guard note.part != photo.part, let other = photosByPlace[place(photo, in: note.part)] else { return true }
        return files[other].digest == files[photo.file].digest
    }

    /// How little a sidecar is the one meant; nil where it cannot be.
    private static func rank(_ note: Named, for photo: Named) -> (rank: Int, fit: Fit)? {
        let (wanted, told) = (photo.ending, note.ending)
        let isEdited = (photo: photo.family.isEdited, note: note.family.isEdited)
        var rank = isEdited.note == isEdited.photo ? 0 : isEdited.photo ? 1 : 8
        var fit = isEdited.note == isEdited.photo ? Fit.own : isEdited.photo ? .part : .likely
        if note.part != photo.part { rank += elsewhere }
        if told.isEmpty {
            rank += 2
        } else if told != wanted {
            guard isPart(photo, of: told) else { return nil }
            rank += 4
            if fit == .own { fit = .part }
        }
        return (rank, fit)
    }

    /// Of videos whose content is damaged.
    private static let videoEndings = Set(["mp", "mp4", "mov", "m4v"].map { Array($0.utf8) })
    private static let pictureOfPhones = Set(["heic", "dng"].map { Array($0.utf8) })

    /// A Live Photo's video, a picture that was changed, and the JPEG that phones and Google make of another format have
    /// another ending than the one they belong to.
    private static func isPart(_ photo: Named, of ending: [UInt8]) -> Bool {
        photo.type.isVideo || videoEndings.contains(photo.family.ending) || photo.family.isEdited
            || (photo.ending == FamilyName.jpeg && pictureOfPhones.contains(ending))
    }

    // MARK: By the beginning of names

    /// `X-COLLAGE.jpg`, `X~2.jpg`, `X-edited(1).jpg` and words of any language, whole or cut, with the sidecar of `X`; and
    /// `X.heic.jpg` with that of `X.heic`.
    private mutating func matchBeginnings(_ photos: [Named], _ notes: [Named]) {
        guard !photos.isEmpty, !notes.isEmpty else { return }
        let stems = Dictionary(grouping: notes) { $0.family.stem }
        let names = Dictionary(grouping: notes) { $0.family.stem + [UInt8(ascii: ".")] + $0.family.ending }
        for photo in photos {
            let named = (names[photo.family.stem] ?? []).filter { $0.family.copy == photo.family.copy }
            if let note = nearest(named, to: photo) {
                // Its ending was put right.
                take(note.file, .part, for: photo.file, isOwner: !photo.type.isVideo && !photo.family.isEdited)
                continue
            }
            for beginning in Self.beginnings(of: photo.family) {
                let alike = stems[beginning] ?? []
                let same = alike.filter { $0.family.copy == photo.family.copy }
                let found = nearest(same, to: photo) ?? nearest(alike.filter { $0.family.copy == 0 }, to: photo)
                guard let found else { continue }
                take(found.file, photo.family.isEdited ? .part : .guess, for: photo.file)
                break
            }
        }
    }

    /// Nil where two are as near.
    private func nearest(_ notes: [Named], to photo: Named) -> Named? {
        let ranked = notes.filter { isFree($0, for: photo) }.map { note in
            let isSame = note.ending == photo.ending
            return (note, (note.part == photo.part ? 0 : Self.elsewhere) + (isSame ? 0 : 4))
        }
        guard let lowest = ranked.map(\.1).min() else { return nil }
        let best = ranked.filter { $0.1 == lowest }
        return best.count == 1 ? best[0].0 : nil
    }

    /// What stands before `-` and a word, or before `~` and a number; the longest first.
    private static func beginnings(of family: FamilyName) -> [[UInt8]] {
        let stem = family.stem
        var found = family.isEdited ? [stem] : []
        for index in stem.indices.reversed() where index > 0 {
            let rest = stem[(index + 1)...]
            let digits = rest.count { (0x30...0x39).contains($0) }
            switch stem[index] {
            case UInt8(ascii: "-") where !rest.isEmpty && digits == 0: found.append(Array(stem[..<index]))
            case UInt8(ascii: "~") where !rest.isEmpty && digits == rest.count: found.append(Array(stem[..<index]))
            default: break
            }
        }
        // Of a Motion Photo, whose sidecar's name has lost that.
        return found + found.filter { $0.suffix(3).elementsEqual(".mp".utf8) }.map { Array($0.dropLast(3)) }
    }

    /// Copies for which there was no room, and changed pictures whose name was cut for the word.
    private mutating func matchCut(_ photos: [Named], _ notes: [Named]) {
        guard !photos.isEmpty, !notes.isEmpty else { return }
        let beginnings = Dictionary(grouping: notes) { $0.family.stem.prefix(TakeoutNames.leastOfCut) }
        for photo in photos {
            let near = beginnings[photo.family.stem.prefix(TakeoutNames.leastOfCut)] ?? []
            let numbered = near.filter { $0.family.copy == photo.family.copy }
            let cut = photo.family.copy > 0 ? near.filter { isCut($0, of: photo) } : []
            if let note = nearest(cut.filter { $0.family.copy == photo.family.copy }, to: photo) {
                take(note.file, .own, for: photo.file)
            } else if let beginning = TakeoutNames.beginning(ofCut: photo.family.stem),
                let note = nearest(numbered.filter { $0.family.stem.starts(with: beginning) }, to: photo)
            {
                take(note.file, .likely, for: photo.file)
            } else if let note = nearest(cut.filter { $0.family.copy == 0 }, to: photo) {
                take(note.file, .likely, for: photo.file)
            }
        }
    }

    private func isCut(_ note: Named, of photo: Named) -> Bool {
        TakeoutNames.isCut(files[note.file].name, of: files[photo.file].name)
    }

    // MARK: By titles

    /// Names that the archive changed beyond what is known: by the title that the sidecar has kept.
    private mutating func matchTitles(_ photos: [Named], _ notes: [Named]) {
        var places: [String: [Named]] = [:]
        for photo in photos { places[Self.titleKey(files[photo.file].name), default: []].append(photo) }
        for note in notes {
            guard case .note(let said) = files[note.file].content, let title = said.title else { continue }
            let titled = FamilyName(title, isKnown: true)
            let told = (titled.ending.isEmpty ? note.family : titled).format
            let candidates = (places[Self.titleKey(title)] ?? []).filter { photo in
                photo.family.copy == note.family.copy && sidecars[photo.file] == nil && isFree(note, for: photo)
                    && (told.isEmpty || told == photo.ending || Self.isPart(photo, of: told))
                    && TakeoutNames.isName(photo.family.stem, of: titled.stem)
            }
            let near = candidates.filter { $0.part == note.part }
            let possible = near.isEmpty ? candidates : near
            let exact = possible.filter { told == $0.ending }
            guard exact.count == 1 || (exact.isEmpty && possible.count == 1) else { continue }
            // With its video, and what was made of it.
            for photo in exact + possible.filter({ told != $0.ending }) {
                take(note.file, .likely, for: photo.file, isOwner: told.isEmpty || told == photo.ending)
            }
        }
    }

    /// The beginning of a name in small letters, with `_` for every sign: archives cut names, and replace signs.
    private static func titleKey(_ name: String) -> String {
        String(TakeoutNames.plainSigns(FamilyName(name, isKnown: true).stem).prefix(40))
    }
}
