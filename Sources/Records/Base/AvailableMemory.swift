import Glibc

/// How much memory this process and its children may count on.
package enum AvailableMemory {
    private static let groups = "/sys/fs/cgroup"

    /// The lowest of what the kernel calls available and what the control groups of this process allow (`MemoryMax=` of a
    /// systemd unit, among others); nil when none can be read.
    package static func kiB() -> UInt64? {
        let membership =
            SmallFile.read("/proc/self/cgroup", limit: 8192).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let limits = limitFiles(membership: membership).compactMap { path in
            SmallFile.read(path, limit: 64).flatMap { UInt64(String(decoding: $0, as: UTF8.self).filter(\.isNumber)) }
                .map { $0 / 1024 }
        }
        return (limits + [kernelKiB() ?? halfOfAllKiB()].compactMap { $0 }).filter { $0 > 0 }.min()
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
