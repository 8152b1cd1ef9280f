package import Records
import Store

extension VaultChange {
    /// - Throws: `noSuchAlbum`.
    package func album(_ id: AlbumID) throws -> AlbumRecord {
        guard let entry = draft.albums[id] else { throw VaultError.noSuchAlbum }
        return entry.record
    }

    func album(named name: AlbumName) -> AlbumRecord? {
        draft.albums.values.first { name.isName(of: $0.record) }?.record
    }

    /// - Throws: `albumNameTaken`.
    package mutating func makeAlbum(_ name: AlbumName) throws -> AlbumID {
        try requireFree(name)
        let record = AlbumRecord(id: try AlbumID(), name: name.text, now: Milliseconds.now)
        try write(AlbumEntry(rowNumber: takeNumber(), record: record), over: [])
        return record.id
    }

    /// - Throws: `noSuchAlbum`, `albumNameTaken`.
    package mutating func rename(_ id: AlbumID, to name: AlbumName) throws {
        try requireFree(name, except: id)
        try update(id) { $0.name = name.text }
    }

    private func requireFree(_ name: AlbumName, except id: AlbumID? = nil) throws {
        guard let other = album(named: name), other.id != id else { return }
        throw VaultError.albumNameTaken(album: other.id.text)
    }

    /// - Throws: `noSuchAlbum`; `noSuchPhoto` for one that is not in the album.
    package mutating func setCover(of id: AlbumID, to serial: UInt64?) throws {
        var cover: UInt64?
        if let serial {
            guard let photo = try currentOrKept(serial), photo.keeping.albums.contains(id), photo.deletedAt == nil
            else { throw VaultError.noSuchPhoto }
            cover = photo.serial
        }
        try update(id) { $0.cover = cover }
    }

    /// Puts an album right behind another one in the order by hand, or before all others. Of those in between only as many
    /// are written as have no place yet, or no room.
    /// - Throws: `noSuchAlbum`.
    package mutating func move(_ id: AlbumID, behind other: AlbumID?) throws {
        let moved = try album(id)
        if let other { _ = try album(other) }
        guard other != id else { return }
        var order = draft.albums.values.sorted(by: AlbumOrder.stands).map(\.record).filter { $0.id != id }
        let index = other.flatMap { other in order.firstIndex { $0.id == other } }.map { $0 + 1 } ?? 0
        order.insert(moved, at: index)
        for (id, place) in AlbumOrder.places(in: order, moved: index) { try update(id) { $0.place = place } }
    }

    /// What is known of it is gone. Its photos name it on: that counts for nothing, and goes with the next change of their
    /// albums.
    /// - Returns: what it was, for `bringBack`.
    /// - Throws: `noSuchAlbum`.
    @discardableResult
    package mutating func removeAlbum(_ id: AlbumID) throws -> AlbumRecord {
        guard let entry = draft.albums[id] else { throw VaultError.noSuchAlbum }
        let chain = try chain(from: entry.rowNumber)
        for row in chain { try makeEmpty(row.number) }
        draft.albums[id] = nil
        draft.note(.removeAlbum(row: entry.rowNumber))
        return try AlbumRecord(chain.flatMap(\.piece.payload))
    }

    /// An album that was removed, with the photos that still name it.
    /// - Throws: `albumNameTaken` by one that was made since.
    package mutating func bringBack(_ record: AlbumRecord) throws {
        guard draft.albums[record.id] == nil else { return }
        try requireFree(AlbumName(record.name), except: record.id)
        try write(AlbumEntry(rowNumber: takeNumber(), record: record, isBack: true), over: [])
    }

    /// - Returns: how many were not in it before.
    /// - Throws: `noSuchAlbum`, `tooManyAlbums`.
    package mutating func join(_ serials: [UInt64], to id: AlbumID) throws -> Int {
        _ = try album(id)
        var count = 0
        for serial in serials {
            guard let photo = try currentOrKept(serial), photo.deletedAt == nil else { continue }
            if try join(photo, to: id) { count += 1 }
        }
        if count > 0 { try noteUse(of: id) }
        return count
    }

    private mutating func join(_ photo: LibraryPhoto, to id: AlbumID) throws -> Bool {
        guard !photo.keeping.albums.contains(id) else { return false }
        guard hasRoomForAnother(photo.keeping.albums) else { throw VaultError.tooManyAlbums }
        let albums = standing(photo.keeping.albums) + [id]
        try update(at: photo.rowNumber) { $0.keeping.albums = albums }
        return true
    }

