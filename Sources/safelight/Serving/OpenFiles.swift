import CLinux
import Content
import FoundationEssentials
import Glibc
import Imaging
import Listener
import Logging
import Web

/// How many files and connections this process may have open.
enum OpenFiles {
    /// What is open besides connections: the store, the ledger, and the files of uploads and downloads.
    private static let besidesConnections = 1024

    /// Raises the limit to what the system allows, and says so when that is too little.
    static func raiseLimit(for limits: ListenerLimits, logger: Logger) {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        if limit.rlim_cur < limit.rlim_max {
            var raised = rlimit(rlim_cur: limit.rlim_max, rlim_max: limit.rlim_max)
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        let wanted = needed(for: limits)
        guard limit.rlim_cur < rlim_t(wanted) else { return }
        logger.warning(
            "the system allows fewer open files than the limits of connections need; raise LimitNOFILE or ulimit -Hn, or lower limits.connections",
            metadata: ["allowed": "\(limit.rlim_cur)", "needed": "\(wanted)"])
    }

    private static func needed(for limits: ListenerLimits) -> Int {
        limits.strangerConnectionCount + limits.hostConnectionCount + limits.overflowConnectionCount
            + besidesConnections
    }
}

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

/// The programs that look into photos, and what the vaults know of them.
struct Studio {
    let making: PictureMaking
    private let pictures: PictureStudio

    init(_ configuration: ImagingConfiguration, logger: Logger) {
        let pictures = PictureStudio(configuration: configuration, logger: logger)
        let program = configuration.pictureExecutable ?? ""
        if access(program, X_OK) != 0 {
            logger.warning(
                "the program that makes pictures is missing; photos are kept without", metadata: ["path": "\(program)"])
        }
        self.pictures = pictures
        making = PictureMaking(
            maker: pictures, workerCount: configuration.workerCount, isAvailable: { await pictures.isAbleToWork() })
        // Whether its libraries are there is known before anybody asks.
        Task { await pictures.isAbleToWork() }
    }

    func close() async { await pictures.close() }
}
