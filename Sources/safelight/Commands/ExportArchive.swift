import Bytes
import CLinux
import Glibc
import NIOCore
import Records
import Sealing
import Threads
import Vault
import Vaults
import Web

/// A vault as one encrypted file: a tar archive that goes through `age` as a stream. Nothing of it lies on a disk in
/// clear, and what is not whole gets no name.
final class ExportArchive: Sendable {
    private static let pieceByteCount = 1 << 20
    private static let draftEnding = ".safelight-part"
    static let toOutput = "-"

    private let path: String
    private let draft: String
    private let output: CInt
    private let child: AgeChild
    private let pool = BlockingPool(name: "age", threads: 1)

    /// Blocking.
    /// - Parameter path: of a file that is not there yet; `-` for standard output.
    /// - Throws: `StartFailure`.
    init(to path: String, recipients: [String], files: [String]) throws {
        self.path = path
        draft = path + Self.draftEnding
        guard path != Self.toOutput else {
            output = STDOUT_FILENO
            child = try AgeChild(recipients: recipients, files: files, output: output)
            return
        }
        guard access(path, F_OK) != 0 else {
            throw StartFailure(description: "\(path) is there already, and stays as it is.", isOfDisk: false)
        }
        output = try Self.openDraft(draft, of: path)
        do {
            child = try AgeChild(recipients: recipients, files: files, output: output)
        } catch {
            close(output)
            unlink(draft)
            throw error
        }
    }

