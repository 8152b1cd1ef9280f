import Glibc

/// Reads the files of a folder, or one file, in the order of their names. Links are not followed: what they name lies
/// elsewhere and is brought from there.
package final class FolderReader: EntryReader {
    private static let deepest = 64

    private struct Found {
        /// As the system has it: names need not be text.
        var path: [CChar]
        var entry: ImportEntry
    }

    private let found: [Found]
    private var index = -1
    private var descriptor: CInt = -1
    private var made: UInt64 = 0

    package private(set) var consumedByteCount: UInt64 = 0
    package let totalByteCount: UInt64

    /// - Parameter isApart: which files directly in the folder are sources of their own, by their names.
    /// - Throws: `ImportError.source` where it cannot be opened.
    package init(path: String, isApart: (String) -> Bool = { _ in false }) throws {
        var found: [Found] = []
        var facts = stat()
        guard stat(path, &facts) == 0 else {
            throw ImportError.source("cannot be opened: \(PositionedFile.reason(errno))")
        }
        if facts.st_mode & S_IFMT == S_IFDIR {
            try Self.list(Self.terminated(path), prefix: "", depth: 0, isApart: isApart, into: &found)
        } else {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            found = [Found(path: Self.terminated(path), entry: Self.entry(name, facts))]
        }
        for index in found.indices { found[index].entry.ordinal = index }
        self.found = found
        totalByteCount = found.reduce(0) { $0 + $1.entry.byteCount }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    package func next() throws -> ImportEntry? {
        if descriptor >= 0 { close(descriptor) }
        (descriptor, made) = (-1, 0)
        index += 1
        guard index < found.count else { return nil }
        if index > 0 { consumedByteCount += found[index - 1].entry.byteCount }
        return found[index].entry
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard found.indices.contains(index) else { return 0 }
        if let refusal = found[index].entry.refusal { throw ImportError.entry(refusal) }
        if descriptor < 0 {
            descriptor = found[index].path.withUnsafeBufferPointer {
                open($0.baseAddress!, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            }
            guard descriptor >= 0 else {
                throw ImportError.entry("cannot be opened: \(PositionedFile.reason(errno))")
            }
            posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
        }
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw ImportError.entry("cannot be read: \(PositionedFile.reason(errno))") }
            made += UInt64(count)
            if count == 0, made != found[index].entry.byteCount {
                throw ImportError.entry("it changes while it is read")
            }
            return count
        }
    }

    // MARK: Listing

    private static func list(
        _ folder: [CChar], prefix: String, depth: Int, isApart: (String) -> Bool, into found: inout [Found]
    ) throws {
        guard let names = names(in: folder) else {
            let reason = "cannot be opened: \(PositionedFile.reason(errno))"
            guard depth > 0 else { throw ImportError.source(reason) }
            found.append(
                Found(path: folder, entry: ImportEntry(ordinal: 0, path: prefix, byteCount: 0, refusal: reason)))
            return
        }
        for name in names {
            let path = folder.dropLast() + [CChar(bitPattern: UInt8(ascii: "/"))] + name
            let text = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let place = prefix.isEmpty ? text : "\(prefix)/\(text)"
            var facts = stat()
            guard path.withUnsafeBufferPointer({ lstat($0.baseAddress!, &facts) }) == 0 else {
                let reason = "cannot be opened: \(PositionedFile.reason(errno))"
                found.append(
                    Found(path: Array(path), entry: ImportEntry(ordinal: 0, path: place, byteCount: 0, refusal: reason))
                )
                continue
            }
            if facts.st_mode & S_IFMT == S_IFDIR {
                if depth < deepest {
                    try list(Array(path), prefix: place, depth: depth + 1, isApart: { _ in false }, into: &found)
                } else {
                    found.append(
                        Found(
                            path: Array(path),
                            entry: ImportEntry(
                                ordinal: 0, path: place, byteCount: 0, refusal: "it lies in too many folders")))
                }
            } else if facts.st_mode & S_IFMT != S_IFREG || !isApart(text) {
                found.append(Found(path: Array(path), entry: entry(place, facts)))
            }
        }
    }

    private static func entry(_ path: String, _ facts: stat) -> ImportEntry {
        let kind = facts.st_mode & S_IFMT
        let refusal = kind == S_IFREG ? nil : kind == S_IFLNK ? "it is a link" : "it is no file"
        return ImportEntry(
            ordinal: 0, path: path, byteCount: kind == S_IFREG ? UInt64(clamping: facts.st_size) : 0,
            modifiedAt: Int64(facts.st_mtim.tv_sec) * 1000 + Int64(facts.st_mtim.tv_nsec) / 1_000_000, refusal: refusal)
    }

    /// Sorted by their bytes, each with its zero; nil where the folder cannot be read.
    private static func names(in folder: [CChar]) -> [[CChar]]? {
        guard let handle = folder.withUnsafeBufferPointer({ opendir($0.baseAddress!) }) else { return nil }
        defer { closedir(handle) }
        var names: [[CChar]] = []
        while let entry = readdir(handle) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { start in
                    Array(UnsafeBufferPointer(start: start, count: strlen(start) + 1))
                }
            }
            let dot = CChar(bitPattern: UInt8(ascii: "."))
            if name != [dot, 0], name != [dot, dot, 0] { names.append(name) }
        }
        return names.sorted { left, right in
            left.lexicographicallyPrecedes(right) { UInt8(bitPattern: $0) < UInt8(bitPattern: $1) }
        }
    }

    private static func terminated(_ path: String) -> [CChar] { path.utf8CString.map { $0 } }
}
