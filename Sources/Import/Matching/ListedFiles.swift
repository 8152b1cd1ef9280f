/// Finds the photos of which lists of other places speak: by their paths, by Flickr's numbers, by Snapchat's moments.
struct ListedFiles {
    private(set) var notes: [Int: [SidecarNote]] = [:]
    /// By photo: the lists that speak of it.
    private(set) var lists: [Int: Set<Int>] = [:]
    /// Lists that speak of a photo that is here.
    private(set) var used: Set<Int> = []
    /// By list: what of it was left out.
    private(set) var unread: [Int: [String]] = [:]
    /// By list: how many of the photos that it speaks of cannot be told apart.
    private var unclear: [Int: Int] = [:]
    /// By list: what it calls the photos that are not here.
    private var missing: [Int: [String]] = [:]
    private let files: [ImportFile]
    /// Of all photos, what stands in their names, where a list calls them by that.
    private var stems: [String: [Int]] = [:]

    /// By number of a source: what the parts of one export of Snapchat's have in common.
    private let exports: [Substring?]

    /// - Parameter sources: paths, by number; may be missing.
    init(_ files: [ImportFile], media: [Int], sources: [String], _ titles: inout AlbumTitles) {
        self.files = files
        exports = sources.map { $0.firstMatch(of: /mydata~[0-9]+/)?.output }
        let lists = files.indices.compactMap { index -> (Int, [ListedNote])? in
            guard case .list(let list, let words) = files[index].content else { return nil }
            if !words.isEmpty {
                unread[index] = ["what it says under \(words.sorted().joined(separator: ", ")) was not taken over"]
            }
            return (index, list)
        }
        guard !lists.isEmpty else { return }
        let names = Dictionary(grouping: media) { UnreadSidecar.key(files[$0].name) }
        var numbers: [String: [Int]] = [:]
        for photo in media {
            for number in Self.flickrNumbers(files[photo].name) { numbers[number, default: []].append(photo) }
        }
        var moments: [Int: [(Snap, SidecarNote)]] = [:]
        for (list, entries) in lists {
            for entry in entries {
                var note = entry.note
                note.albums += entry.albums.map { titles.name($0.title, of: Self.identity(of: $0, files[list])) }
                switch entry.file {
                case .path(let path):
                    guard let photos = self.photos(at: path, in: list, names) else {
                        missing[list, default: []].append(path)
                        continue
                    }
                    take(note, for: photos, from: list)
                case .flickr(let number):
                    if numbers[number] == nil { missing[list, default: []].append(number) }
                    for photo in numbers[number] ?? [] {
                        var note = note
                        if let title = entry.title,
                            !UnreadSidecar.key(files[photo].name).hasPrefix(UnreadSidecar.key(title) + "_")
                        {
                            note.caption = SidecarNote.both(title, note.caption)
                        }
                        take(note, for: [photo], from: list)
                    }
                case .snap(let link, let day, let isVideo):
                    moments[list, default: []].append((Snap(id: link, day: day, isVideo: isVideo), note))
                case .snapChat(let id):
                    if stems.isEmpty { stems = Self.stems(files, media) }
                    // Of pictures that were not exported nothing is wanted but words.
                    if stems[id] == nil, note.caption != nil { missing[list, default: []].append(id) }
                    take(note, for: stems[id] ?? [], from: list)
                }
            }
        }
        for (list, moments) in moments { settle(moments, media, from: list) }
        for (list, count) in unclear {
            unread[list, default: []].append("\(count) of the photos that it speaks of cannot be told from others")
        }
        for (list, names) in missing where used.contains(list) {
            unread[list, default: []].append(MissingNames.text(names))
        }
    }

    private mutating func take(_ note: SidecarNote, for photos: [Int], from list: Int) {
        guard !photos.isEmpty else { return }
        used.insert(list)
        for photo in photos {
            notes[photo, default: []].append(note)
            lists[photo, default: []].insert(list)
        }
    }

    /// One list may lie in several parts of an export.
    private static func identity(of album: ListedAlbum, _ list: ImportFile) -> String {
        album.isIDOfAll ? album.id : "\(list.path)/\(album.id)"
    }

    private static func stems(_ files: [ImportFile], _ media: [Int]) -> [String: [Int]] {
        var stems: [String: [Int]] = [:]
        for photo in media {
            for stem in UnreadSidecar.stems(of: files[photo].name) { stems[stem, default: []].append(photo) }
        }
        return stems
    }

    // MARK: Paths

    /// Those whose path ends like this one, as far as both go; at least the folder has to be the same. Of several as near
    /// those of the same source; they may be one photo more than once.
    /// - Returns: nil where it is not here; none where it cannot be told from others.
    private mutating func photos(at path: String, in list: Int, _ names: [String: [Int]]) -> [Int]? {
        // Some write it as the part of an address that it is in their pages.
        for path in path.contains("%") ? [path, UnreadSidecar.unescaped(path)] : [path] {
            let wanted = path.split(separator: "/").map { UnreadSidecar.key(String($0)) }.filter { $0 != "." }
            guard let name = wanted.last, let candidates = names[name] else { continue }
            if let found = photos(candidates, at: wanted, in: list) { return found }
        }
        return nil
    }

