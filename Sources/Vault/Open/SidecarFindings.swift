import Import
import Media
import Records

/// What is to be told of photos in one scope. A pure function of what is there.
struct SidecarFindings: Sendable {
    struct Said: Sendable {
        var serial: UInt64
        var note: SidecarNote
        /// A digest of what was said before.
        var before: [UInt8]?
        var isGiven: Bool
        var mayBeTrashed: Bool
        /// The sidecars that speak of it.
        var speakers: Set<UInt64> = []
    }

    struct Folder: Sendable {
        /// As the folder is called; nil where it has no name.
        var name: String?
        /// Nil for what is no album.
        var album: String?
        var photos: Set<UInt64>
        /// When the first of them came.
        var since: UInt64
    }

    private static let dayMilliseconds: UInt64 = 86_400_000

    /// Whether somebody gave all of it, who says nothing of what is thrown away or what an album is.
    private let isGiven: Bool
    private(set) var said: [Said] = []
    private(set) var folders: [Folder] = []
    /// Sidecars of which a photo has come.
    private(set) var joined: Set<UInt64> = []
    /// Those of which not all was taken over.
    private(set) var partial: Set<UInt64> = []
    /// Sidecars of which nothing more is wanted.
    private(set) var over: Set<UInt64> = []

    init(isGiven: Bool = false) { self.isGiven = isGiven }

    /// - Parameters:
    ///   - found: what lies in one scope.
    ///   - contents: of sidecars, by serial.
    mutating func take(_ found: [SourceEntry], _ contents: [UInt64: SidecarContent], now: UInt64 = Milliseconds.now) {
        let entries = withoutNamesakes(found.filter { $0.sidecar?.isNothing != true })
        let isGiven = isGiven || entries.contains { $0.given != nil }
        let plan = ImportPlan(
            entries.map { entry in
                ImportFile(
                    path: entry.path, byteCount: entry.byteCount, type: entry.type,
                    content: isGiven ? contents[entry.serial]?.withoutTrash : contents[entry.serial],
                    digest: entry.sha256)
            })
        takeNotes(of: plan, entries)
        joined.formUnion(plan.joined.map { entries[$0].serial })
        for (entry, fate) in zip(entries, plan.fates) {
            if case .unread = fate {
                partial.insert(entry.serial)
            } else if case .note(let note) = contents[entry.serial], !note.unkept.isEmpty {
                partial.insert(entry.serial)
            }
        }
        guard !isGiven else { return drop(told: entries, contents, now: now) }
        folders += plan.folders.map { folder in
            let photos = folder.photos.map { entries[$0] }
            return Folder(
                name: folder.name, album: folder.album, photos: Set(photos.map(\.serial)),
                since: photos.map(\.receivedAt).min() ?? now)
        }
        drop(told: entries, contents, now: now)
    }

    /// What says nothing goes, and nobody was told that it stays.
    mutating func drop(nothingOf entries: [SourceEntry]) {
        over.formUnion(entries.filter { $0.sidecar?.isNothing == true }.map(\.serial))
    }

    /// What was told long ago goes; not what may still speak of what comes: lists, and titles of albums.
    mutating func drop(
        told entries: [SourceEntry], _ contents: [UInt64: SidecarContent], now: UInt64 = Milliseconds.now
    ) {
        for entry in entries {
            guard let sidecar = entry.sidecar, sidecar.isHeld, sidecar.isJoined || joined.contains(entry.serial),
                now - min(now, entry.receivedAt) > Library.toldMilliseconds,
                contents[entry.serial]?.isOfOnePhoto == true
            else { continue }
            over.insert(entry.serial)
        }
    }

