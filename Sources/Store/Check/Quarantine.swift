import Glibc

/// What lies in quarantine: files that the ledger does not know, or that nobody claimed.
package struct Quarantine: Sendable, Equatable {
    package var fileCount = 0
    package var byteCount: UInt64 = 0

    /// Takes the lock, looks, and leaves everything as it is. Blocking; throws as `StoreCheck.run` does.
    package static func look(path: String) throws -> Quarantine {
        var found = Quarantine()
        try withFiles(path) { folder, name in
            found.fileCount += 1
            found.byteCount += try folder.byteCount(of: name) ?? 0
        }
        return found
    }

    /// Removes all of it for good; returns how many files went. Blocking.
    package static func purge(path: String) throws -> Int {
        var removed = 0
        try withFiles(path) { folder, name in
            if try folder.unlink(name) { removed += 1 }
        }
        return removed
    }

    private static func withFiles(_ path: String, _ body: (Folder, String) throws -> Void) throws {
        let root = try DirectoryState.openExisting(path)
        try HeaderFile.requireChangeable(in: root, path: path)
        let lock = try StoreLock.acquire(in: root)
        defer { lock.release() }
        guard root.contains(StoreLayout.quarantine) else { return }
        let quarantine = try root.folder(StoreLayout.quarantine)
        for day in try quarantine.names() where quarantine.isFolder(day) {
            let folder = try quarantine.folder(day)
            for name in try folder.names() where !folder.isFolder(name) { try body(folder, name) }
            try folder.synchronize()
        }
    }
}

extension Store {
    /// Takes the objects off the ledger's list and moves their files into today's quarantine. An opening of a vault
    /// moves back, and lists again, what one of its rows names. Blocking.
    /// - Returns: how many files were moved.
    package func quarantine(_ ids: [ObjectID]) throws -> Int {
        // First: what is moved by nobody, because of a crash, is moved by the next start's sweep.
        try ledger.commitBlocking(
            LedgerChange(mayUseReserve: true) { transaction, _ in
                for id in ids { try transaction.forgetObject(id) }
            })
        return try objects.moveToQuarantine(ids, day: firstDay)
    }
}
