import Glibc
import Sealing
package import Store

/// Whole small files beside the store: the setup code, the pepper. Blocking; used at start only.
package enum SmallFile {
    /// Nil when the file is absent or larger than `limit`.
    package static func read(_ path: String, limit: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        let count = bytes.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in
            Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        }
        guard count >= 0, count <= limit else { return nil }
        return Array(bytes.prefix(count))
    }

    /// Writes under another name, syncs, renames, syncs the folder.
    package static func write(_ path: String, _ bytes: [UInt8]) throws(StoreError) {
        let draft = path + ".new"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("Opening", draft) }
        let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        let isSynced = written == bytes.count && fsync(descriptor) == 0
        close(descriptor)
        guard isSynced, rename(draft, path) == 0 else { throw failure("Writing", path) }
        let folder = open(
            String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failure("Opening the folder of", path) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw failure("Syncing the folder of", path) }
    }

    private static func failure(_ action: String, _ path: String) -> StoreError {
        .failure("\(action) \(path)", errno)
    }
}

/// How much memory this process and its children may count on.
package enum AvailableMemory {
    private static let groups = "/sys/fs/cgroup"

    /// The lowest of what the kernel calls available and what the control groups of this process allow (`MemoryMax=` of a
    /// systemd unit, among others); nil when none can be read.
    package static func kiB() -> UInt64? {
        (groupLimits() + [kernelKiB() ?? halfOfAllKiB()].compactMap { $0 }).filter { $0 > 0 }.min()
    }

    /// What this process may have at most: all that there is, or what its control groups allow.
    package static func mostKiB(of all: UInt64) -> UInt64 { groupLimits().filter { $0 > 0 }.reduce(all, min) }

    private static func groupLimits() -> [UInt64] {
        let membership =
            SmallFile.read("/proc/self/cgroup", limit: 8192).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return limitFiles(membership: membership).compactMap { path in
            SmallFile.read(path, limit: 64).flatMap { UInt64(String(decoding: $0, as: UTF8.self).filter(\.isNumber)) }
                .map { $0 / 1024 }
        }
    }

    /// Files that hold a limit: of the process' own group and of every group above it, for both versions of control groups.
    /// - Parameter membership: `/proc/self/cgroup`, lines of "id:controllers:path".
    static func limitFiles(membership: String) -> [String] {
        membership.split(separator: "\n").flatMap { line -> [String] in
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { return [] }
            if fields[1].isEmpty { return ancestors(of: fields[2]).map { groups + $0 + "/memory.max" } }
            guard fields[1].split(separator: ",").contains("memory") else { return [] }
            return ancestors(of: fields[2]).map { groups + "/memory" + $0 + "/memory.limit_in_bytes" }
        }
    }

    /// "/a/b" gives "/a/b", "/a" and "".
    private static func ancestors(of path: Substring) -> [String] {
        let parts = path.split(separator: "/")
        return (0...parts.count).reversed().map { count in parts.prefix(count).map { "/" + $0 }.joined() }
    }

    private static func kernelKiB() -> UInt64? {
        SmallFile.read("/proc/meminfo", limit: 8192).flatMap { text in
            String(decoding: text, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("MemAvailable:") }
                .flatMap { $0.split(separator: " ").dropFirst().first.flatMap { UInt64($0) } }
        }
    }

    /// Where /proc shows processes only (`ProcSubset=pid` of a systemd unit), what is available is anybody's guess.
    private static func halfOfAllKiB() -> UInt64? {
        let (pages, pageByteCount) = (sysconf(CInt(_SC_PHYS_PAGES)), sysconf(CInt(_SC_PAGESIZE)))
        return pages > 0 && pageByteCount > 0 ? UInt64(pages) * UInt64(pageByteCount) / 1024 / 2 : nil
    }
}

/// Why the daemon cannot start with this data directory; the text is for the person who starts it.
package struct StartFailure: Error, CustomStringConvertible, Sendable {
    package let description: String
    /// With its full stop, for who goes on behind it.
    package var sentence: String { description.hasSuffix(".") ? description : description + "." }
    /// The disk is full, or does not do what it is told, or this host has too few descriptors or too little memory for it.
    package private(set) var isOfDisk = false
    /// Of these: there is no room.
    package private(set) var isOfFullDisk = false

    /// Nothing is there, and no new data directory may be begun: its disk may be mounted yet.
    package private(set) var isAbsence = false
    /// Another process works on the data directory.
    package private(set) var isInUse = false
    /// The bucket does not do what it is asked: its store, the way to it, this host's clock, or keys that are not valid (any
    /// more, or yet). All of that passes without this program.
    package private(set) var isOfBucket = false

    package init(description: String, isOfDisk: Bool = false, isOfBucket: Bool = false) {
        self.description = description
        self.isOfDisk = isOfDisk
        self.isOfBucket = isOfBucket
    }

    package static func of(_ error: any Error) -> StartFailure { StartFailure(error) }

    package init(_ error: any Error) {
        switch error {
        case let failure as StartFailure: self = failure
        case let error as StoreError:
            description = error.description
            (isOfDisk, isOfFullDisk) = (error.isOfDisk && !error.isOfRights, error.isOfFullDisk)
            if case .absent = error { isAbsence = true }
            if case .inUse = error { isInUse = true }
            if case .bucketUnreachable = error { (isOfDisk, isOfBucket) = (true, true) }
        case let error as VerifiedCopy.Mismatch:
            description = error.description
            isOfDisk = true
        case SealingError.memoryNotLockable:
            description =
                "Memory for keys cannot be locked, so it could be written to the swap file. Nothing was changed. Give the "
                + "process more of it: LimitMEMLOCK in a systemd unit, --ulimit memlock=-1 for a container, ulimit -l in "
                + "a shell."
        case VaultError.internalFailure(let text): description = text
        case VaultError.diskFull: self = StartFailure(StoreError.diskFull)
        case VaultError.degraded: self = StartFailure(StoreError.degraded)
        default: description = String(describing: error)
        }
    }
}
