import Bytes
import FoundationEssentials
import Glibc
import Web

/// Albums of an export: a folder for each below `albums`, whose files are those of the export by another name. Where the
/// file system has no links, and where it cannot have the name of an album, `albums.csv` says which file is in which album.
/// What lay there stays.
final class AlbumLinks {
    private static let folderName = "albums"
    static let listName = "albums.csv"
    /// What file systems say that have no links, or take no more of one file.
    private static let withoutLinks = [EPERM, EOPNOTSUPP, ENOSYS, EMLINK, EXDEV]

    private let folder: String
    private var given: Set<String> = []
    /// Lines of the list, once it is known that there are no links.
    private var lines: [String]?
    private var written: [(album: String, files: [String])] = []
    /// Some folder is called otherwise than its album.
    private var hasOtherNames = false
    /// The name of the list that was written.
    private(set) var list: String?
    var hasLinks: Bool { lines == nil }

    /// - Parameter folder: that of the export.
    init(folder: String) { self.folder = folder }

    /// - Parameter files: names in the folder of the export.
    func write(_ album: String, _ files: [String]) throws {
        written.append((album, files))
        guard lines == nil else { return }
        let place = try makeFolder(album)
        for file in files where try !link(file, into: place) {
            // All of them, also those that were linked: a list has to be whole.
            lines = []
            return
        }
        try ExportFolder.synchronize(place)
    }

    /// Once all albums were written.
    func finish() throws {
        guard lines != nil || hasOtherNames else {
            if !written.isEmpty { try ExportFolder.synchronize("\(folder)/\(Self.folderName)") }
            return try ExportFolder.synchronize(folder)
        }
        list = try publish(Self.list(written))
        try ExportFolder.synchronize(folder)
    }

    /// Which file is in which album.
    static func list(_ albums: [(album: String, files: [String])]) -> String {
        let rows = albums.flatMap { album, files in files.map { "\(quoted(album)),\(quoted($0))\r\n" } }
        return "album,file\r\n" + rows.joined()
    }

    /// RFC 4180.
    private static func quoted(_ text: String) -> String {
        "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    private func makeFolder(_ album: String) throws -> String {
        let name = PortableName(album)
        var number = 1
        // Names that the vault tells apart may be one to a file system.
        while !given.insert(PortableName.folded(name.numbered(number))).inserted { number += 1 }
        let place = "\(folder)/\(Self.folderName)/\(name.numbered(number))"
        if name.numbered(number) != album { hasOtherNames = true }
        for path in ["\(folder)/\(Self.folderName)", place] {
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw ExportFolder.failure("make", path) }
        }
        return place
    }

    /// - Returns: false where there are no links.
    private func link(_ file: String, into place: String) throws -> Bool {
        let name = PortableName(file)
        var number = 1
        while true {
            let target = "\(place)/\(name.numbered(number))"
            if Glibc.link("\(folder)/\(file)", target) == 0 { return true }
            if Self.withoutLinks.contains(errno) { return false }
            guard errno == EEXIST else { throw ExportFolder.failure("write", target) }
            if let there = FileStatus(at: target), FileStatus(at: "\(folder)/\(file)")?.isSameFile(as: there) == true {
                return true
            }
            number += 1
        }
    }

    /// Under the first name that is free, or whose file says the same.
    private func publish(_ text: String) throws -> String {
        let name = PortableName(Self.listName)
        var number = 1
        while true {
            let path = "\(folder)/\(name.numbered(number))"
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            if descriptor >= 0 {
                defer { close(descriptor) }
                try Self.write(Array(text.utf8), to: descriptor, path)
                return name.numbered(number)
            }
            guard errno == EEXIST else { throw ExportFolder.failure("write", path) }
            if try PlainFile.holds(text, at: path) { return name.numbered(number) }
            number += 1
        }
    }

    static func write(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let failure = ExportFolder.failure("write", path)
                // What is cut off would look whole to the next run.
                unlink(path)
                throw failure
            }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else { throw ExportFolder.failure("finish", path) }
    }
}

/// The file SHA256SUMS of an export, as `sha256sum --check` reads it, durable line by line. Lines are only added, and sorted
/// at the end: those of other exports, and of other people, stay.
final class ChecksumList {
    static let fileName = "SHA256SUMS"
    private static let lineEnd = UInt8(ascii: "\n")

    /// All that are listed, by whomever.
    private(set) var names: Set<String> = []
    private let folder: String
    private var namesByDigest: [String: [String]] = [:]

