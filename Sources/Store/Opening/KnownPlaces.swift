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

/// The file systems that are mounted at this moment, as this process sees them (proc(5), mountinfo).
struct MountTable {
    private struct Mount {
        let id: Substring
        /// Of the one that it lies on; itself, or none of these, at the root.
        let parent: Substring
        let point: String
        let device: Substring
        /// Which folder of the file system lies there.
        let root: Substring
        let kind: Substring

        /// What waits to mount something is no disk yet.
        var isDisk: Bool { kind != "autofs" }
    }

    private let mounts: [Mount]

    /// Nil where /proc does not say it.
    static func current() -> MountTable? {
        TextLines.read("/proc/self/mountinfo").map(MountTable.init)
    }

    /// - Parameter lines: `36 35 98:0 /root /mnt rw master:1 - ext3 /dev/root rw`, and blanks in paths as `\040`
    init(_ lines: [String]) {
        mounts = lines.compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count > 6, let end = fields.firstIndex(of: "-"), end + 1 < fields.count else { return nil }
            return Mount(
                id: fields[0], parent: fields[1], point: unescaped(fields[4]), device: fields[2], root: fields[3],
                kind: fields[end + 1])
        }
    }

    /// What a path without links lies on, found as the kernel does, from the root down: a disk that comes hides what
    /// was mounted below its place before, such as the folder of a service that a service manager had laid over itself.
    private func mount(of path: String) -> Mount? {
        let ids = Set(mounts.map(\.id))
        var next = mounts.filter { $0.parent == $0.id || !ids.contains($0.parent) }
        var found: Mount?
        var seen: Set<Substring> = []
        while let mount = next.filter({ isPath(path, at: $0.point) }).min(by: {
            $0.point.utf8.count < $1.point.utf8.count
        }),
            seen.insert(mount.id).inserted
        {
            if mount.isDisk { found = mount }
            next = mounts.filter { $0.parent == mount.id && $0.id != mount.id }
        }
        return found
    }

    /// The mount point that a path without links lies at or below.
    func mountPoint(of path: String) -> String { mount(of: path)?.point ?? "/" }

    func isMountPoint(_ path: String) -> Bool { mountPoint(of: path) == path }

    /// Tells what is mounted above a path from other things that may be, as far as Linux can (statvfs(3)): the same file
    /// system may be called otherwise after the next boot, where it is called by its device. Memory is another one each
    /// time. A folder of the same file system that is laid over another one is told by where it lies.
    func fileSystem(of path: String) -> String {
        let path = FilePath.resolved(path) ?? path
        guard let mount = mount(of: path) else { return "unknown" }
        var status = statvfs()
        let isNumbered = mount.kind != "tmpfs" && statvfs(path, &status) == 0
        return "\(mount.kind) \(isNumbered ? String(status.f_fsid) : "") \(mount.root)"
    }

    /// Whether another file system begins there, or another part of the same, such as a subvolume. A folder that is laid
    /// over itself, as a service manager does with those that a service may write to, is still the one that was there
    /// before.
    func isOtherFileSystem(at path: String) -> Bool {
        guard let mount = mount(of: path), mount.point == path else { return false }
        guard let above = self.mount(of: FilePath.parent(of: path)), above.device == mount.device else { return true }
        let below = above.point == "/" ? path : String(path.dropFirst(above.point.count))
        return unescaped(mount.root) != (above.root == "/" ? below : unescaped(above.root) + below)
    }
}

/// Where disks belong: /etc/fstab.
package enum FileSystemTable {
    /// The mount point above a path whose disk is not mounted, by the tables of this moment; nil where nothing is missing.
    /// Blocking.
    package static func missingMountPoint(above path: String) -> String? {
        MountTable.current().flatMap { missingMountPoint(above: path, in: $0) }
    }

    /// The same, by the table as it is now.
    static func missingMountPoint(above path: String, in mounts: MountTable) -> String? {
        missingMountPoint(above: FilePath.absolute(path), TextLines.read("/etc/fstab") ?? [], mounts)
    }

    /// The mount point above a path whose disk is not mounted; nil where nothing is missing.
    static func missingMountPoint(above path: String, _ lines: [String], _ mounts: MountTable) -> String? {
        let places = [path, FilePath.following(path)]
        // mount(8) follows links, too.
        let points = lines.compactMap(mountPoint).flatMap { [$0, FilePath.resolved($0) ?? $0] }
            .filter { point in places.contains { isPath($0, at: point) } }
        guard let point = points.max(by: { $0.utf8.count < $1.utf8.count }) else { return nil }
        let isThere = [point, FilePath.resolved(point) ?? point].contains(where: mounts.isOtherFileSystem)
        return isThere ? nil : point
    }

    /// Of a line such as `/dev/sda1 /srv/photos ext4 defaults,nofail 0 2`. A folder that is laid over another one is no
    /// disk.
    private static func mountPoint(_ line: String) -> String? {
        let fields = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
        guard fields.count >= 4, !fields[0].hasPrefix("#"), fields[1].hasPrefix("/"), fields[1] != "/" else {
            return nil
        }
        guard !fields[3].split(separator: ",").contains(where: { $0 == "bind" || $0 == "rbind" }) else { return nil }
        let point = unescaped(fields[1])
        return point.hasSuffix("/") ? String(point.dropLast()) : point
    }
}

/// The lines of a file whose size nobody knows before it is read.
enum TextLines {
    static func read(_ path: String) -> [String]? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var lines: [String] = []
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        while getline(&line, &capacity, file) >= 0, let line {
            lines.append(String(cString: line).trimmingNewline)
        }
        return lines
    }
}

extension String {
    fileprivate var trimmingNewline: String { hasSuffix("\n") ? String(dropLast()) : self }
}

/// Whether a path is that of a folder or lies below it. Both are absolute.
private func isPath(_ path: String, at folder: String) -> Bool {
    folder == "/" || path == folder || path.hasPrefix(folder + "/")
}

/// Blanks, tabs, newlines and backslashes stand as three octal digits.
private func unescaped(_ field: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = field.utf8[...]
    while let byte = rest.popFirst() {
        let digits = String(decoding: rest.prefix(3), as: UTF8.self)
        if byte == UInt8(ascii: "\\"), digits.utf8.count == 3, let code = UInt8(digits, radix: 8) {
            bytes.append(code)
            rest = rest.dropFirst(3)
        } else {
            bytes.append(byte)
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}
