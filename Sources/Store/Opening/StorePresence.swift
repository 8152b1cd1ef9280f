import Glibc

/// Tells a place for a new store from that of one whose disk is not there.
package enum StorePresence {
    /// What is no store and keeps none from being made.
    private static let ofNobody: Set = [StoreLayout.lock, StoreLayout.lostAndFound, StoreLayout.knownPlaces]

    /// Why no store may be begun where nothing is; nil where there is something, or where a new one may be.
    /// Nothing is changed.
    package static func absence(_ configuration: StoreConfiguration) -> String? {
        let path = configuration.path
        let content = Content(of: path)
        guard content != .something else { return nil }
        // What this user may not look into is said to be that, unless its disk is not there.
        guard content != .closed || configuration.beginsNewStore else { return nil }
        guard configuration.beginsNewStore else {
            return "There is no data directory at \(path), and none was made."
        }
        // Read after the look at the folder, which may have had its disk mounted.
        guard let mounts = MountTable.current() else { return nil }
        if let point = FileSystemTable.missingMountPoint(above: path, in: mounts) {
            return "The disk of \(point) (/etc/fstab) is not mounted, so nothing is at \(path). "
                + "No new data directory is begun in its place."
        }
        if configuration.knownPlaces?.isAwaited(path, in: mounts, orOther: content != .closed) == true {
            return "A data directory was at \(path), on a disk that is not there now. No new one is begun in its place."
        }
        return content == .closed ? nil : absenceOfFolder(above: path)
    }

    /// A data directory is made within a folder that is there. Where that is missing, it is the disk, or the path is not
    /// the one that was meant.
    private static func absenceOfFolder(above path: String) -> String? {
        let parent = FilePath.parent(of: FilePath.absolute(path))
        guard access(parent, F_OK) != 0, errno == ENOENT else { return nil }
        return
            "The folder \(parent), in which the data directory \(path) belongs, is not there: its disk is not mounted, "
            + "or the path is not the right one. Nothing was made."
    }

    /// Whether somebody is putting a store there at this moment, out of a backup or a copy: whoever waits for it waits on.
    package static func isComing(to path: String) -> Bool {
        guard let names = try? Folder.open(path: path).names() else { return false }
        let isBegun = names.contains(StoreLayout.header) || names.contains(StoreLayout.initialising)
        return names.contains(StoreLayout.restoring) || !isBegun
    }

    private enum Content {
        /// Neither a store nor anything else; nor, perhaps, a folder.
        case nothing
        case something
        /// There may be one, or not: this user is not let in.
        case closed

        init(of path: String) {
            do throws(StoreError) {
                self = try Folder.open(path: path).names().contains { !ofNobody.contains($0) } ? .something : .nothing
            } catch {
                if case .ioFailed(_, EACCES) = error { self = .closed } else { self = .nothing }
            }
        }
    }

    /// Says that a new store is to be begun there on purpose, in folders that are made for it: the daemon does it. Only
    /// where nothing is.
    package static func allowNewStore(at path: String) throws(StoreError) {
        try DirectoryState.makeFolders(above: FilePath.absolute(path))
        let root = try DirectoryState.openRoot(path)
        guard try DirectoryState.inspect(root, path: path) != .store else {
            throw .unusable("There is a data directory at \(path) already. Nothing was changed.")
        }
        try root.open(StoreLayout.initialising, O_RDWR | O_CREAT).synchronize()
        try root.synchronize()
    }
}
