import Bytes
import Foundation
internal import GRDB
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

/// Makes the layout of a new store. The header comes last: without it nothing counts as a store.
enum StoreCreation {
    static func run(
        in root: Folder, configuration: StoreConfiguration, makeHeader: () throws -> HostHeader
    ) throws {
        try root.open(StoreLayout.initialising, O_RDWR | O_CREAT).synchronize()
        try root.synchronize()
        try removeUnfinished(in: root)
        let header = try makeHeader()

        try ObjectFolders.create(in: root)
        try SlotTable.create(in: root, isFilled: configuration.fillsSlots)
        try DiskReserve(in: root, byteCount: configuration.reserveByteCount, floorByteCount: 0).allocate()
        try createLedger(in: root, configuration)
        try root.synchronize()

        try HeaderFile.create(header, in: root)
        try finish(in: root)
    }

    /// The header stands; the markers may go. With that of a restoration, the next one would put the older ledger over
    /// what has come to this store since.
    static func finish(in root: Folder) throws {
        let wasCreated = try root.unlink(StoreLayout.initialising)
        let wasRestored = try root.unlink(StoreLayout.restoring)
        if wasCreated || wasRestored { try root.synchronize() }
    }

    /// What an earlier attempt left. Only its own names, and folders only if they are empty, so that nothing anybody
    /// stored can be lost here.
    private static func removeUnfinished(in root: Folder) throws {
        for name in StoreLayout.filesOfCreation { try root.unlink(name) }
        for name in [StoreLayout.objects, StoreLayout.quarantine] where root.contains(name) {
            let folder = try root.folder(name)
            for entry in try folder.names() { try folder.removeFolder(entry) }
            try root.removeFolder(name)
        }
    }

    private static func createLedger(in root: Folder, _ configuration: StoreConfiguration) throws {
        let path = configuration.path + "/" + StoreLayout.ledger
        let file = try root.open(StoreLayout.ledger, O_RDWR | O_CREAT | O_EXCL)
        try translatingLedgerErrors {
            let pool = try LedgerConnection.open(path: path)
            try pool.write { database in
                try LedgerSchema.create(in: database)
                try addCoverRows(to: database, count: configuration.coverRowCount)
                let transaction = LedgerTransaction(database, failures: .init())
                let today = configuration.today()
                try transaction.addCoverSessions(configuration.coverSessionCountAtBirth(), today: today)
                try transaction.addCoverDoors(configuration.coverSessionCountAtBirth(), today: today)
                let day = today.bigEndianBytes
                try database.run(
                    "INSERT INTO meta (key, value) VALUES (?, ?)", [.text(LedgerSchema.MetaKey.lastDay), .blob(day)])
            }
            try makeCopies(of: pool, in: root, configuration)
            try pool.writeWithoutTransaction { try $0.checkpointIfOpen(.truncate) }
            pool.invalidateReadOnlyConnections()
            try pool.close()
        }
        try file.synchronize()
    }

    /// Random rows that no vault owns: without them the number of rows would tell the number of vaults. Their own
    /// number is recorded nowhere.
    private static func addCoverRows(to database: Database, count: Int) throws {
        for _ in 0..<count {
            try database.run(
                "INSERT INTO row (id, body) VALUES (?, ?)",
                [.id(RowID.random()), .blob(try randomBytes(LedgerSchema.rowByteCount))])
        }
    }

    private static func makeCopies(of pool: DatabasePool, in root: Folder, _ configuration: StoreConfiguration) throws {
        let copies = LedgerCopies(root: root, path: configuration.path, today: configuration.today)
        try copies.renew(from: pool) { change in
            try pool.write { database in
                try change.apply(LedgerTransaction(database, failures: .init()), nil)
            }
        }
    }
}

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
