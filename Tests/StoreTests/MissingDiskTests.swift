import Foundation
import TestSupport
import Testing

@testable import Store

@Suite("Disks that are not there")
struct MissingDiskTests {
    private static let root = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw"
    private static let disk = "40 22 8:17 / /srv/my\\040photos rw shared:9 - ext4 /dev/sdb1 rw"
    private static let overItself = "41 22 8:1 /srv/my\\040photos /srv/my\\040photos rw - ext4 /dev/sda1 rw"
    private static let automatic = "42 22 0:50 / /srv/my\\040photos rw - autofs systemd-1 rw"
    private static let table = [
        "# <file system> <mount point> <type>", "", "UUID=1 / ext4 defaults 0 1", "UUID=2 none swap sw 0 0",
        "UUID=3 /srv/my\\040photos ext4 defaults,nofail 0 2", "/srv/a /srv/b none bind 0 0",
    ]

    private func missing(_ path: String, _ mounts: [String]) -> String? {
        FileSystemTable.missingMountPoint(above: path, Self.table, MountTable(mounts))
    }

    @Test("a mount point of the file system table is missing until another file system is there")
    func tableNamesWhatIsMissing() {
        #expect(missing("/srv/my photos/vaults", [Self.root]) == "/srv/my photos")
        #expect(missing("/srv/my photos", [Self.root]) == "/srv/my photos")
        #expect(missing("/srv/my photos/vaults", [Self.root, Self.disk]) == nil)
    }

    @Test("a folder that a service manager lays over itself, or that waits to be mounted, is no disk")
    func layersAreNoDisk() {
        #expect(missing("/srv/my photos", [Self.root, Self.overItself]) == "/srv/my photos")
        #expect(missing("/srv/my photos", [Self.root, Self.automatic]) == "/srv/my photos")
    }

    @Test("a subvolume is there when it is mounted, though its device is that of the root")
    func subvolumes() {
        let root = "22 1 0:33 /@ / rw - btrfs /dev/sda2 rw"
        let home = "40 22 0:33 /@home /home rw - btrfs /dev/sda2 rw"
        let table = ["UUID=1 / btrfs subvol=@ 0 0", "UUID=1 /home btrfs subvol=@home 0 0"]
        func missing(_ mounts: [String]) -> String? {
            FileSystemTable.missingMountPoint(above: "/home/a/data", table, MountTable(mounts))
        }
        #expect(missing([root, home]) == nil)
        #expect(missing([root]) == "/home")
        // As a service manager lays a folder over itself.
        #expect(missing([root, "41 22 0:33 /@/home /home rw - btrfs /dev/sda2 rw"]) == "/home")
    }

    @Test("what was mounted before below the place of a disk is hidden once the disk is there")
    func hiddenMounts() throws {
        let service = "50 22 8:1 /srv/my\\040photos/a/b /srv/my\\040photos/a/b rw - ext4 /dev/sda1 rw"
        let path = "/srv/my photos/a/b"
        let before = MountTable([Self.root, service])
        #expect(before.mountPoint(of: path) == path)
        for lines in [[Self.root, service, Self.disk], [Self.root, Self.disk, service]] {
            let mounts = MountTable(lines)
            #expect(mounts.mountPoint(of: path) == "/srv/my photos")
            #expect(!mounts.isMountPoint(path) && mounts.isMountPoint("/srv/my photos"))
            #expect(FileSystemTable.missingMountPoint(above: path, Self.table, mounts) == nil)
        }
        let over = MountTable([Self.root, Self.disk, "60 40 8:17 /a/b /srv/my\\040photos/a/b rw - ext4 /dev/sdb1 rw"])
        #expect(over.mountPoint(of: path) == path)
    }

