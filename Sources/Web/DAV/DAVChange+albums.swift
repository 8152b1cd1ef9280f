import Hummingbird
import Records
import Vault
import Vaults

/// What a change does to albums. Nothing of it deletes a photo.
extension DAVChange {
    // MARK: MKCOL

    /// - Throws: `albumNameEmpty`, `albumNameTooLong`, `albumNameTaken`.
    func makeAlbum() async throws { _ = try await tree.session.albums.make(AlbumName(composing: path.name).text) }

    // MARK: DELETE

    /// The album goes, and its photos stay.
    func remove(_ album: AlbumFolder, at path: DAVPath) async throws {
        _ = try await tree.session.albums.remove(album.id.text, deletesPhotos: false)
        forgetAll(at: path)
    }

    /// - Throws: `sidecar` for what is in it with its photo alone.
    func takeOut(_ id: String, of album: AlbumFolder) async throws {
        let count = try await tree.session.albums.takeOut([id], of: album.id.text)
        guard count == 0, let photo = try await tree.session.files.photo(id), photo.sidecarOf != nil else { return }
        throw DAVRefusal.sidecar
    }

    func forgetAll(at path: DAVPath) {
        memory.remove(memory.tree(below: path).map(\.path) + [path])
    }

    // MARK: MOVE, COPY

    /// Renames an album, or makes another of the same photos.
    func move(_ album: AlbumFolder, to destination: DAVPath, isCopy: Bool) async throws -> Response {
        guard destination.parent == DAVTree.albums else { throw DAVRefusal.albumStays }
        let name = try AlbumName(composing: destination.name)
        var there = try await tree.node(at: destination)
        // Of its own name it may change the letter case.
        if case .folder(.album(album))? = there {
            guard !isCopy, name.text != album.albumName.text else { throw DAVRefusal.sameResource }
            there = nil
        }
        try requireMayReplace(there)
        let conditions = try DAVConditions(tree: tree, request: request)
        try await conditions.require(at: path, .folder(.album(album)))
        try conditions.requireUnlocked(nameOf: destination, below: true)
        if !isCopy { try conditions.requireUnlocked(nameOf: path, below: true) }
        let replaced: AlbumFolder? = if case .folder(.album(let other))? = there { other } else { nil }
        if isCopy {
            let ids = request.headers[.depth] == "0" ? [] : try await tree.session.albums.photos(of: album.id.text)
            try await tree.session.files.refile([.init(ids, outOf: nil, into: name)], replacing: replaced)
        } else {
            try await tree.session.files.rename(album, to: name, replacing: replaced)
        }
        if there != nil { forgetAll(at: destination) }
        try carryNames(of: album, to: destination, isCopy: isCopy)
        memory.withLocks {
            $0.removeAll(at: destination)
            if !isCopy { $0.removeAll(at: path) }
        }
        return Response(status: there == nil ? .created : .noContent)
    }

    private func carryNames(of album: AlbumFolder, to destination: DAVPath, isCopy: Bool) throws {
        let inside = isCopy && request.headers[.depth] == "0" ? [] : memory.tree(below: path)
        try memory.copyProperties(from: path, to: destination)
        for one in inside {
            let place = one.path.moved(from: path, to: destination)
            // Where only the letter case changes, it is the same place for an album, and another for what is remembered.
            try memory.put(one.entry, at: place)
            try memory.copyProperties(from: one.path, to: place)
        }
        if !isCopy { forgetAll(at: path) }
    }

    /// What albums have to do with a photo, or a folder that a client made, that moves or is copied: it is in the album of
    /// the folder in which it comes to lie, and no longer in that of the folder in which it lay.
    func refilings(of node: DAVNode, to destination: DAVPath, isCopy: Bool) async throws -> [Session.Files.Refiling] {
        switch node {
        case .photo(let photo):
            let (old, new) = (try await tree.albumName(at: path), try await tree.albumName(at: destination))
            let name = isCopy ? nil : newName(of: photo, at: destination)
            guard old != new else { return name == nil ? [] : [.init([photo.id], outOf: nil, into: nil, name: name)] }
            let staysInOld = isCopy || memory.isElsewhere(photo.id, besides: path, within: path.parent)
            return [.init([photo.id], outOf: staysInOld ? nil : old, into: new, name: name)]
        case .folder(.made):
            let album = destination.parent == DAVTree.albums ? try AlbumName(composing: destination.name) : nil
            let inside = isCopy && request.headers[.depth] == "0" ? [] : memory.tree(below: path)
            if album != nil, inside.contains(where: { $0.entry.isFolder }) { throw DAVRefusal.flatAlbum }
            var found: [[AlbumName?]: [String]] = album == nil ? [:] : [[nil, album]: []]
            for (place, entry) in inside {
                guard let id = entry.photoID else { continue }
                let old = try await tree.albumName(at: place)
                let moved = try await tree.albumName(at: place.moved(from: path, to: destination))
                let new = album ?? moved
                if old != new { found[[isCopy ? nil : old, new], default: []].append(id) }
            }
            return found.map { .init($0.value, outOf: $0.key[0], into: $0.key[1]) }
        case .folder, .empty, .forgotten, .taken: return []
        }
    }

    /// In the vault, too, where the photo has the name that its client takes away: some send under a passing name.
    private func newName(of photo: Photo, at destination: DAVPath) -> String? {
        guard memory.entry(at: path) == .photo(photo.id), photo.name == path.name, destination.name != path.name,
            memory.places(of: photo.id).count <= 1
        else { return nil }
        return destination.name
    }
}

/// A file that comes to an address at which another photo stands.
struct DAVReplacement {
    let tree: DAVTree
    let path: DAVPath

    /// Whether a file that is sent there takes the address: by the vault's password and no app's code, where photos can be
    /// changed, and where the client has seen what stands there. Two phones that know nothing of each other call different
    /// photos the same.
    func isMeant(over former: Photo) -> Bool {
        !tree.sendsOnly && !tree.session.isApp && DAVTree.isWritable(path)
            && tree.memory.hasSeen(former.id, at: path, since: former.receivedAt)
    }

    /// The former photo goes to "Recently deleted", and what people did with it goes on with the new one, unless its client
    /// has it at another address as well: then it only leaves this one.
    func put(_ entry: DAVMemory.Entry, over former: Photo) async throws {
        let memory = tree.memory
        if isElsewhere(former) {
            if let album = try await tree.album(holding: path),
                !memory.isElsewhere(former.id, besides: path, within: path.parent)
            {
                _ = try await tree.session.albums.takeOut([former.id], of: album.id.text)
            }
        } else if let id = entry.photoID {
            try await tree.session.files.replace(former.id, with: id)
            memory.forget([former.id])
        }
        try memory.put(entry, at: path)
    }

    /// By a door's code nothing is taken away: what the device sent before stands beside what it sends now.
    func putAside(_ former: Photo) async throws {
        // In the inbox itself each photo stands without being remembered, too.
        guard path.parent != DAVTree.inbox else { return }
        let aside = path.parent.appending(try await tree.freeName(for: path))
        try tree.memory.put(tree.memory.entry(at: path) ?? .photo(former.id), at: aside)
    }

    /// Whether the photo is more than what stands at this address: it was there before its client sent the same, which may
    /// have been found later, or was copied from here.
    private func isElsewhere(_ photo: Photo) -> Bool {
        if let entry = tree.memory.entry(at: path), entry != .photo(photo.id) { return true }
        return tree.memory.isElsewhere(photo.id, besides: path)
    }
}