    init(folder: String) throws {
        self.folder = folder
        let text = try Self.content(of: path)
        let end = text.lastIndex(of: Self.lineEnd).map { $0 + 1 } ?? 0
        for line in text[..<end].split(separator: Self.lineEnd) { note(line) }
        if end < text.count { try mend(text[end...], at: end) }
    }

    func lists(_ name: String) -> Bool { names.contains(name) }

    func names(of digest: [UInt8]) -> [String] { namesByDigest[Hexadecimal.encode(digest)] ?? [] }

    func append(_ name: String, digest: [UInt8]) throws {
        let line = "\(Hexadecimal.encode(digest))  \(name)"
        let descriptor = try openForWriting()
        defer { close(descriptor) }
        try write(Array("\(line)\n".utf8), to: descriptor)
        note(Data(line.utf8))
    }

    /// Brings the lines into the order of their names, so that two exports of the same photos have the same list. One in which
    /// somebody else has written stays as it is.
    func sort() throws {
        let lines = try Self.content(of: path).split(separator: Self.lineEnd)
        let ours = lines.compactMap { line -> (line: Data, name: String)? in
            guard let (digest, name) = Self.parts(of: line), "\(digest)  \(name)".utf8.elementsEqual(line) else {
                return nil
            }
            return (line, name)
        }
        guard ours.count == lines.count else { return }
        let sorted = ours.enumerated()
            .sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }.map(\.element.line)
        guard sorted != lines else { return }
        let draft = "\(folder)/.\(UInt64.random(in: .min ... .max)).safelight-part"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw ExportFolder.failure("write", path) }
        defer { close(descriptor) }
        do {
            try write(sorted.flatMap { Array($0) + [Self.lineEnd] }, to: descriptor)
        } catch {
            unlink(draft)
            throw error
        }
        // What another export has added meanwhile stays.
        guard try Self.content(of: path).split(separator: Self.lineEnd) == lines else {
            unlink(draft)
            return
        }
        guard rename(draft, path) == 0 else {
            let failure = ExportFolder.failure("write", path)
            unlink(draft)
            throw failure
        }
        try ExportFolder.synchronize(folder)
    }

    /// Empty where there is none yet. One that cannot be read would get lines that it has once more.
    private static func content(of path: String) throws -> Data {
        guard FileManager.default.fileExists(atPath: path) else { return Data() }
        guard let content = try? Data(contentsOf: URL(filePath: path)) else { throw ExportFolder.failure("read", path) }
        return content
    }

    private var path: String { "\(folder)/\(Self.fileName)" }

    private func note(_ line: Data) {
        guard let (digest, name) = Self.parts(of: line) else { return }
        names.insert(name)
        namesByDigest[digest, default: []].append(name)
    }

    /// Ends a last line that has no end, or takes it away when it is what a power cut left of one.
    private func mend(_ line: Data, at offset: Int) throws {
        let descriptor = try openForWriting()
        defer { close(descriptor) }
        if isCutOff(line) {
            guard ftruncate(descriptor, off_t(offset)) == 0, fdatasync(descriptor) == 0 else {
                throw ExportFolder.failure("write", path)
            }
        } else {
            try write([Self.lineEnd], to: descriptor)
            note(line)
        }
    }

    /// Digits and no name, or the name of no file.
    private func isCutOff(_ line: Data) -> Bool {
        if let (_, name) = Self.parts(of: line) {
            return !FileManager.default.fileExists(atPath: "\(folder)/\(name)")
        }
        return line.count <= 66 && line.prefix(64).allSatisfy(Self.isDigit)
    }

    /// 64 digits, a space, a space or `*`, and the name; nil for a line of any other kind.
    private static func parts(of line: Data) -> (digest: String, name: String)? {
        let digest = line.prefix(64)
        let between = line.dropFirst(64).prefix(2)
        let isSeparated = between.elementsEqual("  ".utf8) || between.elementsEqual(" *".utf8)
        guard line.count > 66, digest.allSatisfy(isDigit), isSeparated else { return nil }
        let name = String(decoding: line.dropFirst(66), as: UTF8.self)
        return (String(decoding: digest, as: UTF8.self).lowercased(), name)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { Character(Unicode.Scalar(byte)).isHexDigit }

    private func openForWriting() throws -> Int32 {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw ExportFolder.failure("open", path) }
        return descriptor
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { throw ExportFolder.failure("write", path) }
            rest = rest.dropFirst(written)
        }
        guard fdatasync(descriptor) == 0 else { throw ExportFolder.failure("sync", path) }
    }
}
