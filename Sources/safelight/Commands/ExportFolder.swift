import CLinux
import FoundationEssentials
import Glibc
import Sealing
import Vaults

/// The folder that an export fills. A file is written under another name, synced and renamed, and only then listed.
final class ExportFolder {
    private static let draftEnding = ".safelight-part"
    private let path: String
    private let sums: ChecksumList

    /// Makes the folder where there is none, and clears away what an interrupted run left half written.
    init(_ path: String) throws {
        self.path = path
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw Self.failure("make", path) }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        where name.hasPrefix(".") && name.hasSuffix(Self.draftEnding) {
            unlink("\(path)/\(name)")
        }
        sums = try ChecksumList(folder: path)
    }

    /// Whether an earlier run finished this very photo under this name.
    func holds(_ name: String, byteCount: UInt64, modifiedAt: Date) -> Bool {
        var facts = linux_file_facts()
        guard sums.lists(name), linux_look_at("\(path)/\(name)", &facts) == 0 else { return false }
        let time = ExportWriter.fileTime(modifiedAt)
        return facts.byte_count == byteCount && facts.modified_seconds == time.tv_sec
            && Int(facts.modified_nanoseconds) == time.tv_nsec
    }

    func begin(_ name: String) throws -> ExportWriter {
        let draft = "\(path)/.\(UInt64.random(in: .min ... .max))\(Self.draftEnding)"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("write", name) }
        return try ExportWriter(path: draft, descriptor: descriptor)
    }

    func finish(_ writer: ExportWriter, name: String, modifiedAt: Date) throws {
        let digest = try writer.finish(modifiedAt: modifiedAt)
        try sums.remove(name)
        guard rename(writer.path, "\(path)/\(name)") == 0 else { throw Self.failure("write", name) }
        try Self.synchronize(path)
        try sums.append(name, digest: digest)
    }

    static func synchronize(_ folder: String) throws {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("sync", folder) }
    }

    static func failure(_ action: String, _ name: String) -> StartFailure {
        StartFailure(
            description:
                "Cannot \(action) \(name): \(String(cString: strerror(errno))). What was written before is kept.")
    }
}

/// One file of an export.
final class ExportWriter {
    let path: String
    private let descriptor: Int32
    private var hasher: SHA256Hasher?
    private var isFinished = false

    init(path: String, descriptor: Int32) throws {
        self.path = path
        self.descriptor = descriptor
        hasher = try SHA256Hasher()
    }

    deinit {
        close(descriptor)
        if !isFinished { unlink(path) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        try hasher?.update(bytes)
        var rest = bytes
        while !rest.isEmpty {
            let written = Glibc.write(descriptor, rest.baseAddress, rest.count)
            guard written > 0 else { throw ExportFolder.failure("write", path) }
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
    }

    /// To the millisecond, which is what a vault keeps.
    static func fileTime(_ date: Date) -> timespec {
        let milliseconds = Int((date.timeIntervalSince1970 * 1000).rounded())
        return timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
    }

    /// Sets the time, syncs.
    /// - Returns: the SHA-256 of what was written.
    func finish(modifiedAt: Date) throws -> [UInt8] {
        let times = [Self.fileTime(modifiedAt), Self.fileTime(modifiedAt)]
        guard futimens(descriptor, times) == 0, fsync(descriptor) == 0, let hasher = hasher.take() else {
            throw ExportFolder.failure("finish", path)
        }
        isFinished = true
        return try hasher.finalize()
    }
}

/// File names for photos: no path, no surprise, each once. The same vault gives the same names again.
struct ExportNames {
    private static let longest = 240
    private var taken: Set<String> = [ChecksumList.fileName]

    mutating func name(for photo: String) -> String {
        let safe = Self.safe(photo)
        let dot = safe.lastIndex(of: ".").flatMap { $0 > safe.startIndex ? $0 : nil } ?? safe.endIndex
        let stem = Self.cut(String(safe[..<dot]), to: Self.longest - safe[dot...].utf8.count)
        let ending = String(safe[dot...])
        var name = stem + ending
        var number = 2
        while !taken.insert(name).inserted {
            name = "\(stem) (\(number))\(ending)"
            number += 1
        }
        return name
    }

    private static func safe(_ name: String) -> String {
        var safe = String(
            String.UnicodeScalarView(
                name.unicodeScalars.map { scalar in
                    scalar == "/" || scalar == "\\" || scalar.value < 0x20 || scalar.value == 0x7F ? "_" : scalar
                }))
        // Hidden files, "." and ".." are none that a photo should become.
        if safe.hasPrefix(".") { safe = "_" + safe.dropFirst() }
        if let dot = safe.lastIndex(of: "."), safe[dot...].utf8.count > 32 {
            safe.replaceSubrange(dot...dot, with: "_")
        }
        return safe.isEmpty ? "photo" : safe
    }

    private static func cut(_ text: String, to limit: Int) -> String {
        var text = text
        while text.utf8.count > limit { text.removeLast() }
        return text
    }
}
