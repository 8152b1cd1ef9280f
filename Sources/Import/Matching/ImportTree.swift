/// Where a file lies once parts of one export are laid over each other.
struct ImportTree: Hashable {
    static let takeout = "Takeout"
    static let apple = "iCloud Photos"

    /// Equal for all parts of one export, and for nothing else.
    var export: Int
    var folders: [String]

    /// The folder of the photos that a file here speaks of: Ente keeps what it knows of them in a folder below.
    var ofPhotos: ImportTree {
        var folders = folders
        if folders.suffix(2) == [".meta", "files"] {
            folders.removeLast(2)
        } else if ["metadata", ".meta"].contains(folders.last) {
            folders.removeLast()
        }
        return ImportTree(export: export, folders: folders)
    }

    var name: String? { folders.last }

    /// The tree as a whole.
    var root: ImportTree {
        ImportTree(export: export, folders: isTakeout || isApple ? Array(folders.prefix(1)) : [])
    }

    var isTakeout: Bool { folders.first == Self.takeout }
    var isApple: Bool { folders.first == Self.apple }
}

/// What of a path is looked at together, where files come one by one: all exports of a kind, for only their files say
/// which parts are of one; else what lies in one folder that was chosen.
package enum PathScope {
    /// - Parameter path: folders and name, with `/` between them. Nil for a name alone.
    package static func key(of path: String) -> String? {
        let folders = path.split(separator: "/").dropLast().map { EntryName.composed(String($0)) }
        guard let first = folders.first else { return nil }
        return folders.lazy.compactMap(ExportPart.kind).first ?? "/" + first
    }

    /// As it was sent, without what is no part of a path; nil for what leads elsewhere, and for a name alone.
    package static func checked(_ path: String) -> String? {
        let (checked, refusal) = EntryName.checked(path)
        return refusal == nil && checked.utf8.contains(UInt8(ascii: "/")) ? checked : nil
    }

    package static func isExport(_ path: String) -> Bool {
        path.split(separator: "/").dropLast().contains { ExportPart.kind(EntryName.composed(String($0))) != nil }
    }

    package static let takeout = ImportTree.takeout
}

/// A part of an export, as it lies in one source; or all of a source that is none.
struct ExportPart: Hashable {
    var source: Int
    /// The folders of the source, and of the entry, down to the one in which the export begins; nil for what is no export.
    var root: [String]?
    /// The path of the archive in which a part of Apple's lies.
    var archive = ""

    /// Which of how many parts of Apple's it is, as its folder or its archive is called; two empty texts where neither says it.
    var appleNumber: [String] {
        let archive = archive.split(separator: "/").last.map(String.init) ?? ""
        for name in [root?.last ?? "", archive] {
            let numbers = name.split { !$0.isASCII || !$0.isNumber }.map(String.init)
            if numbers.count >= 2 { return Array(numbers.prefix(2)) }
        }
        return ["", ""]
    }

    /// The folder in which the archive lies, or the export itself.
    var folder: [String] {
        archive.isEmpty ? above : archive.split(separator: "/").dropLast().map(String.init)
    }

    /// When Google made it, which all of its parts are called after: `takeout-20261126T101112Z-1-003`.
    var stamp: String? {
        guard let root else { return nil }
        for name in root {
            let words = name.lowercased().split(separator: "-")
            guard words.count > 1, words[0] == "takeout", words[1].count == 16, words[1].hasSuffix("z") else {
                continue
            }
            let isTime = words[1].dropLast().enumerated().allSatisfy { $0 == 8 ? $1 == "t" : $1.isNumber }
            if isTime { return String(words[1]) }
        }
        return nil
    }

    var isApple: Bool { root?.last.flatMap(Self.kind) == ImportTree.apple }

    /// The folder in which it lies, beside others.
    var above: [String] { root.map { Array($0.dropLast()) } ?? [] }

    /// - Parameter source: the path of the source; of a folder it is a part of the path, for somebody may name the folder
    ///   in which an export begins, or one within it.
    static func split(_ file: ImportFile, source: String) -> (part: ExportPart, folders: [String]) {
        let own = file.path.split(separator: "/").dropLast().map { EntryName.composed(String($0)) }
        var outer = source.split(separator: "/").map { EntryName.composed(String($0)) }
        // A file that is named itself.
        if !file.isArchived, own.isEmpty, outer.last == EntryName.composed(file.path) { outer.removeLast() }
        let inner = own.firstIndex { kind($0) != nil }.map { outer.count + $0 }
        guard let start = inner ?? (file.isArchived ? nil : outer.lastIndex { kind($0) != nil }) else {
            return (ExportPart(source: file.source, root: nil), own)
        }
        let all = outer + own
        return (
            ExportPart(source: file.source, root: Array(all[...start])),
            [kind(all[start]) ?? all[start]] + all[(start + 1)...]
        )
    }

    /// Whose export begins in a folder of this name: `Takeout`, `Takeout 2` and `Takeout (2)`, as systems call what has a
    /// name that is there already; `iCloud Photos Part 1 of 8`, `iCloud-Fotos Teil 1 von 8` and so on in all languages.
    fileprivate static func kind(_ name: String) -> String? {
        if name.hasPrefix(ImportTree.apple) || name.wholeMatch(of: /iCloud\D*[0-9]{1,3}\D+[0-9]{1,3}\D*/) != nil {
            return ImportTree.apple
        }
        guard name.hasPrefix(ImportTree.takeout) else { return nil }
        let rest = name.dropFirst(ImportTree.takeout.count)
        let number = rest.filter { !" ()".contains($0) }
        return rest.isEmpty || (rest.first == " " || rest.first == "(") && Int(number) != nil ? ImportTree.takeout : nil
    }
}