    /// What an interrupted run left is encrypted, and of use to nobody; it is written over. What another one is writing is
    /// left to that.
    private static func openDraft(_ draft: String, of path: String) throws -> CInt {
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw ExportFolder.failure("write", path).ofAll }
        var (opened, named) = (stat(), stat())
        let isFree = flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno == ENOLCK || errno == EOPNOTSUPP
        guard isFree, fstat(descriptor, &opened) == 0, opened.st_mode & S_IFMT == S_IFREG, lstat(draft, &named) == 0,
            opened.st_ino == named.st_ino
        else {
            close(descriptor)
            throw StartFailure(
                description: "Another export is writing \(path). Wait for its end, or name another file.")
        }
        guard fchmod(descriptor, 0o600) == 0, ftruncate(descriptor, 0) == 0 else {
            let failure = ExportFolder.failure("write", path).ofAll
            close(descriptor)
            throw failure
        }
        return descriptor
    }

    /// - Returns: what could not be written, as it should be.
    /// - Throws: `AgeFailure`, `ExportFailure`; nothing is left of the file then.
    func write(_ vault: OfflineVault, _ photos: [Photo], withAlbums: Bool, withSidecars: Bool) async throws -> [String]
    {
        do {
            let missing = try await writeAll(vault, photos, withAlbums: withAlbums, withSidecars: withSidecars)
            try await pool.run { [self] in try finish() }
            await pool.shutdown()
            return missing
        } catch {
            try? await pool.run { [self] in
                child.abandon()
                if path != Self.toOutput { unlink(draft) }
            }
            await pool.shutdown()
            throw error
        }
    }

    private func finish() throws {
        try child.finish()
        guard path != Self.toOutput else { return }
        guard fsync(output) == 0, close(output) == 0 else { throw ExportFolder.failure("finish", path) }
        if linux_rename_without_replacing(AT_FDCWD, draft, AT_FDCWD, path) != 0 {
            // NFS and some FUSE file systems have no such rename.
            guard errno == EINVAL || errno == ENOSYS, access(path, F_OK) != 0, rename(draft, path) == 0 else {
                throw ExportFolder.failure("write", path)
            }
        }
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        try ExportFolder.synchronize(folder.isEmpty ? "/" : folder)
    }

    // MARK: Entries

    private func writeAll(
        _ vault: OfflineVault, _ photos: [Photo], withAlbums: Bool, withSidecars: Bool
    ) async throws -> [String] {
        var (missing, sums): ([String], [(name: String, digest: String)]) = ([], [])
        var names = ArchiveNames()
        var files: [String: String] = [:]
        let total = photos.reduce(0) { $0 + $1.byteCount }
        var (bar, done) = (ProgressBar("Export"), UInt64(0))
        let beside = withSidecars ? try await ExportSidecars(vault, photos) : nil
        for photo in photos where beside?.isWritten(with: photo) != true {
            let name = names.name(for: photo.name)
            let digest = try await write(photo, as: name, of: vault) { bar.show(done + $0, of: total) }
            done += photo.byteCount
            guard let digest else {
                missing.append("DAMAGE \(photo.name)")
                continue
            }
            files[photo.id] = name
            sums.append((name, Hexadecimal.encode(digest)))
        }
        bar.finish()
        if withAlbums {
            let list = AlbumLinks.list(
                try await albums(of: vault).map {
                    ($0.name ?? Album.favouritesName, $0.ids.compactMap { files[$0] }.sorted())
                })
            try await write(list, as: AlbumLinks.listName)
        }
        for photo in photos {
            guard let beside else { break }
            guard let file = files[photo.id] else {
                if let packet = beside.packet(of: photo) {
                    _ = try await write(packet, as: names.name(for: packet.name), of: vault) { _ in }
                }
                continue
            }
            let name = beside.name(beside: file, of: photo)
            do {
                guard let text = try await beside.text(of: photo) else { continue }
                if !text.saysAll { missing.append("NOT WRITTEN into \(name): it is no XMP") }
                try await write(text.bytes, as: names.name(for: name))
            } catch VaultError.damaged {
                missing.append("DAMAGE \(name)")
            }
        }
        for (id, parts) in try await beside?.waiting() ?? [] {
            let name = parts.joined(separator: "/")
            do {
                try await write(try await beside?.bytes(ofWaiting: id) ?? [], as: name)
            } catch VaultError.damaged {
                missing.append("DAMAGE \(name)")
            }
        }
        let lines = sums.sorted { $0.name < $1.name }.map { "\($0.digest)  \($0.name)\n" }
        try await write(lines.joined(), as: ChecksumList.fileName)
        try await give(TarHeader.end)
        return missing
    }

    private func albums(of vault: OfflineVault) async throws -> [(name: String?, ids: Set<String>)] {
        var albums: [(String?, Set<String>)] = []
        for album in try await vault.session.albums.all().sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) {
            albums.append((album.name, Set(try await vault.session.albums.photos(of: album.id))))
        }
        return albums
    }

    /// - Returns: its SHA-256; nil for one that is damaged, whose bytes are zeros from there on: it was announced with
    ///   its length before.
    private func write(
        _ photo: Photo, as name: String, of vault: OfflineVault, progress: (UInt64) -> Void
    ) async throws -> [UInt8]? {
        let time = ExportWriter.fileTime(of: photo)
        try await give(
            TarHeader(
                name: name, byteCount: photo.byteCount, seconds: time.seconds, nanoseconds: time.nanoseconds
            ).bytes)
        var hasher = try SHA256Hasher()
        var (offset, isWhole) = (UInt64(0), true)
        do {
            let original = try await vault.session.photos.original(photo.id)
            while offset < photo.byteCount {
                let bytes = try await original.read(at: offset, atMost: Self.pieceByteCount)
                try bytes.withUnsafeReadableBytes { try hasher.update($0) }
                try await give(bytes)
                offset += UInt64(bytes.readableBytes)
                progress(offset)
            }
        } catch VaultError.damaged {
            isWhole = false
        }
        while offset < photo.byteCount {
            let count = min(UInt64(Self.pieceByteCount), photo.byteCount - offset)
            try await give([UInt8](repeating: 0, count: Int(count)))
            offset += count
        }
        try await give(TarHeader.padding(behind: photo.byteCount))
        let digest = try hasher.finalize()
        return isWhole ? digest : nil
    }

    private func write(_ text: String, as name: String) async throws { try await write(Array(text.utf8), as: name) }

    private func write(_ bytes: [UInt8], as name: String) async throws {
        let header = TarHeader(
            name: name, byteCount: UInt64(bytes.count),
            seconds: linux_clock_nanoseconds(CLOCK_REALTIME) / 1_000_000_000, nanoseconds: 0)
        try await give(header.bytes + bytes + TarHeader.padding(behind: UInt64(bytes.count)))
    }

    private func give(_ bytes: [UInt8]) async throws {
        try await pool.run { [child] in try bytes.withUnsafeBytes { try child.write($0) } }
    }

    private func give(_ bytes: ByteBuffer) async throws {
        try await pool.run { [child] in try bytes.withUnsafeReadableBytes { try child.write($0) } }
    }
}

/// Names that every file system takes, each given once.
private struct ArchiveNames {
    private var given = Set([ChecksumList.fileName, AlbumLinks.listName].map(PortableName.folded))

