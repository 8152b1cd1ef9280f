import Content
import Import
import Media
import Records
import Store
import Synchronization
import Threads

/// Tells photos of an open vault what lies beside them, whichever of the two came first, while nobody uploads: by the
/// rules of an import, for all that lies in one scope. Ends with the vault, and goes on at its next opening.
package final class SidecarSettling: Sendable {
    /// In one commit, beside which an upload waits for a tenth of a second.
    private static let photosPerCommit = 64
    /// Of a scope with more the memory that was taken to look through it is given back: parts of an export come for an hour,
    /// and each time all of them are looked through.
    private static let fewEntries = 1000

    private let work: IdleWork
    /// What sidecars say, by their serials.
    private let contents = Mutex<[UInt64: SidecarContent]>([:])

    init(engine: UploadEngine) { work = IdleWork(engine: engine) }

    /// For a vault whose library is there.
    func start(_ vault: OpenVault) {
        work.start(vault)
        if !vault.library.isSettled { wake() }
    }

    /// Something may have come.
    func wake() {
        work.wake { [weak self] pacing in
            while try await self?.settleOne(&pacing) == true {}
        }
    }

    package func pause() async { await work.pause() }

    func stop() { work.stop() }

    /// - Returns: whether there may be more.
    private func settleOne(_ pacing: inout RereadPacing) async throws -> Bool {
        guard let stale = try work.vault().library.stale.withLock({ $0.next }) else { return false }
        try await work.engine.waitForTurn(&pacing)
        let findings = try await findings(in: stale.scope, &pacing)
        try await tell(findings)
        // What was told is entered, and makes nothing stale: nothing of it is new.
        try work.vault().library.stale.withLock { $0.settle(stale.scope, stale.number) }
        return true
    }

    // MARK: What is there

    private func findings(in scope: String, _ pacing: inout RereadPacing) async throws -> SidecarFindings {
        let vault = try work.vault()
        let (library, isGiven) = (vault.library, vault.door != nil)
        guard scope == SourceScopes.lone else {
            let entries = try await library.entries(of: scope)
            guard entries.contains(where: { $0.sidecar != nil }) || SourceScopes.hasAlbumsWithoutTitle(scope) else {
                return SidecarFindings()
            }
            let contents = try await read(entries, &pacing)
            defer {
                if entries.count > Self.fewEntries { _ = work.engine.threads.start { FreedMemory.giveBack() } }
            }
            return try await work.engine.threads.runIdly {
                var findings = SidecarFindings(isGiven: isGiven)
                findings.take(entries, contents)
                findings.drop(nothingOf: entries)
                return findings
            }
        }
        let sidecars = try await library.loneSidecars()
        let contents = try await read(sidecars, &pacing)
        let families = Set(
            sidecars.flatMap { sidecar in contents[sidecar.serial].map { LoneFiles.families(of: sidecar, $0) } ?? [] })
        let photos = try await library.lonePhotos(of: families)
        return try await work.engine.threads.runIdly {
            var findings = SidecarFindings(isGiven: isGiven)
            for group in LoneFiles.groups(sidecars, photos, contents) { findings.take(group, contents) }
            findings.drop(told: sidecars, contents)
            findings.drop(nothingOf: sidecars)
            return findings
        }
    }

    /// Those that cannot be read now say nothing: the re-read finds out why, and names them.
    private func read(
        _ entries: [SourceEntry], _ pacing: inout RereadPacing
    ) async throws -> [UInt64: SidecarContent] {
        var found: [UInt64: SidecarContent] = [:]
        for entry in entries where entry.sidecar?.isNothing == false && found[entry.serial] == nil {
            if let known = contents.withLock({ $0[entry.serial] }) {
                found[entry.serial] = known
                continue
            }
            try await work.engine.waitForTurn(&pacing)
            let vault = try work.vault()
            let content = try? await work.engine.threads.runIdly { try vault.sidecarContent(of: entry) }
            guard let content else { continue }
            found[entry.serial] = content
            contents.withLock { $0[entry.serial] = content }
        }
        return found
    }

    // MARK: What is told

    private func tell(_ findings: SidecarFindings) async throws {
        let vault = try work.vault()
        let isGuest = vault.isGuest
        // Before they are told, so that nothing waits any more for a photo that was told.
        _ = try await vault.inParts(findings.joined.sorted()) { part, change in
            try change.noteJoined(part, findings.partial)
        }
        if !isGuest { try await followTitles(findings.folders, in: vault) }
        let told = try findings.said.compactMap { said -> (said: SidecarFindings.Said, words: SidecarWords)? in
            let words = try SidecarWords(
                said.note, isGiven: said.isGiven, isGuest: isGuest, mayBeTrashed: said.mayBeTrashed)
            return words.isSilent || words.facts.said == said.before ? nil : (said, words)
        }
        for start in stride(from: 0, to: told.count, by: Self.photosPerCommit) {
            let part = told[start..<min(start + Self.photosPerCommit, told.count)]
            try await vault.change { change in
                var unkept: Set<UInt64> = []
                for (said, words) in part {
                    // Somebody may have deleted it meanwhile, or its row is damaged.
                    do {
                        let told = try change.tell(words, of: said.serial)
                        if !told.unkept.isEmpty || !told.albums.isEmpty { unkept.formUnion(said.speakers) }
                    } catch VaultError.noSuchPhoto, VaultError.damaged {}
                }
                try change.noteUnkept(unkept.sorted())
            }
        }
        guard !findings.over.isEmpty else { return }
        _ = try await vault.inParts(findings.over.sorted()) { part, change in try change.removeHeld(part) }
        contents.withLock { contents in for serial in findings.over { contents[serial] = nil } }
        await vault.reap()
    }

    /// An album that was called after its folder gets the title that came later, and goes where the folder is none, so that
    /// none appears twice. One with anything else in it is a person's.
    private func followTitles(_ folders: [SidecarFindings.Folder], in vault: OpenVault) async throws {
        let wanted = Set(folders.compactMap(\.album))
        for folder in folders {
            guard let name = folder.name, name != folder.album, !wanted.contains(name),
                let present = vault.album(named: name)
            else { continue }
            let members = try await vault.library.members(of: present)
            guard !members.isEmpty, folder.photos.isSuperset(of: members) else { continue }
            try await vault.change { change in
                guard try change.album(present).createdAt >= folder.since else { return }
                guard let title = folder.album.flatMap({ try? AlbumName(AlbumName.cut($0)) }) else {
                    try change.removeAlbum(present)
                    return
                }
                if let other = change.album(named: title), other.id != present {
                    // Its photos join it as they are told.
                    try change.removeAlbum(present)
                } else {
                    try change.rename(present, to: title)
                }
            }
        }
    }
}

