/// Lays the parts of each export over each other, and keeps exports of several people apart: both have a
/// `Photos from 2019/IMG_0001.jpg`.
struct ImportTrees {
    /// By file.
    private(set) var trees: [ImportTree] = []
    /// By file: a number of the part in which it lies. What lies in the same part belongs together before all else.
    private(set) var parts: [Int] = []
    /// By file: the moment in the name of the archive, by which parts are surely of one export; nil without one.
    private(set) var stamps: [String?] = []

    /// - Parameter sources: paths, by number; may be missing.
    init(_ files: [ImportFile], sources: [String]) {
        var numbers: [ExportPart: Int] = [:]
        var known: [ExportPart] = []
        var moments: [String?] = []
        var folders: [[String]] = []
        for file in files {
            let source = sources.indices.contains(file.source) ? sources[file.source] : ""
            var (part, inner) = ExportPart.split(file, source: source)
            if part.isApple, file.isFromArchive { part.archive = source }
            let number = numbers[part] ?? known.count
            if number == known.count {
                numbers[part] = number
                known.append(part)
                moments.append(part.stamp)
            }
            parts.append(number)
            stamps.append(moments[number])
            folders.append(inner)
        }
        let exports = Self.exports(known, Self.conflicts(files, parts, folders))
        trees = folders.indices.map { ImportTree(export: exports[parts[$0]], folders: folders[$0]) }
    }

    /// Whether two files are surely of one export: by more than that nothing is at odds between their parts.
    func isOfOneExport(_ one: Int, _ other: Int) -> Bool {
        parts[one] == parts[other] || stamps[one] != nil && stamps[one] == stamps[other]
    }

    private struct Pair: Hashable {
        var first: Int
        var second: Int
    }

    /// Pairs of parts in which one path has other bytes: they are hardly of one export.
    private static func conflicts(_ files: [ImportFile], _ parts: [Int], _ folders: [[String]]) -> Set<Pair> {
        guard let last = parts.max(), last > 0 else { return [] }
        var places: [[String]: [Int]] = [:]
        var found: Set<Pair> = []
        for index in files.indices where folders[index].first == ImportTree.takeout {
            guard files[index].isMedia || files[index].isNote, let digest = files[index].digest else { continue }
            let path = folders[index] + [EntryName.composed(files[index].name)]
            for other in places[path] ?? [] where parts[other] != parts[index] && files[other].digest != digest {
                found.insert(Pair(first: parts[other], second: parts[index]))
                found.insert(Pair(first: parts[index], second: parts[other]))
            }
            places[path, default: []].append(index)
        }
        return found
    }

    /// - Returns: by part, a number of the export to which it belongs.
    private static func exports(_ parts: [ExportPart], _ conflicts: Set<Pair>) -> [Int] {
        var exports = Array(parts.indices)
        for unit in apples(parts) { join(unit, &exports) }
        let takeouts = parts.indices.filter { parts[$0].root != nil && !parts[$0].isApple }
        let stamped = Dictionary(grouping: takeouts.filter { parts[$0].stamp != nil }) { parts[$0].stamp ?? "" }
        let beside = Dictionary(grouping: takeouts.filter { parts[$0].stamp == nil }) { parts[$0].above }
        let units =
            Array(stamped.values)
            + beside.values.flatMap { unit in isAtOdds(unit, conflicts) ? unit.map { [$0] } : [unit] }
        for unit in units { join(unit, &exports) }
        // Parts of one export, that somebody unpacked into folders of their own, are at odds nowhere.
        let others = conflicts.contains { exports[$0.first] != exports[$0.second] }
        if stamped.count <= 1, !others { join(takeouts, &exports) }
        return exports
    }

    /// Apple's parts all have their own IMG_0001, and their lists are looked up by part. Where a number of a part is there twice,
    /// they are of several people: those of one lie in one folder.
    private static func apples(_ parts: [ExportPart]) -> [[Int]] {
        let all = parts.indices.filter { parts[$0].isApple }
        func isOne(_ unit: [Int]) -> Bool {
            let numbers = unit.map { parts[$0].appleNumber }
            return Set(numbers).count == numbers.count && Set(numbers.map { $0[1] }).count <= 1
        }
        if isOne(all) { return [all] }
        let beside = Dictionary(grouping: all) { parts[$0].folder }
        return beside.values.flatMap { unit in isOne(unit) ? [unit] : unit.map { [$0] } }
    }

    private static func isAtOdds(_ parts: [Int], _ conflicts: Set<Pair>) -> Bool {
        let all = Set(parts)
        return conflicts.contains { all.contains($0.first) && all.contains($0.second) }
    }

    private static func join(_ parts: [Int], _ exports: inout [Int]) {
        for part in parts { exports[part] = parts[0] }
    }
}

extension ImportFile {
    fileprivate var isNote: Bool { if case .note = content { true } else { false } }
}

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
        if !file.isFromArchive, own.isEmpty, outer.last == EntryName.composed(file.path) { outer.removeLast() }
        let inner = own.firstIndex { kind($0) != nil }.map { outer.count + $0 }
        guard let start = inner ?? (file.isFromArchive ? nil : outer.lastIndex { kind($0) != nil }) else {
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
        if name.hasPrefix(ImportTree.apple) { return ImportTree.apple }
        // The expression is made anew for each name, which costs more than all else that is asked of a path.
        if name.hasPrefix("iCloud"), name.wholeMatch(of: /iCloud\D*[0-9]{1,3}\D+[0-9]{1,3}\D*/) != nil {
            return ImportTree.apple
        }
        guard name.hasPrefix(ImportTree.takeout) else { return nil }
        let rest = name.dropFirst(ImportTree.takeout.count)
        let number = rest.filter { !" ()".contains($0) }
        return rest.isEmpty || (rest.first == " " || rest.first == "(") && Int(number) != nil ? ImportTree.takeout : nil
    }
}
