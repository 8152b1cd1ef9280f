import Bytes
package import Content
package import FoundationEssentials
import Records
import Sealing
import Store
import Synchronization
import Threads
import Vault

/// What somebody wants as one file.
struct ArchiveSelection {
    var entries: [ArchiveEntry] = []
    var folders: [String] = []
    var name: String?
    /// Photos of which it has no clean copies; nil for an archive of the files themselves.
    var missing: Set<ArchiveEntry>?
}

extension Session {
    /// Several photos as one file.
    package var archives: Archives { Archives(session: self) }

    /// Selections of photos that can be fetched as one file.
    package struct Archives: Sendable {
        let session: Session

        /// - Parameters:
        ///   - albums: ids of albums. One alone has no folder, and gives the file its name; of several, and beside photos,
        ///     each is a folder.
        ///   - favourites: what the album of all hearts is called, or another one that nobody has made and named.
        ///   - cleaning: of clean copies; nil for the files themselves.
        /// - Returns: a name under which the archive can be fetched in this session, until ten minutes after its last use.
        /// - Throws: `busy` where archives have taken all the memory that there is for them.
        package func make(
            _ ids: [String], albums: [String] = [], favourites: String = Album.favouritesName, cleaning: Cleaning? = nil
        ) async throws -> String {
            guard try !session.requireVault().isGuest else { throw VaultError.vaultNeeded }
            var contents = ArchiveSelection(entries: try await entries(ids))
            let favourites = try AlbumName(favourites).text
            for id in albums {
                let name = try await session.albums.album(id).name ?? favourites
                try await add(id, called: name, to: &contents, hasFolder: albums.count > 1 || !ids.isEmpty)
            }
            guard !contents.entries.isEmpty else { throw VaultError.noSuchPhoto }
            if let cleaning {
                let kept = try await cleanable(contents.entries, cleaning)
                contents.missing = Set(contents.entries).subtracting(kept)
                contents.entries = kept
            }
            let name = Base64URL.encode(try translated { try randomBytes(16) })
            try session.remember(archive: name, contents)
            return name
        }

        private func add(
            _ id: String, called name: String, to contents: inout ArchiveSelection, hasFolder: Bool
        ) async throws {
            let vault = try session.requireVault()
            let members = try await vault.library.serials(in: try await session.albums.scope(of: id))
            if hasFolder { contents.folders.append(name) } else { contents.name = name }
            let folder = hasFolder ? contents.folders.count - 1 : nil
            contents.entries += try await session.withSidecars(members, in: vault).map {
                ArchiveEntry(serial: $0, folder: folder)
            }
        }

        private func entries(_ ids: [String]) async throws -> [ArchiveEntry] {
            try await session.withSidecars(session.distinctSerials(ids), in: try session.requireVault()).map {
                ArchiveEntry(serial: $0)
            }
        }

        /// Puts more photos behind those of an archive: a list of ids has a largest size.
        /// - Throws: `archiveGone` for a name that this session does not know, for one of the other kind, and once the archive
        ///   was fetched.
        package func add(_ ids: [String], to name: String, cleaning: Cleaning? = nil) async throws {
            let archive = try archive(name)
            guard archive.isClean == (cleaning != nil) else { throw VaultError.archiveGone }
            let more = try await entries(ids)
            let kept = if let cleaning { try await cleanable(more, cleaning) } else { more }
            let missing = Set(more).subtracting(kept)
            guard try archive.add(kept, without: missing) else { throw VaultError.archiveGone }
        }

        /// Those of which a clean copy can be made. Each is looked into, one at a time in a vault.
        private func cleanable(_ entries: [ArchiveEntry], _ cleaning: Cleaning) async throws -> [ArchiveEntry] {
            var kept: [ArchiveEntry] = []
            for entry in entries {
                guard cleaning.isWanted() else { throw CancellationError() }
                let isKept = try await readingAhead {
                    do {
                        return try await session.photos.original(session.handle(entry.serial)).canBeCleaned()
                    } catch VaultError.noSuchPhoto, VaultError.damaged {
                        return false
                    }
                }
                if isKept { kept.append(entry) }
            }
            return kept
        }

        /// What an archive of clean copies needs.
        package struct Cleaning {
            /// False once nobody is there any more who asked.
            let isWanted: () -> Bool

            package init(while isWanted: @escaping () -> Bool) { self.isWanted = isWanted }
        }

        /// - Throws: `archiveGone` for a name that this session does not know, or not any more.
        package func archive(_ name: String) throws -> Archive {
            _ = try session.requireVault()
            guard let archive = session.rememberedArchive(name) else { throw VaultError.archiveGone }
            session.touch(archive)
            return archive
        }

        /// Runs what reads photos and sends nothing of them: one at a time in a vault, since no network slows it down.
        package func readingAhead<R>(_ body: () async throws -> R) async throws -> R {
            let turns = try session.requireVault().readingAhead
            await turns.acquire()
            defer { turns.release() }
            return try await body()
        }
    }
}