    /// Those of them that there are.
    func standing(_ albums: [AlbumID]) -> [AlbumID] { albums.filter { draft.albums[$0] != nil } }

    /// Whether a photo that is in these can join one more.
    func hasRoomForAnother(_ albums: [AlbumID]) -> Bool { standing(albums).count < Keeping.mostAlbums }

    /// - Returns: how many were in it.
    /// - Throws: `noSuchAlbum`.
    package mutating func leave(_ serials: [UInt64], from id: AlbumID) throws -> Int {
        _ = try album(id)
        var count = 0
        for serial in serials {
            guard let photo = try currentOrKept(serial), photo.keeping.albums.contains(id) else { continue }
            let albums = standing(photo.keeping.albums).filter { $0 != id }
            try update(at: photo.rowNumber) { $0.keeping.albums = albums }
            count += 1
        }
        return count
    }

    /// The album that an upload names, made where there is none.
    package mutating func albumToJoin(_ name: String) throws -> AlbumID {
        let name = try AlbumName(name)
        guard let found = album(named: name) else { return try makeAlbum(name) }
        try noteUse(of: found.id)
        return found.id
    }

    /// Takes photos out of the album of one name, where there is one, and puts them into that of another, which is made
    /// where there is none.
    /// - Throws: `tooManyAlbums`.
    package mutating func refile(_ serials: [UInt64], outOf old: AlbumName?, into new: AlbumName?) throws {
        if let old, old != new, let album = album(named: old) { _ = try leave(serials, from: album.id) }
        if let new { _ = try join(serials, to: try albumToJoin(new.text)) }
    }

    /// The photo for which an album's cover was dropped stands for it from now on.
    mutating func moveCovers(from serial: UInt64, to kept: UInt64) throws {
        for entry in draft.albums.values where entry.record.cover == serial {
            try update(entry.record.id) { $0.cover = kept }
        }
    }

    mutating func noteUse(of id: AlbumID) throws { try update(id) { $0.usedAt = Milliseconds.now } }

    private mutating func update(_ id: AlbumID, _ body: (inout AlbumRecord) -> Void) throws {
        guard var entry = draft.albums[id] else { throw VaultError.noSuchAlbum }
        let chain = try chain(from: entry.rowNumber)
        // What a later version wrote beside it is in the row alone.
        entry.record = try AlbumRecord(chain.flatMap(\.piece.payload))
        body(&entry.record)
        entry.isBack = false
        try write(entry, over: chain)
    }

    private mutating func write(_ entry: AlbumEntry, over chain: [OpenVault.ChainRow]) throws {
        for row in chain.dropFirst() { try makeEmpty(row.number) }
        try putChain(.album, payload: entry.record.encoded, first: entry.rowNumber)
        draft.albums[entry.record.id] = entry
        draft.note(.putAlbum(entry))
    }
}

/// The order that people give albums by hand. Places are far apart, so that one more finds room between two.
enum AlbumOrder {
    static let step: UInt64 = 1 << 20

    /// Those that were moved by their places, then the others, what was used last first.
    static func stands(_ one: AlbumEntry, before other: AlbumEntry) -> Bool {
        switch (one.record.place, other.record.place) {
        case (let one?, let other?) where one != other: one < other
        case (.some, nil): true
        case (nil, .some): false
        default: (other.record.usedAt, other.rowNumber) < (one.record.usedAt, one.rowNumber)
        }
    }

    /// The new places of as few albums as the order needs.
    /// - Parameters:
    ///   - order: as it is to be, with the places of before.
    ///   - index: of the one that was moved.
    static func places(in order: [AlbumRecord], moved index: Int) -> [(id: AlbumID, place: UInt64)] {
        let last = order.lastIndex { $0.place != nil && $0.id != order[index].id }
        if let place = free(in: order, at: index) { return [(order[index].id, place)] }
        return order[...max(index, last ?? index)].enumerated().compactMap { number, album in
            let place = UInt64(number + 1) * step
            return album.place == place ? nil : (album.id, place)
        }
    }

    /// A place between the neighbours; nil where the one before has none, or nothing is free.
    private static func free(in order: [AlbumRecord], at index: Int) -> UInt64? {
        guard let before = index == 0 ? 0 : order[index - 1].place else { return nil }
        guard index + 1 < order.count, let behind = order[index + 1].place else { return before + step }
        guard behind > before, behind - before > 1 else { return nil }
        return before + (behind - before) / 2
    }
}