    private mutating func takeNotes(of plan: ImportPlan, _ entries: [SourceEntry]) {
        var (notes, trashed): ([UInt64: SidecarNote], Set<UInt64>) = ([:], [])
        var speakers: [UInt64: Set<UInt64>] = [:]
        for (index, fate) in plan.fates.enumerated() {
            let serial = entries[index].serial
            speakers[serial, default: []].formUnion((plan.speakers[index] ?? []).map { entries[$0].serial })
            switch fate {
            case .photo(let place), .again(let place):
                let note = plan.photos[place].note
                notes[serial] = notes[serial]?.joined(by: note) ?? note
            case .trashed: trashed.insert(serial)
            default: break
            }
        }
        for serial in trashed where notes[serial] == nil {
            var note = SidecarNote()
            note.isTrashed = true
            notes[serial] = note
        }
        let places = Dictionary(grouping: entries.filter { $0.sidecar == nil }, by: \.serial)
        for (serial, note) in notes {
            guard let places = places[serial], let first = places.first else { continue }
            said.append(
                Said(
                    serial: serial, note: note, before: first.said, isGiven: isGiven || first.given != nil,
                    mayBeTrashed: places.allSatisfy { !$0.isDuplicate } && isOfOneSending(first, entries),
                    speakers: speakers[serial] ?? []))
        }
    }

    /// Without a folder a photo is thrown away only on the word of what came about when it came.
    private func isOfOneSending(_ photo: SourceEntry, _ entries: [SourceEntry]) -> Bool {
        photo.path.contains("/")
            || entries.contains { entry in
                let (one, other) = (entry.receivedAt, photo.receivedAt)
                return entry.sidecar != nil && max(one, other) - min(one, other) < Self.dayMilliseconds
            }
    }

    /// Of sidecars that came again under one path the last counts; of several photos of one path the one that came nearest to
    /// what speaks of it, else the last.
    private mutating func withoutNamesakes(_ found: [SourceEntry]) -> [SourceEntry] {
        var sidecars: [Place: [SourceEntry]] = [:]
        var kept: [SourceEntry] = []
        for alike in Dictionary(grouping: found.filter { $0.sidecar != nil }, by: \.path).values {
            guard let last = alike.max(by: { $0.serial < $1.serial }) else { continue }
            kept.append(last)
            sidecars[Place(last), default: []].append(last)
            for former in alike where former.serial != last.serial && former.sidecar?.isHeld == true {
                over.insert(former.serial)
            }
        }
        for alike in Dictionary(grouping: found.filter { $0.sidecar == nil }, by: \.path).values {
            let beside = sidecars[Place(alike[0])] ?? []
            let nearest = alike.min { one, other in
                (distance(one, beside), other.serial) < (distance(other, beside), one.serial)
            }
            if let nearest { kept.append(nearest) }
        }
        return kept.sorted { $0.serial < $1.serial }
    }

    private struct Place: Hashable {
        var folder: String
        var family: Int64

        init(_ entry: SourceEntry) { (folder, family) = (entry.folder, entry.family.key) }
    }

    private func distance(_ photo: SourceEntry, _ sidecars: [SourceEntry]) -> UInt64 {
        sidecars.map { max($0.serial, photo.serial) - min($0.serial, photo.serial) }.min() ?? 0
    }
}

/// Sidecars and photos that came without a folder: names alone say which belong together, and an old photo may have the
/// name of one that is still to come.
enum LoneFiles {
    /// So far apart from each other both may come.
    private static let mostMilliseconds: UInt64 = 92 * 86_400_000
    /// So much a photo's own date may differ from what its sidecar says: by zones, and by clocks of cameras.
    private static let mostDifference: Int64 = 2 * 86_400_000

    static func families(of sidecar: SourceEntry, _ content: SidecarContent) -> [Int64] {
        names(content).map { FamilyName($0, isKnown: true).key } + (content.isOfOnePhoto ? [sidecar.family.key] : [])
    }

    private static func names(_ content: SidecarContent) -> [String] {
        switch content {
        case .details(let details): details.map(\.name)
        case .albumList(let names): names
        case .albumTable(let rows): rows.map(\.file)
        case .list(let list, _):
            list.compactMap { entry in
                guard case .path(let path) = entry.file else { return nil }
                return path.split(separator: "/").last.map(String.init)
            }
        case .note, .edits, .album, .accompaniment, .unread: []
        }
    }

