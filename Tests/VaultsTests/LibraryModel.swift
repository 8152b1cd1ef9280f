import Media

@testable import Records
@testable import Vaults

/// What the photos, albums and "Recently deleted" of a vault, or of a guest, must be after any sequence of steps. Photos
/// and albums are known by numbers, in the order in which they came. A refused step changes nothing.
struct LibraryModel {
    /// What people did with a photo.
    struct Keeping: Equatable {
        /// In the order in which it joined them; removed ones stay until its albums change.
        var albums: [Int] = []
        var isFavourite = false
        var isApart = false
        var rotation = 0
        var edit: PhotoEdit?
        var caption: String?
        /// Milliseconds since 1970, as a clock on the wall showed.
        var saidTime: Int64?

        /// The one that stays of two photos has what people did with both.
        mutating func join(_ other: Keeping) {
            albums += other.albums.filter { !albums.contains($0) }
            isFavourite = isFavourite || other.isFavourite
            isApart = isApart || other.isApart
            if rotation == 0 { rotation = other.rotation }
            edit = edit ?? other.edit
            saidTime = saidTime ?? other.saidTime
            if let own = caption, let more = other.caption, own != more {
                caption = "\(own)\n\(more)"
            } else {
                caption = caption ?? other.caption
            }
        }
    }

    struct Photo {
        let name: String
        let content: [UInt8]
        let receivedAt: Int64
        var isReadBack = false
        var keeping = Keeping()
        /// The deletion that put it into "Recently deleted"; a later one has a higher number.
        var deletion: Int?

        var shownAt: Int64 { keeping.saidTime ?? receivedAt }
    }

    struct Album: Equatable {
        let id: String
        var name: AlbumName
        var cover: Int?
        /// The step that used it last.
        var use: Int
    }

    struct RemovedAlbum {
        let number: Int
        let album: Album
        let photos: [Int]
        let deletion: Int?
    }

    /// Albums that one session can bring back.
    static let mostRemovedAlbums = 8

    /// A guest has both of two photos with the same content.
    let isGuest: Bool
    private(set) var photos: [Int: Photo] = [:]
    private(set) var albums: [Int: Album] = [:]
    /// The photo that stayed for each that was dropped, for as long as the session knows it.
    private(set) var kept: [Int: Int] = [:]
    private(set) var removedAlbums: [RemovedAlbum] = []
    private var photoCount = 0
    private var useCount = 0

    init(isGuest: Bool = false) { self.isGuest = isGuest }

    // MARK: What is to be seen

    /// The newest first.
    var live: [Int] { photos.filter { $0.value.deletion == nil }.keys.sorted(by: >) }

    /// The last deleted first.
    var trash: [Int] {
        photos.compactMap { number, photo in photo.deletion.map { ($0, number) } }.sorted(by: >).map(\.1)
    }

    func members(of album: Int) -> [Int] { inTimeline { $0.keeping.albums.contains(album) } }

    var favourites: [Int] { inTimeline(\.keeping.isFavourite) }

    private func inTimeline(_ isMember: (Photo) -> Bool) -> [Int] {
        photos.filter { $0.value.deletion == nil && isMember($0.value) }
            .sorted { ($0.value.shownAt, $0.key) > ($1.value.shownAt, $1.key) }.map(\.key)
    }

    func chosenCover(of album: Int) -> Int? {
        albums[album]?.cover.flatMap { members(of: album).contains($0) ? $0 : nil }
    }

    func cover(of album: Int) -> Int? { chosenCover(of: album) ?? members(of: album).first }

    func album(named name: AlbumName) -> Int? { albums.first { $0.value.name == name }?.key }

    /// The photo itself, or the one that stayed for it.
    func standing(_ number: Int) -> Int? {
        let number = kept[number] ?? number
        return photos[number] == nil ? nil : number
    }

    // MARK: Photos that come and go

    /// The photo that is there with the same content, read back and not deleted.
    func duplicate(of content: [UInt8]) -> Int? {
        guard !isGuest else { return nil }
        return photos.filter { $0.value.isReadBack && $0.value.deletion == nil && $0.value.content == content }.keys
            .min()
    }

    /// - Returns: its number.
    @discardableResult
    mutating func add(_ photo: Photo) -> Int {
        photoCount += 1
        photos[photoCount] = photo
        return photoCount
    }

    /// What a guest has is the vault's from now on.
    /// - Returns: what the guest is told, and what each of its photos is here.
    mutating func takeIn(_ guest: LibraryModel) -> (migration: Migration, numbers: [Int: Int]) {
        var (migration, numbers) = (Migration(), [Int: Int]())
        // What was deleted and is there as well is kept once.
        let live = guest.live.reversed() + guest.photos.keys.filter { guest.photos[$0]?.deletion != nil }.sorted()
        for number in live {
            guard let photo = guest.photos[number] else { continue }
            let isDeleted = photo.deletion != nil
            if photo.isReadBack, let present = duplicate(of: photo.content) {
                photos[present]?.keeping.join(photo.keeping)
                numbers[number] = present
                if !isDeleted { migration.duplicates += 1 }
                continue
            }
            numbers[number] = add(photo)
            guard !isDeleted else { continue }
            migration.moved += 1
            if !photo.isReadBack { migration.pending += 1 }
        }
        return (migration, numbers)
    }

    /// As the host does when nobody uploads, the newest first.
    mutating func readBack() {
        while let next = photos.filter({ !$0.value.isReadBack }).keys.max() {
            photos[next]?.isReadBack = true
            settleDuplicates(of: next)
        }
    }

