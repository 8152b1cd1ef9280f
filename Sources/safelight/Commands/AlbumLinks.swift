import Bytes
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