    mutating func name(for photo: String) -> String {
        let name = PortableName(photo)
        var number = 1
        while !given.insert(PortableName.folded(name.numbered(number))).inserted { number += 1 }
        return name.numbered(number)
    }
}

/// One entry of a tar archive as it begins (POSIX.1-2017, pax): its header, and before it what does not fit there.
struct TarHeader {
    static let blockByteCount = 512
    /// Two blocks of zeros.
    static let end = [UInt8](repeating: 0, count: 2 * blockByteCount)
    private static let longestName = 100
    private static let largestOctal: UInt64 = 1 << 33

    let name: String
    let byteCount: UInt64
    /// Since 1970.
    let seconds: Int64
    let nanoseconds: UInt32

    /// What stands behind the content, to the end of its last block.
    static func padding(behind byteCount: UInt64) -> [UInt8] {
        let rest = Int(byteCount % UInt64(blockByteCount))
        return [UInt8](repeating: 0, count: rest == 0 ? 0 : blockByteCount - rest)
    }

    var bytes: [UInt8] {
        let isPlain = name.utf8.count <= Self.longestName && name.utf8.allSatisfy { $0 < 0x80 }
        let hasTime = seconds >= 0 && UInt64(seconds) < Self.largestOctal && nanoseconds == 0
        var records = ""
        if !isPlain { records += Self.record("path", name) }
        if byteCount >= Self.largestOctal { records += Self.record("size", "\(byteCount)") }
        if !hasTime { records += Self.record("mtime", Self.decimal(seconds, nanoseconds)) }
        let header = Self.block(
            Array(name.utf8.prefix(Self.longestName)), kind: "0",
            byteCount: byteCount < Self.largestOctal ? byteCount : 0,
            time: seconds >= 0 ? min(UInt64(seconds), Self.largestOctal - 1) : 0)
        guard !records.isEmpty else { return header }
        let text = Array(records.utf8)
        return Self.block(Array("pax".utf8), kind: "x", byteCount: UInt64(text.count), time: 0) + text
            + Self.padding(behind: UInt64(text.count)) + header
    }

    /// `LENGTH KEY=VALUE\n`, the length being that of the whole record.
    private static func record(_ key: String, _ value: String) -> String {
        let rest = " \(key)=\(value)\n"
        var length = rest.utf8.count
        while "\(length)".utf8.count + rest.utf8.count != length { length = "\(length)".utf8.count + rest.utf8.count }
        return "\(length)\(rest)"
    }

    /// Nanoseconds count forward, before 1970 too.
    private static func decimal(_ seconds: Int64, _ nanoseconds: UInt32) -> String {
        let isBefore = seconds < 0 && nanoseconds > 0
        let (whole, part) = isBefore ? (seconds + 1, 1_000_000_000 - nanoseconds) : (seconds, nanoseconds)
        let digits = "\(part)"
        let fraction = part == 0 ? "" : "." + String(repeating: "0", count: 9 - digits.count) + digits
        return "\(seconds < 0 && whole == 0 ? "-" : "")\(whole)\(fraction)"
    }

    private static func block(_ name: [UInt8], kind: Unicode.Scalar, byteCount: UInt64, time: UInt64) -> [UInt8] {
        func padded(_ bytes: some Collection<UInt8>, _ count: Int) -> [UInt8] {
            Array(bytes.prefix(count)) + [UInt8](repeating: 0, count: max(0, count - bytes.count))
        }
        func octal(_ number: UInt64, _ count: Int) -> [UInt8] {
            let digits = String(number, radix: 8)
            return Array((String(repeating: "0", count: count - 1 - digits.utf8.count) + digits).utf8) + [0]
        }
        let blank = [UInt8](repeating: 0x20, count: 8)
        let owner = octal(0, 8) + octal(0, 8)
        let before = padded(name, 100) + octal(0o600, 8) + owner + octal(byteCount, 12) + octal(time, 12)
        let link = [UInt8](repeating: 0, count: 100)
        let after = padded([UInt8(kind.value)] + link + Array("ustar\u{0}00".utf8), 512 - 156)
        // The checksum counts its own eight bytes as blanks.
        let sum = (before + blank + after).reduce(UInt64(0)) { $0 + UInt64($1) }
        return before + octal(sum, 7) + [0x20] + after
    }
}