    /// Of several photos with this content the oldest stays.
    private mutating func settleDuplicates(of number: Int) {
        guard !isGuest, let photo = photos[number], photo.isReadBack, photo.deletion == nil else { return }
        let same = photos.filter {
            $0.value.isReadBack && $0.value.deletion == nil && $0.value.content == photo.content
        }
        .keys.sorted()
        for dropped in same.dropFirst() {
            guard let gone = photos.removeValue(forKey: dropped) else { continue }
            photos[same[0]]?.keeping.join(gone.keeping)
            for album in albums.keys where albums[album]?.cover == dropped { albums[album]?.cover = same[0] }
            for (number, stays) in kept where stays == dropped { kept[number] = same[0] }
            kept[dropped] = same[0]
        }
    }

    mutating func delete(_ numbers: [Int], as deletion: Int) -> Int {
        var count = 0
        for number in numbers where photos[number].map({ $0.deletion == nil }) ?? false {
            photos[number]?.deletion = deletion
            count += 1
        }
        return count
    }

    mutating func restore(_ numbers: [Int], of deletion: Int? = nil) -> Int {
        var count = 0
        for number in numbers {
            guard let present = photos[number]?.deletion, deletion == nil || present == deletion else { continue }
            photos[number]?.deletion = nil
            count += 1
            settleDuplicates(of: number)
        }
        return count
    }

    /// Those of them that lie in "Recently deleted" are gone for good.
    mutating func deleteForGood(_ numbers: [Int]) -> Int {
        let gone = Set(numbers.filter { photos[$0]?.deletion != nil })
        for number in gone { photos[number] = nil }
        kept = kept.filter { !gone.contains($0.value) }
        return gone.count
    }

    /// Another session knows neither what this one has removed nor what it called the dropped photos.
    mutating func forgetSession() {
        kept = [:]
        removedAlbums = []
    }

    // MARK: Albums

    /// - Parameter number: how the new one is known.
    mutating func make(_ number: Int, _ name: AlbumName, id: String) {
        useCount += 1
        albums[number] = Album(id: id, name: name, use: useCount)
    }

    mutating func noteUse(of album: Int) {
        useCount += 1
        albums[album]?.use = useCount
    }

    mutating func rename(_ album: Int, to name: AlbumName) { albums[album]?.name = name }

    /// - Returns: false for a photo that is not in it.
    mutating func setCover(of album: Int, to photo: Int?) -> Bool {
        guard let photo else {
            albums[album]?.cover = nil
            return true
        }
        guard let number = standing(photo), members(of: album).contains(number) else { return false }
        albums[album]?.cover = number
        return true
    }

    mutating func join(_ numbers: [Int], to album: Int) -> Int {
        var count = 0
        for number in numbers.compactMap(standing) {
            guard let photo = photos[number], photo.deletion == nil, !photo.keeping.albums.contains(album) else {
                continue
            }
            photos[number]?.keeping.albums = photo.keeping.albums.filter { albums[$0] != nil } + [album]
            count += 1
        }
        if count > 0 { noteUse(of: album) }
        return count
    }

    mutating func leave(_ numbers: [Int], from album: Int) -> Int {
        var count = 0
        for number in numbers.compactMap(standing) {
            guard let photo = photos[number], photo.keeping.albums.contains(album) else { continue }
            photos[number]?.keeping.albums = photo.keeping.albums.filter { $0 != album && albums[$0] != nil }
            count += 1
        }
        return count
    }

    /// - Parameter deletion: of its photos, where they go with it.
    mutating func remove(_ album: Int, deletingPhotosAs deletion: Int?) -> Int {
        guard let present = albums[album] else { return 0 }
        let members = deletion == nil ? [] : members(of: album)
        albums[album] = nil
        let count = deletion.map { delete(members, as: $0) } ?? 0
        let removed = RemovedAlbum(number: album, album: present, photos: members, deletion: deletion)
        removedAlbums = removedAlbums.suffix(Self.mostRemovedAlbums - 1) + [removed]
        return count
    }

    /// - Throws: `albumNameTaken` by one that was made since.
    mutating func bringBack(_ removed: RemovedAlbum) throws(VaultError) {
        if albums[removed.number] == nil {
            if let other = album(named: removed.album.name).flatMap({ albums[$0] }) {
                throw .albumNameTaken(album: other.id)
            }
            albums[removed.number] = removed.album
        }
        if let deletion = removed.deletion { _ = restore(removed.photos, of: deletion) }
    }

    // MARK: What people do with photos

    mutating func setFavourite(_ numbers: [Int], _ isFavourite: Bool) -> Int {
        change(numbers) { keeping in
            defer { keeping.isFavourite = isFavourite }
            return keeping.isFavourite != isFavourite
        }
    }

    mutating func setApart(_ numbers: [Int], _ isApart: Bool) -> Int {
        change(numbers) { keeping in
            defer { keeping.isApart = isApart }
            return keeping.isApart != isApart
        }
    }

    mutating func shift(_ numbers: [Int], minutes: Int) -> Int {
        var known: Set<Int> = []
        return numbers.compactMap(standing).count { number in
            guard known.insert(number).inserted, let photo = photos[number] else { return false }
            photos[number]?.keeping.saidTime = photo.shownAt + Int64(minutes) * 60_000
            return true
        }
    }

    mutating func correct(_ number: Int, _ change: (inout Keeping) -> Void) {
        if let number = standing(number), var keeping = photos[number]?.keeping {
            change(&keeping)
            photos[number]?.keeping = keeping
        }
    }

    /// - Parameter body: says whether it has changed something.
    private mutating func change(_ numbers: [Int], _ body: (inout Keeping) -> Bool) -> Int {
        var count = 0
        for number in numbers.compactMap(standing) {
            guard var keeping = photos[number]?.keeping else { continue }
            if body(&keeping) { count += 1 }
            photos[number]?.keeping = keeping
        }
        return count
    }
}
