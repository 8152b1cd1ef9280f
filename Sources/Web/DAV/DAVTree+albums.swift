import Records
import Vaults

/// Albums as folders, and folders as albums.
extension DAVTree {
    static let albums = DAVPath(["albums"])

    /// The same place by the name that its album has: albums do not differ by letter case, and what is remembered of a
    /// place, locks too, has to be found by either.
    func canonical(_ path: DAVPath) async throws -> DAVPath {
        guard path.isBelow(Self.albums), let album = try await session.files.album(shown: path.names[1]) else {
            return path
        }
        var path = path
        path.names[1] = album.name
        return path
    }

    /// The album directly in which a place is; nil for one elsewhere, and where there is no such album.
    func album(holding path: DAVPath) async throws -> AlbumFolder? {
        guard path.isBelow(Self.albums), path.names.count == 3 else { return nil }
        return try await session.files.album(shown: path.names[1])
    }

    /// The name of the album that a photo joins there: that of the folder, as a client chose it. Folders of the vault's
    /// own, such as months, name none.
    func albumName(at path: DAVPath) async throws -> AlbumName? {
        if let album = try await album(holding: path) { return album.albumName }
        // What comes through a door is in the album of that.
        guard !sendsOnly, path.isBelow(Self.inbox), path.names.count > 2 else { return nil }
        return try? AlbumName.ofFolder(Array(path.names[1..<path.names.count - 1]))
    }
}