    @Test("links are followed, in the table and on the way to a store")
    func links() throws {
        let folder = try TemporaryFolder()
        let real = try #require(FilePath.resolved(folder.path)) + "/mnt"
        let link = folder.path + "/link"
        try FileManager.default.createDirectory(atPath: real, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: real)
        let mounted = MountTable([Self.root, "40 22 8:17 / \(real) rw - ext4 /dev/sdb1 rw"])
        for (named, path) in [(link, link + "/data"), (link, real + "/data"), (real, link + "/data")] {
            let table = ["UUID=3 \(named) ext4 defaults 0 2"]
            #expect(FileSystemTable.missingMountPoint(above: path, table, mounted) == nil)
            #expect(FileSystemTable.missingMountPoint(above: path, table, MountTable([Self.root])) != nil)
        }
    }

    @Test("a store that is being put back or copied is waited for until it is whole enough")
    func comingStores() throws {
        let folder = try TemporaryFolder()
        func put(_ name: String) throws { try Data().write(to: URL(filePath: folder.path + "/" + name)) }
        #expect(StorePresence.isComing(to: folder.path))
        try put(StoreLayout.restoring)
        try put(StoreLayout.header)
        #expect(StorePresence.isComing(to: folder.path))
        try FileManager.default.removeItem(atPath: folder.path + "/" + StoreLayout.restoring)
        #expect(!StorePresence.isComing(to: folder.path))
    }

    @Test("other folders, the root and folders laid over others miss no disk")
    func othersMissNothing() {
        for path in ["/srv/my photos of 2019", "/var/lib/safelight", "/srv/b/vaults"] {
            #expect(missing(path, [Self.root]) == nil)
        }
    }

    @Test("a store on another disk is awaited while that is gone, and no more once one lies on the first disk")
    func remembersStoresOfOtherDisks() throws {
        let folder = try TemporaryFolder()
        let place = folder.path + "/photos"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        let places = KnownPlaces(folder: folder.path + "/state/known")
        let resolved = try #require(FilePath.resolved(place))
        let root = MountTable([Self.root])
        let withDisk = MountTable([Self.root, "40 22 8:17 / \(resolved) rw - ext4 /dev/sdb1 rw"])
        #expect(!places.isAwaited(place, in: root))
        try places.remember(place, in: withDisk)
        #expect(places.isAwaited(place, in: root))
        #expect(!places.isAwaited(place, in: withDisk))
        #expect(!places.isAwaited(folder.path, in: root))
        try places.remember(place, in: root)
        #expect(!places.isAwaited(place, in: root))
    }

    /// A store is known on a disk there, of ext4.
    private func rememberedDisk(in folder: TemporaryFolder) throws -> (places: KnownPlaces, path: String) {
        let places = KnownPlaces(folder: folder.path + "/state")
        let path = try #require(FilePath.resolved(folder.path)) + "/usb"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try places.remember(path, in: table("ext4", at: path))
        return (places, path)
    }

    private func table(_ kind: String, at path: String) -> MountTable {
        MountTable([Self.root, "40 22 8:17 / \(path) rw - \(kind) /dev/sdb1 rw"])
    }

    @Test("another disk at the place of the one with the store does not stand in for it")
    func anotherDiskIsNotThatOne() throws {
        let folder = try TemporaryFolder()
        let (places, path) = try rememberedDisk(in: folder)
        #expect(places.isAwaited(path, in: table("exfat", at: path)))
    }

    @Test("of another disk at that place nothing is awaited where its folder is one that may not be looked into")
    func closedFolders() throws {
        let folder = try TemporaryFolder()
        let (places, path) = try rememberedDisk(in: folder)
        #expect(!places.isAwaited(path, in: table("exfat", at: path), orOther: false))
        #expect(places.isAwaited(path, in: MountTable([Self.root]), orOther: false))
    }

    @Test("a path is made absolute without a look at the disk")
    func pathsBecomeAbsolute() {
        #expect(FilePath.absolute("/srv//photos/./x/../vaults/") == "/srv/photos/vaults")
        #expect(FilePath.absolute("/../..") == "/")
        #expect(FilePath.absolute("data").hasSuffix("/data"))
    }
}