    /// Files that are looked at together, each group by itself.
    static func groups(
        _ sidecars: [SourceEntry], _ photos: [SourceEntry], _ contents: [UInt64: SidecarContent]
    ) -> [[SourceEntry]] {
        var groups: [[SourceEntry]] = []
        for (origin, sidecars) in Dictionary(grouping: sidecars, by: \.origin) {
            let photos = Dictionary(grouping: photos.filter { $0.origin == origin }) { $0.family.key }
            let (own, lists) = (
                sidecars.filter { contents[$0.serial]?.isOfOnePhoto == true },
                sidecars.filter { contents[$0.serial]?.isOfOnePhoto == false }
            )
            for (family, sidecars) in Dictionary(grouping: own, by: { $0.family.key }) {
                groups += matched(sidecars, photos[family] ?? [], contents)
            }
            for list in lists {
                guard let content = contents[list.serial] else { continue }
                let named = Set(families(of: list, content)).flatMap { photos[$0] ?? [] }
                groups.append([list] + nearest(to: list, of: named.filter { mayMean(list, $0, nil) }))
            }
        }
        return groups
    }

    /// Each photo with the sidecars that are nearest to it, and what else is called like it.
    private static func matched(
        _ sidecars: [SourceEntry], _ photos: [SourceEntry], _ contents: [UInt64: SidecarContent]
    ) -> [[SourceEntry]] {
        let possible = photos.filter { photo in
            sidecars.contains { sidecar in
                isOfOneBatch(sidecar, photo, photos) || mayMean(sidecar, photo, contents[sidecar.serial]?.takenAt)
            }
        }
        let owners = SidecarPairing(
            (sidecars + possible).map { entry in
                SidecarPairing.Candidate(serial: entry.serial, name: entry.name, type: entry.type, isDeleted: false)
            }
        ).owners
        return Dictionary(grouping: sidecars.filter { owners[$0.serial] != nil }) { owners[$0.serial] ?? 0 }
            .compactMap { owner, sidecars in
                guard let photo = possible.first(where: { $0.serial == owner }) else { return nil }
                let others = possible.filter { $0.name != photo.name }
                return sidecars + [photo] + nearest(to: photo, of: others)
            }
    }

    /// Files that were chosen together and lay in no folder of that choice lay side by side, so that a name is one file's:
    /// whatever the photo's own date is, the sidecar puts it right.
    private static func isOfOneBatch(_ sidecar: SourceEntry, _ photo: SourceEntry, _ photos: [SourceEntry]) -> Bool {
        let shared = sidecar.batches.intersection(photo.batches)
        return !shared.isEmpty
            && photos.count { $0.name == photo.name && !$0.batches.isDisjoint(with: shared) } == 1
    }

    private static func mayMean(_ sidecar: SourceEntry, _ photo: SourceEntry, _ told: CaptureTime?) -> Bool {
        let (one, other) = (sidecar.receivedAt, photo.receivedAt)
        guard max(one, other) - min(one, other) <= mostMilliseconds else { return false }
        guard let told, let own = photo.taken, own.source.isOfFile else { return true }
        let (difference, isFar) = told.milliseconds.subtractingReportingOverflow(own.milliseconds)
        return !isFar && difference.magnitude <= UInt64(mostDifference)
    }

    /// Of several photos of one name the one that came nearest.
    private static func nearest(to entry: SourceEntry, of photos: [SourceEntry]) -> [SourceEntry] {
        Dictionary(grouping: photos, by: \.name).values.compactMap { alike in
            alike.min { distance($0, entry) < distance($1, entry) }
        }
    }

    private static func distance(_ one: SourceEntry, _ other: SourceEntry) -> UInt64 {
        max(one.serial, other.serial) - min(one.serial, other.serial)
    }
}