extension VaultChange {
    /// Photos of which these sidecars speak have come.
    /// - Parameter partial: those that say more than is kept.
    fileprivate mutating func noteJoined(_ serials: some Sequence<UInt64>, _ partial: Set<UInt64>) throws -> Int {
        try update(
            serials,
            where: { photo in
                photo.sidecar.map { !$0.isJoined || $0.isPartial != partial.contains(photo.serial) } ?? false
            },
            { record in
                record.sidecar?.isJoined = true
                record.sidecar?.isPartial = partial.contains(record.serial)
            })
    }

    /// Not all that these sidecars say was kept.
    fileprivate mutating func noteUnkept(_ serials: some Sequence<UInt64>) throws {
        _ = try update(serials, where: { $0.sidecar?.isUnkept == false }, { $0.sidecar?.isUnkept = true })
    }

    /// Sidecars that are nothing else go.
    /// - Returns: how many there were.
    package mutating func removeHeld(_ serials: some Sequence<UInt64>) throws -> Int {
        var count = 0
        for serial in serials {
            guard let sidecar = try current(serial, in: vault.library), sidecar.isHeld else { continue }
            try remove(at: sidecar.rowNumber)
            count += 1
        }
        return count
    }
}

extension OpenVault {
    /// Blocking.
    /// - Throws: what keeps it from being read; `noSuchPhoto` for what says nothing.
    func sidecarContent(of entry: SourceEntry) throws -> SidecarContent {
        guard let photo = try library.photoOrKeptBlocking(serial: entry.serial), photo.serial == entry.serial,
            photo.byteCount <= SidecarContent.largestArriving
        else { throw VaultError.noSuchPhoto }
        let reader = try reader(of: photo)
        defer { reader.forgetCached() }
        let bytes = try ObjectBytes(reader: reader, byteCount: photo.byteCount)
            .read(at: 0, count: Int(photo.byteCount))
        guard let content = SidecarContent(arriving: bytes, path: entry.path) else { throw VaultError.noSuchPhoto }
        return content
    }
}
