import FoundationEssentials
import Yams

/// The keys that a configuration file names, looked at before their values: a misspelled key must not pass for one that
/// was left out.
enum ConfigurationFile {
    /// Does nothing where there is no such file.
    /// - Throws: `SettingsError` for a key that is unknown, or whose value has not its shape.
    static func check(_ path: String) throws {
        guard let content = FileManager.default.contents(atPath: path) else { return }
        try check(text: String(decoding: content, as: UTF8.self))
    }

    static func check(text: String) throws {
        guard let root = try? Yams.compose(yaml: text) else { return }  // what is no YAML is named by its reader
        try check(root, [])
    }

    private static func check(_ node: Node, _ path: [String]) throws {
        if path == ["inbox"] { throw SettingsError.ofWatchedFolders }
        if let mapping = node.mapping {
            for (key, value) in mapping { try check(value, path + [key.string ?? ""]) }
            return
        }
        let name = path.joined(separator: ".")
        // "limits:" with all its lines commented out.
        if node.null != nil, Setting.allCases.contains(where: { $0.rawValue.hasPrefix(name) }) { return }
        guard let setting = Setting(rawValue: name) else {
            throw SettingsError(unknown: name, nearest: nearest(to: name))
        }
        guard node.sequence == nil || setting.isList else { throw SettingsError(key: setting, problem: "is no list") }
    }

    /// The key that was probably meant.
    private static func nearest(to name: String) -> Setting? {
        let distances = Setting.allCases.map { ($0, distance(name, $0.rawValue)) }
        return distances.filter { $0.1 <= 3 }.min { $0.1 < $1.1 }?.0
    }

    /// How many letters must be put in, taken out or changed (Levenshtein).
    private static func distance(_ one: String, _ other: String) -> Int {
        let other = Array(other)
        var row = Array(0...other.count)
        for (index, letter) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let cost = diagonal + (letter == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(cost, row[column] + 1, diagonal + 1)
            }
        }
        return row[other.count]
    }
}
