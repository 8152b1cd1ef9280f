package import Content
package import FoundationEssentials
import Records
import Vault

/// A photo of an archive, as its download needs it: there may be a hundred thousand.
package struct ArchivedPhoto: Sendable {
    let serial: UInt64
    package let name: String
    /// The name of the folder that it is in; nil for none.
    package let folder: String?
    package let byteCount: UInt64
    package let modifiedAt: Date
}

/// Those of one archive that are still there, in its order.
package final class ArchiveList: Sendable {
    /// Bytes of one with its place in the archive, beside its name.
    private static let byteCountPerPhoto = 256

    package let photos: [ArchivedPhoto]
    private let claim: ListMemoryBudget.Claim

    fileprivate init(_ photos: [ArchivedPhoto], _ claim: ListMemoryBudget.Claim) {
        self.photos = photos
        self.claim = claim
    }

    /// The name stands in the list, in the archive and beside those that are like it.
    fileprivate static func byteCount(of photos: [ArchivedPhoto]) -> Int {
        photos.reduce(0) { $0 + byteCountPerPhoto + 3 * $1.name.utf8.count }
    }
}

extension Session.Archives {
    /// The photos of an archive that are still there. Two names lead to one where the vault has dropped a duplicate.
    /// - Throws: `busy` where lists that others download by have taken all the memory that there is for them.
    package func photos(of archive: Archive) async throws -> ArchiveList {
        let library = try session.requireVault().library
        let (entries, claim) = (archive.entries, session.listClaim())
        var known: Set<ArchiveEntry> = []
        var photos: [ArchivedPhoto] = []
        for start in stride(from: 0, to: entries.count, by: 500) {
            let part = try await library.photosOrKept(entries[start..<min(start + 500, entries.count)])
                .filter { known.insert(ArchiveEntry(serial: $0.photo.serial, folder: $0.folder)).inserted }
                .map { found, folder in
                    ArchivedPhoto(
                        serial: found.serial, name: found.name, folder: folder.map { archive.folders[$0] },
                        byteCount: found.byteCount,
                        modifiedAt: Milliseconds.date(found.modifiedAt ?? found.receivedAt))
                }
            try claim.grow(by: ArchiveList.byteCount(of: part), mayBeAlone: true, with: archive.claim)
            photos += part
        }
        return ArchiveList(photos, claim)
    }

    package func original(_ photo: ArchivedPhoto) async throws -> Original {
        try await session.photos.original(session.handle(photo.serial))
    }
}

extension Library {
    fileprivate func photosOrKept(
        _ entries: ArraySlice<ArchiveEntry>
    ) async throws -> [(photo: LibraryPhoto, folder: Int?)] {
        var found: [(photo: LibraryPhoto, folder: Int?)] = []
        // Folders stand behind each other.
        for part in entries.chunked(by: \.folder) {
            found += try await photosOrKept(serials: part.map(\.serial)).map { ($0, part.first?.folder) }
        }
        return found
    }
}

extension ArraySlice<ArchiveEntry> {
    fileprivate func chunked(by key: (ArchiveEntry) -> Int?) -> [ArraySlice<ArchiveEntry>] {
        var parts: [ArraySlice<ArchiveEntry>] = []
        var start = startIndex
        for index in indices where index + 1 == endIndex || key(self[index]) != key(self[index + 1]) {
            parts.append(self[start...index])
            start = index + 1
        }
        return parts
    }
}

extension Session {
    /// Of memory, for a long list that is made for this session; by whose device it is.
    package func listClaim() -> ListMemoryBudget.Claim { engine.lists.claim(for: neighbour ?? vaultUID) }
}
