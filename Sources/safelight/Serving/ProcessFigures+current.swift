import CLinux
import FoundationEssentials
import Glibc
import Web

extension ProcessFigures {
    /// The figures of this process, as /proc/self has them; proc(5).
    static func current() -> ProcessFigures {
        var figures = ProcessFigures()
        figures.id = getpid()
        figures.openFileCount = openFileCount() ?? 0
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            figures.openFileLimit = UInt64(limit.rlim_cur)
        }
        // The name in the second field may hold anything, even brackets.
        guard let text = content("/proc/self/stat"), let end = text.lastIndex(of: ")") else { return figures }
        let fields = text[text.index(after: end)...].split(separator: " ").map { UInt64($0) ?? 0 }
        guard fields.count > 21 else { return figures }
        // From the third field of proc(5) on: utime 14, stime 15, starttime 22, vsize 23, rss 24.
        let ticks = Double(sysconf(CInt(_SC_CLK_TCK)))
        figures.cpuSeconds = Double(fields[11] + fields[12]) / ticks
        figures.startTime = bootTime() + Double(fields[19]) / ticks
        figures.virtualByteCount = fields[20]
        figures.residentByteCount = fields[21] * UInt64(sysconf(CInt(_SC_PAGESIZE)))
        return figures
    }

    /// Seconds since 1970.
    private static func bootTime() -> Double {
        Date().timeIntervalSince1970 - linux_seconds_since_boot()
    }

    private static func openFileCount() -> Int? {
        // The one that lists them does not count.
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count).map { $0 - 1 }
    }

    /// Of a file whose size nobody knows before it is read.
    private static func content(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
        }
    }
}
