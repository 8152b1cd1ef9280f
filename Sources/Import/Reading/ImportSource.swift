import Glibc
package import Imaging
package import ImagingProtocol

/// What somebody names to be brought: a folder, an archive, or a file.
package struct ImportSource: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case folder
        case zip
        case tar(Compression)
        case sevenZip
    }

    package enum Compression: Sendable, Equatable {
        case none
        case gzip
        /// In a way that the caged program unpacks.
        case packed(Packing)
    }

    package let path: String
    package let kind: Kind
    package var isArchive: Bool { kind != .folder }

    /// Of names of archives, those that cannot be read here among them.
    private static let endings = [
        ".zip", ".tgz", ".tar.gz", ".tar", ".7z", ".rar", ".tar.xz", ".txz", ".tar.bz2", ".tbz2", ".tbz", ".tar.zst",
        ".tzst",
    ]
    private static let unfinishedEndings = [".crdownload", ".part", ".partial", ".download"]
    static let unreadArchive =
        "it is an archive that was not read: it is broken, of a kind that is not known here, or lies in another one or "
        + "in a folder; unpack it, or name it by itself"
    static let cutArchive =
        "it is one part of an archive that was cut: join or unpack the parts with the program that made them, and name the "
        + "folder"
    private static let magics: [([UInt8], Kind)] = [
        ([0x50, 0x4B, 3, 4], .zip), ([0x50, 0x4B, 5, 6], .zip), ([0x1F, 0x8B], .tar(.gzip)),
        ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], .sevenZip), ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], .tar(.packed(.xz))),
        (Array("BZh".utf8), .tar(.packed(.bzip2))), ([0x28, 0xB5, 0x2F, 0xFD], .tar(.packed(.zstd))),
    ]

    /// The source itself, and for a folder those archives that lie directly in it.
    /// - Throws: `ImportError.source`.
    package static func sources(at path: String) throws -> [ImportSource] {
        let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        var facts = stat()
        guard stat(path, &facts) == 0 else {
            throw ImportError.source("cannot be opened: \(PositionedFile.reason(errno))")
        }
        guard facts.st_mode & S_IFMT == S_IFDIR else { return [ImportSource(path: path, kind: try kind(of: path))] }
        let inside = try FolderReader(path: path).archives(of: isArchiveName).map { "\(path)/\($0)" }
        let archives = inside.compactMap { inner -> ImportSource? in
            guard let kind = try? kind(of: inner), kind != .folder else { return nil }
            return ImportSource(path: inner, kind: kind)
        }
        return [ImportSource(path: path, kind: .folder)] + archives
    }

    private init(path: String, kind: Kind) {
        self.path = path
        self.kind = kind
    }

    static func isArchiveName(_ name: String) -> Bool {
        var name = name.lowercased()
        if let ending = unfinishedEndings.first(where: name.hasSuffix) { name.removeLast(ending.count) }
        return endings.contains { name.hasSuffix($0) } || isPart(name)
    }

    /// One of several that are an archive only together: `a.zip.001`, `a.7z.002`, `a.z01`, `a.part2.rar`, `a.r00`. Not the
    /// last one of a ZIP archive, whose name is that of a whole one.
    static func isPart(_ name: String) -> Bool {
        name.lowercased().contains(
            /(?:\.(?:zip|7z|rar|tar|tgz|gz|bz2|xz)\.[0-9]{3}|\.001|\.[zr][0-9]{2}|\.part[0-9]+\.rar)$/)
    }

    /// By its first bytes, whatever its name says.
    private static func kind(of path: String) throws -> Kind {
        let file = try PositionedFile(path: path)
        let head = try file.bytes(at: 0, count: Int(min(512, file.byteCount)))
        guard !isPart(path) else { return .folder }
        if let (_, kind) = magics.first(where: { head.starts(with: $0.0) }) { return kind }
        return TarBlock(head) == nil ? .folder : .tar(.none)
    }

    /// - Parameter unpacker: is asked for what is not unpacked here.
    /// - Throws: `ImportError.source`.
    package func open(_ unpacker: Unpacker) throws -> any EntryReader {
        switch kind {
        case .zip: try ZipReader(path: path, unpacker)
        case .tar(let compression): try TarReader(path: path, compression, unpacker)
        case .sevenZip: try SevenZipReader(path: path, unpacker)
        case .folder: try FolderReader(path: path) { name in isApart(name) }
        }
    }

    /// Whether it is read as a source of its own.
    private func isApart(_ name: String) -> Bool {
        guard Self.isArchiveName(name), let kind = try? Self.kind(of: "\(path)/\(name)") else { return false }
        return kind != .folder
    }
}

extension FolderReader {
    /// Names of files directly in the folder.
    fileprivate func archives(of isOne: (String) -> Bool) throws -> [String] {
        var names: [String] = []
        while let entry = try next() {
            if entry.refusal == nil, !entry.path.contains("/"), isOne(entry.path) { names.append(entry.path) }
        }
        return names
    }
}

/// Parts of one export by the names that they were given: `takeout-20240101T000000Z-001.zip`, `iCloud Photos Part 1 of 8.zip`.
package enum MissingParts {
    private struct Part {
        var before: String
        var number: Int
        var width: Int
        /// How many there are, where the name says it.
        var count: Int?
        var after: String

        func name(_ number: Int) -> String {
            let digits = String(number)
            return before + String(repeating: "0", count: max(0, width - digits.count)) + digits + after
        }
    }

    /// - Parameter paths: of the archives that are there
    /// - Returns: names that the others lead one to expect, in their order. What would come behind the last one is not known
    ///   where no name says how many there are.
    package static func names(beside paths: [String]) -> [String] {
        let parts = paths.compactMap { part(String($0.split(separator: "/").last ?? "")) }
        let exports = Dictionary(grouping: parts) { "\($0.before)\0\($0.after)" }
        return exports.values.flatMap { parts -> [String] in
            let numbers = Set(parts.map(\.number))
            let last = parts.compactMap(\.count).max() ?? numbers.max() ?? 0
            return last > 999 ? [] : (1...max(1, last)).filter { !numbers.contains($0) }.map(parts[0].name)
        }.sorted()
    }

    private static func part(_ name: String) -> Part? {
        // A browser numbers what it fetched once more.
        let name = name.replacing(/\ ?\([0-9]+\)(?=\.[A-Za-z0-9]+$)/, with: "")
        if let match = name.wholeMatch(of: /(.*?)([0-9]{1,3})( (?:of|von|de|sur|di|van|av|af|z|из) )([0-9]{1,3})(\D*)/)
        {
            let (_, before, number, word, count, after) = match.output
            guard let number = Int(number), let count = Int(count), number <= count else { return nil }
            return Part(
                before: String(before), number: number, width: 1, count: count, after: "\(word)\(count)\(after)")
        }
        // A number of Google's has three digits, behind the moment of the export and sometimes a running number.
        guard let match = name.wholeMatch(of: /(takeout-.*-)([0-9]{3})(\.zip|\.tgz)/.ignoresCase()),
            let number = Int(match.output.2), number > 0
        else { return nil }
        return Part(
            before: String(match.output.1), number: number, width: 3, count: nil, after: String(match.output.3))
    }
}
