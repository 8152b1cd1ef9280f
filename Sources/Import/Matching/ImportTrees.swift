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
        var folders: [[String]] = []
        for file in files {
            let source = sources.indices.contains(file.source) ? sources[file.source] : ""
            var (part, inner) = ExportPart.split(file, source: source)
            if part.isApple, file.isArchived { part.archive = source }
            let number = numbers[part] ?? known.count
            if number == known.count {
                numbers[part] = number
                known.append(part)
            }
            parts.append(number)
            stamps.append(part.stamp)
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
