import Records
import Vault
import Vaults

/// A file that comes to an address at which another photo stands.
struct DAVReplacement {
    let tree: DAVTree
    let path: DAVPath

    /// The former photo goes to "Recently deleted", and what people did with it goes on with the new one, unless its client
    /// has it at another address as well. A door's code takes nothing away: the former one stands beside the new one,
    /// under a number.
    func put(_ entry: DAVMemory.Entry, over former: Photo) async throws {
        let memory = tree.memory
        if tree.sendsOnly {
            // In the inbox itself each photo stands without being remembered, too.
            if path.parent != DAVTree.inbox {
                let aside = path.parent.appending(try await tree.freeName(for: path))
                try memory.put(memory.entry(at: path) ?? .photo(former.id), at: aside)
            }
        } else if !isElsewhere(former), let id = entry.photoID {
            try await tree.session.files.replace(former.id, with: id)
            memory.forget(former.id)
        }
        try memory.put(entry, at: path)
    }

    /// Whether the photo is more than what stands at this address: it was there before its client sent the same, or was
    /// copied from here.
    private func isElsewhere(_ photo: Photo) -> Bool {
        if case .link? = tree.memory.entry(at: path) { return true }
        return tree.memory.hasEntry(of: photo.id, besides: path)
    }
}