/// A photo in an archive.
struct ArchiveEntry: Hashable, Sendable {
    let serial: UInt64
    /// Which folder of the archive it is in; nil for none.
    var folder: Int?
}

/// Photos of a session that can be fetched as one file, as often as somebody likes, until nobody has for a while.
package final class Archive: Sendable {
    private struct State {
        var lastUsed: ContinuousClock.Instant
        var entries: [ArchiveEntry] = []
        var missing: Set<ArchiveEntry>?
        /// By place; made when the first one is known.
        var checksums: [UInt32?] = []
        var layout: String?
        weak var contents: (any AnyObject & Sendable)?
        /// The listing of photos when the contents were put together.
        var listing: UInt64?
    }

    static let patience: Duration = .seconds(600)
    /// What is remembered of each photo, in bytes: its serial, its folder, and its checksum.
    private static let byteCountPerPhoto = 32

    private let state: Mutex<State>
    let claim: ListMemoryBudget.Claim
    /// What is offered as its name, where it is one album; nil for a selection.
    package let name: String?
    /// Names of its folders, as `ArchiveEntry` counts them.
    let folders: [String]
    /// It has clean copies in place of the files.
    package var isClean: Bool { state.withLock { $0.missing != nil } }
    /// Of how many photos it has none; nil for an archive of the files themselves.
    package var missing: Int? { state.withLock { $0.missing?.count } }
    private let making = AsyncLock()

    /// - Throws: `busy` where archives have taken all the memory that there is for them.
    init(_ contents: ArchiveSelection, claim: ListMemoryBudget.Claim, now: ContinuousClock.Instant) throws(VaultError) {
        let count = contents.entries.count + (contents.missing?.count ?? 0)
        try claim.grow(by: count * Self.byteCountPerPhoto, mayBeAlone: true)
        self.claim = claim
        name = contents.name
        folders = contents.folders
        state = Mutex(State(lastUsed: now, entries: contents.entries, missing: contents.missing))
    }

    var entries: [ArchiveEntry] { state.withLock(\.entries) }

    /// - Returns: false once it was fetched: it has to stay what it was then.
    /// - Throws: `busy`; nothing is added then.
    func add(_ more: [ArchiveEntry], without missing: Set<ArchiveEntry> = []) throws(VaultError) -> Bool {
        try state.withLock { state throws(VaultError) in
            guard state.layout == nil else { return false }
            var known = Set(state.entries)
            let new = more.filter { known.insert($0).inserted }
            let others = missing.subtracting(state.missing ?? missing)
            try claim.grow(by: (new.count + others.count) * Self.byteCountPerPhoto, mayBeAlone: true)
            state.entries += new
            state.missing?.formUnion(others)
            return true
        }
    }

    func isOver(at now: ContinuousClock.Instant) -> Bool { state.withLock { now - $0.lastUsed >= Self.patience } }
    var lastUsed: ContinuousClock.Instant { state.withLock(\.lastUsed) }
    func touch(_ now: ContinuousClock.Instant) { state.withLock { $0.lastUsed = now } }

    /// What was found out about the content of a photo, by its place in the archive, so that whoever goes on with a
    /// broken download does not wait for all of it again.
    package func checksum(at place: Int) -> UInt32? {
        state.withLock { $0.checksums.indices.contains(place) ? $0.checksums[place] : nil }
    }

    package func note(_ checksum: UInt32, at place: Int) {
        state.withLock { state in
            if state.checksums.isEmpty { state.checksums = Array(repeating: nil, count: state.entries.count) }
            if state.checksums.indices.contains(place) { state.checksums[place] = checksum }
        }
    }

    /// Whether the archive still is what it was when it was first fetched: a photo may have been deleted for good since,
    /// and parts of two archives must not be put together.
    package func isUnchanged(_ layout: String) -> Bool {
        state.withLock { state in
            if state.layout == nil { state.layout = layout }
            return state.layout == layout
        }
    }

    /// What is put together of it for a download. Those that run at the same time share it, while what is listed is the
    /// same: many parts asked for at once take no more memory than one.
    package func contents<Contents: AnyObject & Sendable>(
        at listing: UInt64?, _ make: () async throws -> Contents
    ) async throws -> Contents {
        await making.acquire()
        defer { making.release() }
        let known = state.withLock { $0.listing == listing ? $0.contents : nil }
        if let known = known as? Contents { return known }
        let made = try await make()
        state.withLock { state in
            state.contents = made
            state.listing = listing
        }
        return made
    }
}

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
