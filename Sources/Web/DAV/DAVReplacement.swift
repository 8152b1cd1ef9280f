import Records
import Vault
import Vaults

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
            memory.forget(former.id)
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
