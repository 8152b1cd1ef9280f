import Glibc

/// What a data directory is, decided by looking only.
package enum DirectoryState: Equatable {
    case empty
    /// An earlier creation did not finish; nothing was ever stored in it.
    case unfinished
    case store

    /// Throws for a newer format, for damaged headers, and for a directory that holds something else.
    static func inspect(_ root: Folder, path: String) throws(StoreError) -> DirectoryState {
        if try HeaderFile.inspect(in: root) != nil { return .store }
        let ours: Set = [StoreLayout.lock, StoreLayout.lostAndFound, StoreLayout.knownPlaces]
        let names = try root.names().filter { !ours.contains($0) }
        if names.isEmpty { return .empty }
        if names.contains(StoreLayout.initialising) { return .unfinished }
        throw .unusable(
            "\(path) is not empty and has no \(StoreLayout.header). If it is a data directory, put that file back from "
                + "a backup; otherwise choose an empty folder. Nothing was changed.")
    }

    /// Makes the folder if it is absent, checks whose it is. An empty one of this user that others may look into, as a
    /// container's volume or the folder of a NAS is at first, is closed to them.
    static func openRoot(_ path: String) throws(StoreError) -> Folder {
        try makeIfAbsent(path)
        do {
            return try openExisting(path)
        } catch .insecurePermissions {
            let root = try openFolder(path)
            guard try root.names().allSatisfy({ $0 == StoreLayout.lostAndFound }), fchmod(root.descriptor, 0o700) == 0
            else { throw .insecurePermissions(path: path) }
            return try openExisting(path)
        }
    }

    /// The same for a folder that may be somebody else's, and on any file system.
    static func openOrMakeFolder(_ path: String) throws(StoreError) -> Folder {
        try makeIfAbsent(path)
        return try openFolder(path)
    }

    private static func makeIfAbsent(_ path: String) throws(StoreError) {
        if mkdir(path, 0o700) == 0 {
            try synchronizeParent(of: path)
        } else if errno != EEXIST {
            let code = errno
            // Of a disk, which may be another one the next time.
            guard ![ENOSPC, EDQUOT, EROFS, EIO, ENOTCONN].contains(code) else {
                throw .ioFailed(operation: "Making \(path)", errno: code)
            }
            throw .unusable("\(path) cannot be made: \(String(cString: strerror(code))).")
        }
    }

    private static func openFolder(_ path: String) throws(StoreError) -> Folder {
        do {
            return try Folder.open(path: path)
        } catch .ioFailed(_, EACCES) {
            throw .unusable(ofAnother(path))
        } catch .ioFailed(_, let code) where [ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG].contains(code) {
            throw .unusable("\(path) cannot be opened as a folder: \(String(cString: strerror(code))).")
        }
    }

    static func openExisting(_ path: String) throws(StoreError) -> Folder {
        let root = try openFolder(path)
        var status = stat()
        guard fstat(root.descriptor, &status) == 0 else { throw .failure("fstat") }
        guard status.st_uid == geteuid() else { throw .unusable(ofAnother(path)) }
        guard status.st_mode & 0o077 == 0 else {
            throw .insecurePermissions(path: path)
        }
        return root
    }

    /// Says which folder on the way this user is not let into, or does not own, and whose it is.
    private static func ofAnother(_ path: String) -> String {
        var place = FilePath.absolute(path)
        while place != "/", access(FilePath.parent(of: place), X_OK) != 0 { place = FilePath.parent(of: place) }
        var status = stat()
        let owner = stat(place, &status) == 0 ? "to \(user(status.st_uid))" : "to somebody else"
        let found =
            "\(place) is there, but belongs \(owner), and this runs as \(user(geteuid())). Nothing was changed. "
        // Were it root's, the daemon could not use it any more.
        if geteuid() == 0, let name = getpwuid(status.st_uid).map({ String(cString: $0.pointee.pw_name) }) {
            return found + "Run it as that user: sudo -u \(name) … Only where it is to be root's from now on: "
                + "chown -R 0 \(path); chmod 700 \(path)"
        }
        return found + "Where "
            + "the data directory is the right one: chown -R \(geteuid()) \(path); chmod 700 \(path)"
    }

    private static func user(_ id: uid_t) -> String {
        getpwuid(id).map { "\(String(cString: $0.pointee.pw_name)) (\(id))" } ?? "user \(id)"
    }

    /// As `mkdir -p` does, and closed to others.
    static func makeFolders(above path: String) throws(StoreError) {
        for folder in FilePath.missing(downTo: FilePath.parent(of: path)) { try makeIfAbsent(folder) }
    }

    /// Blocking. Whether a command may put something into a data directory, beside the daemon that may be running.
    /// - Throws: `newerFormat`, `unusable` where it holds no store, or one that this program may only read.
    package static func requireChangeable(_ path: String) throws {
        try HeaderFile.requireChangeable(in: openExisting(path), path: path)
    }

    /// Blocking. Whether a store came with something of a later version that lets this program read and change nothing.
    package static func isOnlyRead(_ path: String) -> Bool {
        guard let root = try? openExisting(path), let header = try? HeaderFile.inspect(in: root) else { return false }
        return !header.features.areChangeable
    }

    private static func synchronizeParent(of path: String) throws(StoreError) {
        try Folder.open(path: parent(of: path)).synchronize()
    }

    private static func parent(of path: String) -> String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true).dropLast()
        let parent = (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
        return parent.isEmpty ? "." : parent
    }

    /// Whether a folder that may still have to be made would lie somewhere below another one, wherever symbolic links
    /// lead.
    static func isPath(_ path: String, within outer: String) -> Bool {
        guard let inner = FilePath.resolved(path) ?? FilePath.resolved(parent(of: path)),
            let outer = FilePath.resolved(outer)
        else { return false }
        return inner == outer || inner.hasPrefix(outer + "/")
    }
}
