import Media

/// Files in forms that are not known which speak of photos that are here: they name one, or are called after one. What they
/// say lies nowhere in the vault.
struct UnreadFiles {
    /// What a file is that is nothing else, until it is seen whether it speaks of a photo.
    static let noPhoto = "it is no photo and no video"
    /// Of a file of Apple's Photos, as long as the picture that it made lies beside it.
    static let adjustments = "changes that Apple's Photos noted; what they changed is a picture of its own"

    private static let unknownForm = "it speaks of photos that are here, in a form that is not known"
    private static let unknownCompanion = "it is called after a photo that is here, and its form is not known"
    private static let lostAdjustments = "changes that Apple's Photos noted: no picture that has them is here"

    /// By the places of files.
    private(set) var reasons: [Int: String] = [:]
    private let trees: [ImportTree]
    /// What texts may call photos: by their names, by what stands in these behind the number of a post, and without an ending.
    private var names: Set<String> = []
    /// Identifiers in the names of photos.
    private var parts: Set<String> = []
    /// Folders and names, with endings and without.
    private var beside: Set<[String]> = []
    /// Names with their endings, and names without them behind that of the last folder: programs keep what they note in folders of
    /// their own, as `.comments/IMG_1.jpg.xml` and `sidecar/2020/05/IMG_1.yml`.
    private var elsewhere: Set<[String]> = []

    /// - Parameter fates: as they are known by the files themselves
    init(
        _ files: [ImportFile], _ fates: [ImportFate], _ trees: [ImportTree], media: [Int], _ services: TakeoutServices
    ) {
        self.trees = trees
        let unread = files.indices.filter {
            [.notPhoto(reason: Self.noPhoto), .notPhoto(reason: Self.adjustments)].contains(fates[$0])
        }
        guard !unread.isEmpty else { return }
        for photo in media { add(UnreadSidecar.key(files[photo].name), in: trees[photo].folders) }
        for index in unread {
            let name = UnreadSidecar.key(files[index].name)
            if fates[index] == .notPhoto(reason: Self.adjustments) {
                if hasLostPicture(adjustedBy: name, at: index) { reasons[index] = Self.lostAdjustments }
                continue
            }
            guard !SidecarContent.isNoise(name) else { continue }
            if case .unread(let text) = files[index].content {
                // Whatever Google Photos and iCloud Photos write themselves speaks of photos and albums.
                let isOfPhotos = text.hasWords && (services.holdsPhotos(trees[index]) || trees[index].isApple)
                let isNamed = !text.names.isDisjoint(with: names) || !text.stems.isDisjoint(with: parts)
                if text.mayListPictures || isOfPhotos || isNamed { reasons[index] = Self.unknownForm }
            }
            if reasons[index] == nil, isCalledAfterPhoto(name, at: index) { reasons[index] = Self.unknownCompanion }
        }
    }

    private mutating func add(_ name: String, in folders: [String]) {
        let stem = Self.cuts(of: name).dropFirst().first ?? name
        names.insert(name)
        // `1234567890-FxAbC12.jpg`, which the list of the posts calls `FxAbC12.jpg`.
        for index in name.indices where name[index] == "-" || name[index] == "_" {
            let tail = name[name.index(after: index)...]
            if UnreadSidecar.isTelling(tail.prefix { $0 != "." }) { names.insert(String(tail)) }
        }
        if UnreadSidecar.isTelling(stem[...]) { names.insert(stem) }
        parts.formUnion(UnreadSidecar.stems(of: name))
        beside.formUnion([folders + [name], folders + [stem]])
        elsewhere.insert([name])
        if let folder = folders.last, UnreadSidecar.isTelling(stem[...]) { elsewhere.insert([folder, stem]) }
        // One of several of a post, which has one text for all: `2020-05-04_UTC_2.jpg`.
        if let bar = stem.lastIndex(of: "_"), stem[bar...].dropFirst().allSatisfy(\.isNumber) {
            let post = stem[..<bar]
            if UnreadSidecar.isTelling(post) || post.utf8.count > 8 { beside.insert(folders + [String(post)]) }
        }
    }

    private func isCalledAfterPhoto(_ name: String, at index: Int) -> Bool {
        let cuts = Self.cuts(of: name)
        let folders = trees[index].ofPhotos.folders
        return cuts.contains { beside.contains(folders + [$0]) }
            || cuts.dropFirst().contains { elsewhere.contains([$0]) || elsewhere.contains(folders.suffix(1) + [$0]) }
    }

    /// `IMG_1234.AAE` and `IMG_O1234.AAE` say how `IMG_1234.HEIC` became `IMG_E1234.HEIC`.
    private func hasLostPicture(adjustedBy name: String, at index: Int) -> Bool {
        let folders = trees[index].ofPhotos.folders
        let stem = Self.cuts(of: name).last ?? name
        guard let bar = stem.firstIndex(of: "_") else { return beside.contains(folders + [stem]) }
        let (start, number) = (String(stem[...bar]), stem[stem.index(after: bar)...])
        let plain = number.hasPrefix("o") ? number.dropFirst() : number
        return beside.contains(folders + [start + plain]) && !beside.contains(folders + [start + "e" + plain])
    }

    /// A name with all of its endings, and without the last one and the last two.
    private static func cuts(of name: String) -> [String] {
        var cuts = [name]
        while cuts.count < 3, let last = cuts.last, let dot = last.lastIndex(of: "."), dot != last.startIndex {
            cuts.append(String(last[..<dot]))
        }
        return cuts
    }
}