    private mutating func photos(_ candidates: [Int], at wanted: [String], in list: Int) -> [Int]? {
        let ranked = candidates.map { (photo: $0, count: Self.commonCount(wanted, files[$0].path)) }
        guard let most = ranked.map(\.count).max(), most >= min(2, wanted.count) else { return nil }
        let best = ranked.filter { $0.count == most }.map(\.photo)
        let near = best.filter { files[$0].source == files[list].source }
        let found = near.isEmpty ? best : near
        guard Set(found.map { files[$0].digest }).count == 1 else {
            unclear[list, default: 0] += 1
            return []
        }
        return found
    }

    private static func commonCount(_ wanted: [String], _ path: String) -> Int {
        let parts = path.split(separator: "/").map { UnreadSidecar.key(String($0)) }
        return zip(wanted.reversed(), parts.reversed()).prefix { $0 == $1 }.count
    }

    // MARK: Flickr

    /// What may be the number in `beach_51234567890_o.jpg`, `51234567890_ab1cd2ef3g_o.jpg` and `beach_51234567890.mp4`.
    private static func flickrNumbers(_ name: String) -> [String] {
        let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
        return stem.split(separator: "_").suffix(3).map(String.init).filter { part in
            part.count > 4 && part.allSatisfy { $0.isASCII && $0.isNumber }
        }
    }

    // MARK: Snapchat

    /// One moment, or the files of one: `2021-03-04_0A1B2C3D-…-main.jpg` has a day, an identifier and a kind.
    private struct Snap: Hashable {
        var id: String
        var day: String
        var isVideo: Bool

        var kind: Snap { Snap(id: "", day: day, isVideo: isVideo) }
    }

    /// By the identifier, where the link has it; else where a day has one moment of the kind, and files of one.
    private mutating func settle(_ moments: [(Snap, SidecarNote)], _ media: [Int], from list: Int) {
        var groups: [Snap: [Int]] = [:]
        for photo in media { if let snap = snap(photo) { groups[snap, default: []].append(photo) } }
        // What lies over a video is a picture, and belongs to it.
        var byID: [String: (main: Snap, photos: [Int])] = [:]
        for (snap, photos) in groups {
            let isMain = photos.contains { files[$0].name.lowercased().contains("-main") }
            let before = byID[snap.id]
            byID[snap.id] = (before == nil || isMain ? snap : before?.main ?? snap, (before?.photos ?? []) + photos)
        }
        var (rest, named) = ([(Snap, SidecarNote)](), Set<String>())
        for (moment, note) in moments {
            let ids = moment.id.split { !($0.isLetter || $0.isNumber || $0 == "-") }.map(String.init)
            guard let id = ids.first(where: { byID[$0] != nil }) else {
                rest.append((moment, note))
                continue
            }
            named.insert(id)
            take(note, for: byID[id]?.photos ?? [], from: list)
        }
        // Where links have identifiers of files, one whose file is not here means no other file.
        if !named.isEmpty {
            let absent = rest.filter { !$0.0.id.isEmpty }
            if !absent.isEmpty { missing[list, default: []] += absent.map { Self.words(for: $0.0) } }
            rest.removeAll { !$0.0.id.isEmpty }
        }
        let unnamed = Dictionary(grouping: byID.values.filter { !named.contains($0.main.id) }) { $0.main.kind }
        var byDay = 0
        for (kind, moments) in Dictionary(grouping: rest, by: { $0.0.kind }) {
            guard let files = unnamed[kind] else {
                missing[list, default: []] += moments.map { Self.words(for: $0.0) }
                continue
            }
            if moments.count == 1, files.count == 1, files[0].photos.allSatisfy({ isOfOneExport($0, list) }) {
                take(moments[0].1, for: files[0].photos, from: list)
                if !moments[0].0.id.isEmpty { byDay += 1 }
            } else {
                unclear[list, default: 0] += moments.count
            }
        }
        if byDay > 0 {
            unread[list, default: []].append(
                "\(byDay) of its photos were found by their day, and not by their identifier")
        }
    }

    private static func words(for snap: Snap) -> String { "a \(snap.isVideo ? "video" : "picture") of \(snap.day)" }

    /// Parts of one person's are called alike but for a number, `mydata~1700000000000-2.zip`: a day alone says nothing of another
    /// person's photo.
    private func isOfOneExport(_ photo: Int, _ list: Int) -> Bool {
        let sources = [photo, list].map { files[$0].source }
        let named = sources.map { exports.indices.contains($0) ? exports[$0] : nil }
        return sources[0] == sources[1] || named[0] != nil && named[0] == named[1]
    }

    private func snap(_ photo: Int) -> Snap? {
        let name = files[photo].name.lowercased()
        guard
            let match = name.firstMatch(
                of: /^([0-9]{4}-[0-9]{2}-[0-9]{2})_(.+?)-(?:main|overlay|caption|thumbnail)[^a-z]/)
        else { return nil }
        return Snap(id: String(match.2), day: String(match.1), isVideo: files[photo].type.isVideo)
    }
}
