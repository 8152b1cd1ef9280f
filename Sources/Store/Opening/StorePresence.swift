import Glibc

/// Tells a place for a new store from that of one whose disk is not there.
package enum StorePresence {
    /// What is no store and keeps none from being made.
    private static let ofNobody: Set = [StoreLayout.lock, StoreLayout.lostAndFound, StoreLayout.knownPlaces]

    /// Why no store may be begun where nothing is; nil where there is something, or where a new one may be.
    /// Nothing is changed.
    package static func absence(_ configuration: StoreConfiguration) -> String? {
        let path = configuration.path
        guard !holdsSomething(path) else { return nil }
        guard configuration.beginsNewStore else {
            return "There is no data directory at \(path), and none was made."
        }
        // Read after the look at the folder, which may have had its disk mounted.
        guard let mounts = MountTable.current() else { return nil }
        let table = TextLines.read("/etc/fstab") ?? []
        if let point = FileSystemTable.missingMountPoint(above: FilePath.absolute(path), table, mounts) {
            return "The disk of \(point) (/etc/fstab) is not mounted, so nothing is at \(path). "
                + "No new data directory is begun in its place."
        }
        guard configuration.knownPlaces?.isAwaited(path, in: mounts) == true else { return nil }
        return "A data directory was at \(path), on a disk that is not there now. No new one is begun in its place."
    }

    /// Whether somebody is putting a store there at this moment, out of a backup or a copy: whoever waits for it waits on.
    package static func isComing(to path: String) -> Bool {
        guard let names = try? Folder.open(path: path).names() else { return false }
        let isBegun = names.contains(StoreLayout.header) || names.contains(StoreLayout.initialising)
        return names.contains(StoreLayout.restoring) || !isBegun
    }

    /// What a store, or anything else, lies in. A folder that cannot be looked into has nothing to give.
    private static func holdsSomething(_ path: String) -> Bool {
        guard let names = try? Folder.open(path: path).names() else { return false }
        return names.contains { !ofNobody.contains($0) }
    }

    /// Says that a new store is to be begun there on purpose: the daemon does it. Only where nothing is.
    package static func allowNewStore(at path: String) throws(StoreError) {
        let root = try DirectoryState.openRoot(path)
        guard try DirectoryState.inspect(root, path: path) != .store else {
            throw .unusable("There is a data directory at \(path) already. Nothing was changed.")
        }
        try root.open(StoreLayout.initialising, O_RDWR | O_CREAT).synchronize()
        try root.synchronize()
    }
}
