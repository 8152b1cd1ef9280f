import Glibc

/// A data directory in the making: absent or empty before, and no store until its header is in place.
struct RestorationTarget {
    let folder: Folder
    let lock: StoreLock

    /// Looked at before the lock file may be made, and again under the lock.
    static func open(_ path: String) throws -> RestorationTarget {
        let target = try DirectoryState.openRoot(path)
        try requireUsable(target, path)
        let lock = try StoreLock.acquire(in: target)
        do {
            try requireUsable(target, path)
            lock.writeHolder()
            try target.writeMarker(StoreLayout.restoring, "\n")
            // Of a restoration that came to its end but for the marker. What follows makes the store another one, and
            // until that is whole a daemon must not start on it. A store that was used since has no marker.
            if try target.unlink(StoreLayout.header) { try target.synchronize() }
            return RestorationTarget(folder: target, lock: lock)
        } catch {
            lock.release()
            throw error
        }
    }

    private static func requireUsable(_ target: Folder, _ path: String) throws {
        try target.requireEmpty(or: StoreLayout.restoring, path: path, or: "a restoration that was cut off")
        do {
            _ = try HeaderFile.inspect(in: target)
        } catch {
            // A later version has put back a whole store there, and could not remove its mark.
            if case .newerFormat = error { throw error }
        }
    }

    /// The header is in place.
    /// - Parameter mayGoOn: whether what could not be had may come yet: until the store is used, it can be restored again
    func finish(mayGoOn: Bool = false) throws {
        try folder.synchronize()
        // Of a run that was cut off while it wrote several at once.
        for name in try folder.names() where name.hasPrefix(BackupLayout.incoming) { try folder.unlink(name) }
        if !mayGoOn { try folder.unlink(StoreLayout.restoring) }
        try folder.synchronize()
    }
}
