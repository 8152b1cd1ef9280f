import Bytes
import Glibc

/// What this host remembers of stores and backups on disks of their own, in a folder that does not lie on those disks: where
/// one was and nothing is, the disk is missing, and no new one belongs there. One small file for each place.
package struct KnownPlaces: Sendable, Equatable {
    private let folder: String

    /// - Parameter folder: made where it is absent
    package init(folder: String) {
        self.folder = folder
    }

    /// Remembers a store that is open, or a backup; forgets what was known of its place where it lies on the same disk as this.
    func remember(_ path: String, in mounts: MountTable) throws(StoreError) {
        guard let place = FilePath.resolved(path) else { return }
        // In a data directory of a later version nothing is changed.
        if let data = try? Folder.open(path: FilePath.parent(of: folder)), data.contains(StoreLayout.header),
            !HeaderFile.takesNotes(data)
        {
            return
        }
        let name = try Self.name(of: path)
        try makeFolders()
        let own = mounts.mountPoint(of: FilePath.resolved(folder) ?? folder)
        let point = mounts.mountPoint(of: place)
        let root = try Folder.open(path: folder)
        guard point != own else {
            if try root.unlink(name) { try root.synchronize() }
            return
        }
        let text = Self.text(point, mounts.fileSystem(of: place))
        guard known(path) != text else { return }
        try write(text + [path], as: name, in: root)
    }

    /// Whether a store was there, and its disk is not now. A disk from which the store itself was taken away is there:
    /// nothing is awaited of it.
    /// - Parameter orOther: whether another disk at the place of that one is as good as none
    func isAwaited(_ path: String, in mounts: MountTable, orOther: Bool = true) -> Bool {
        guard let known = known(path), let point = known.first else { return false }
        guard mounts.isMountPoint(point) else { return true }
        return orOther && known != Self.text(point, mounts.fileSystem(of: FilePath.nearestExisting(path)))
    }

    /// The mount point and the file system there.
    private func known(_ path: String) -> [String]? {
        guard let name = try? Self.name(of: path), let lines = TextLines.read(folder + "/" + name), lines.count > 2
        else { return nil }
        return Array(lines.prefix(2))
    }

    private static func text(_ point: String, _ identity: String) -> [String] {
        [point.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: " "), identity]
    }

    private func write(_ lines: [String], as name: String, in root: Folder) throws(StoreError) {
        try root.unlink(name + ".new")
        let file = try root.open(name + ".new", O_RDWR | O_CREAT | O_EXCL)
        try file.write(Array(lines.map { $0 + "\n" }.joined().utf8), at: 0)
        try file.synchronize()
        try root.rename(name + ".new", to: name)
        try root.synchronize()
    }

    private func makeFolders() throws(StoreError) {
        for path in FilePath.missing(downTo: folder) where mkdir(path, 0o700) != 0 && errno != EEXIST {
            throw .failure("mkdir")
        }
    }

    /// Any path becomes a name: by its digest.
    private static func name(of path: String) throws(StoreError) -> String {
        let digest = try RunningSHA256()
        var bytes = Array(FilePath.absolute(path).utf8)
        do {
            try bytes.withUnsafeMutableBytes { try digest.update(UnsafeRawBufferPointer($0)) }
        } catch {
            throw .ioFailed(operation: "SHA-256", errno: EIO)
        }
        return Hexadecimal.encode(try digest.finish().prefix(16))
    }
}

/// Paths, without a look at what lies there but where a name says so.
enum FilePath {
    static func absolute(_ path: String) -> String {
        var parts = path.hasPrefix("/") ? [] : currentFolder().split(separator: "/")
        for part in path.split(separator: "/") where part != "." {
            if part == "..", !parts.isEmpty { parts.removeLast() } else if part != ".." { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// Of what exists, wherever links lead.
    static func resolved(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    /// Wherever links lead, also for what is not there yet.
    static func following(_ path: String) -> String {
        let (path, there) = (absolute(path), nearestExisting(path))
        guard let resolved = resolved(there) else { return path }
        let rest = there == "/" ? path : String(path.dropFirst(there.count))
        return resolved == "/" ? rest : resolved + rest
    }

    /// The path itself, or the folder above it that is there.
    static func nearestExisting(_ path: String) -> String {
        var path = absolute(path)
        while access(path, F_OK) != 0, path != "/" { path = parent(of: path) }
        return path
    }

    /// The folders that have to be made for this one to be there, itself the last.
    static func missing(downTo path: String) -> [String] {
        var (missing, path) = ([String](), path)
        while access(path, F_OK) != 0, path != "/" {
            missing.insert(path, at: 0)
            path = parent(of: path)
        }
        return missing
    }

    static func parent(of path: String) -> String {
        let parent = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        return parent.isEmpty ? "/" : String(parent)
    }

    private static func currentFolder() -> String {
        guard let found = getcwd(nil, 0) else { return "/" }
        defer { free(found) }
        return String(cString: found)
    }
}
