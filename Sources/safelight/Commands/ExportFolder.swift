import Bytes
import CLinux
import FoundationEssentials
import Glibc
import Sealing
import Vault
import Web

/// The folder that an export fills. A file is written under another name and synced, then takes a name that nothing
/// else has, and only then is listed. Whatever lay there stays, other vaults' photos and the owner's own files too.
final class ExportFolder {
    private static let draftEnding = ".safelight-part"
    let path: String
    private let sums: ChecksumList
    /// What lies there or is listed, by its folded name.
    private var known: [String: String] = [:]
    /// The folded names that photos of this run have.
    private var given: Set<String> = [PortableName.folded(ChecksumList.fileName)]

    /// Makes the folder where there is none, and clears away what an interrupted run left half written: not what another one
    /// is writing, nor what is called like a draft and is none.
    init(_ path: String) throws {
        self.path = path
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw Self.failure("make", path).ofAll }
        sums = try ChecksumList(folder: path)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
            if Self.isDraft(name) {
                removeAbandoned(place(of: name))
            } else {
                known[PortableName.folded(name)] = name
            }
        }
        for name in sums.names { known[PortableName.folded(name)] = name }
    }

    private static func isDraft(_ name: String) -> Bool {
        guard name.hasPrefix("."), name.hasSuffix(draftEnding) else { return false }
        return UInt64(name.dropFirst().dropLast(draftEnding.count)) != nil
    }

    private func removeAbandoned(_ draft: String) {
        let descriptor = open(draft, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(draft) }
    }

    /// The file that an earlier run finished for this very photo, if one did. In this run it is no other photo's then.
    func name(of photo: Photo) throws -> String? {
        guard let name = try listedNames(of: photo).first(where: { try isWhole($0, photo) }) else { return nil }
        give(name)
        return name
    }

    func begin() throws -> ExportWriter {
        let draft = place(of: ".\(UInt64.random(in: .min ... .max))\(Self.draftEnding)")
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("write into", path) }
        // As long as it is written. Where the file system has no locks, nobody else is told.
        _ = flock(descriptor, LOCK_EX | LOCK_NB)
        return try ExportWriter(path: draft, descriptor: descriptor)
    }

    /// Gives what was written its name, unless the photo turns out to lie here already.
    /// - Returns: the name of its file.
    func finish(_ writer: ExportWriter, as photo: Photo) throws -> String {
        let digest = try writer.finish(for: photo)
        var written = photo
        written.sha256 = digest
        if let name = try name(of: written) { return name }
        if let name = try restored(written, from: writer.path) { return name }
        let name = try settle(written, from: writer.path)
        try Self.synchronize(path)
        try sums.append(name, digest: digest)
        return name
    }

    /// Puts back a listed file that is missing or cut off.
    private func restored(_ photo: Photo, from draft: String) throws -> String? {
        for name in listedNames(of: photo) {
            if try !publish(draft, as: name) {
                guard try isBeginning(name, of: draft) else { continue }
                guard rename(draft, place(of: name)) == 0 else { throw Self.failure("write", name) }
            }
            give(name)
            try Self.synchronize(path)
            return name
        }
        return nil
    }

    /// Takes the first name that is free, or whose file is this photo although no list says so.
    private func settle(_ photo: Photo, from draft: String) throws -> String {
        let name = PortableName(photo.name)
        let folded = name.folded
        var number = 0
        while true {
            number += 1
            let key = folded.numbered(number)
            if given.contains(key) { continue }
            let candidate = known[key] ?? name.numbered(number)
            if sums.lists(candidate) { continue }
            let isTaken = try known[key] != nil || !publish(draft, as: candidate)
            if isTaken, try !isWhole(candidate, photo) { continue }
            given.insert(key)
            return candidate
        }
    }

    /// - Returns: false when something has the name; nothing is replaced then.
    private func publish(_ draft: String, as name: String) throws -> Bool {
        let target = place(of: name)
        if linux_rename_without_replacing(AT_FDCWD, draft, AT_FDCWD, target) == 0 { return true }
        if errno == EINVAL || errno == ENOSYS {
            // NFS and some FUSE file systems have no such rename. An empty file of our own keeps the name meanwhile.
            let descriptor = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            if descriptor >= 0 {
                close(descriptor)
                if rename(draft, target) == 0 { return true }
                let failure = Self.failure("write", name)
                unlink(target)
                throw failure
            }
        }
        guard errno == EEXIST else { throw Self.failure("write", name) }
        return false
    }

    // MARK: Packets

    /// - Returns: false where another file has the name.
    func write(_ packet: [UInt8], as name: String) throws -> Bool {
        let path = place(of: name)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            guard errno == EEXIST else { throw Self.failure("write", path) }
            return try PlainFile.sha256(of: path) == SHA256Hasher.hash(packet)
        }
        defer { close(descriptor) }
        try AlbumLinks.write(packet, to: descriptor, path)
        return true
    }

    /// The same in a folder below, which is made.
    /// - Parameter parts: of names that every file system takes.
    func write(_ bytes: [UInt8], below parts: [String]) throws -> Bool {
        var folder = ""
        for part in parts.dropLast() {
            folder += part + "/"
            guard mkdir(place(of: folder), 0o700) == 0 || errno == EEXIST else { throw Self.failure("make", folder) }
        }
        return try write(bytes, as: parts.joined(separator: "/"))
    }

    private static let longestPacket = 4 << 20

    /// What lies there under this name, where that may be written over: no list names it, and it is no more than a packet is.
    func packet(_ name: String) -> [UInt8]? {
        guard !sums.lists(name), let found = FileStatus(at: place(of: name)), found.byteCount <= Self.longestPacket
        else {
            return nil
        }
        let descriptor = open(place(of: name), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.longestPacket)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return count > 0 && UInt64(count) == found.byteCount ? Array(bytes[..<count]) : nil
    }

    /// - Returns: false where it is no longer what it was.
    func replace(_ name: String, _ former: [UInt8], by packet: [UInt8]) throws -> Bool {
        guard packet != former else { return true }
        let draft = place(of: ".\(UInt64.random(in: .min ... .max))\(Self.draftEnding)")
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("write", name) }
        defer { close(descriptor) }
        try AlbumLinks.write(packet, to: descriptor, draft)
        guard try PlainFile.sha256(of: place(of: name)) == SHA256Hasher.hash(former),
            rename(draft, place(of: name)) == 0
        else {
            unlink(draft)
            return false
        }
        return true
    }

    /// Once everything was written.
    func finish() throws { try sums.sort() }

    /// The names under which earlier runs listed this photo, as far as no other photo of this run has them.
    private func listedNames(of photo: Photo) -> [String] {
        guard let digest = photo.sha256 else { return [] }
        let name = PortableName(photo.name)
        return sums.names(of: digest).filter { name.covers($0) && !given.contains(PortableName.folded($0)) }
    }

    /// A listed file is believed by its size and time. Where the time is another, for not every file system keeps
    /// milliseconds, or where no list tells, the content is read.
    private func isWhole(_ name: String, _ photo: Photo) throws -> Bool {
        guard let digest = photo.sha256, let found = FileStatus(at: place(of: name)),
            found.byteCount == photo.byteCount
        else {
            return false
        }
        let time = ExportWriter.fileTime(of: photo)
        let hasItsTime =
            found.modifiedSeconds == Int(time.seconds) && found.modifiedNanoseconds == Int(time.nanoseconds)
        if hasItsTime && sums.names(of: digest).contains(name) { return true }
        return try PlainFile.sha256(of: place(of: name)) == digest
    }

    /// Whether a file was cut off: it holds the first bytes of a draft and nothing else. Other content is somebody's.
    private func isBeginning(_ name: String, of draft: String) throws -> Bool {
        guard let found = FileStatus(at: place(of: name)), let content = try PlainFile.sha256(of: place(of: name))
        else {
            return false
        }
        return try PlainFile.sha256(of: draft, first: found.byteCount) == content
    }

    private func give(_ name: String) { given.insert(PortableName.folded(name)) }

    private func place(of name: String) -> String { "\(path)/\(name)" }

    static func synchronize(_ folder: String) throws {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("sync", folder) }
    }

    static func failure(_ action: String, _ name: String) -> ExportFailure {
        ExportFailure(action: action, name: name, code: errno)
    }
}

/// Files that lie in a folder already.
enum PlainFile {
    /// Whether a file says this and nothing else.
    static func holds(_ text: String, at path: String) throws -> Bool {
        try sha256(of: path) == SHA256Hasher.hash(Array(text.utf8))
    }

    private static let pieceByteCount = 1 << 20

    /// The digest of a whole file, or of its first bytes.
    /// - Returns: nil for a link, a folder, and what cannot be read.
    static func sha256(of path: String, first byteCount: UInt64 = .max) throws -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var hasher = try SHA256Hasher()
        var piece = [UInt8](repeating: 0, count: pieceByteCount)
        var rest = byteCount
        while rest > 0 {
            let count = read(descriptor, &piece, Int(min(rest, UInt64(pieceByteCount))))
            guard count >= 0 else { return nil }
            if count == 0 { break }
            try piece.withUnsafeBytes { try hasher.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            rest -= UInt64(count)
        }
        return try hasher.finalize()
    }
}
