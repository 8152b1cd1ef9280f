import Foundation
import TestSupport

@testable import Media

/// What Debian's exiftool says about files, with numbers as numbers and tags with their group.
struct ExifTool: Sendable {
    private let texts: [String: String]
    private let numbers: [String: Double]

    private init(tags: [String: Any]) {
        texts = tags.mapValues { "\($0)".trimmingCharacters(in: .whitespaces) }.filter { !$0.value.isEmpty }
        numbers = tags.compactMapValues { ($0 as? NSNumber)?.doubleValue }
    }

    static func read(_ paths: [String]) throws -> [String: ExifTool] {
        let options = ["-json", "-n", "-G1", "-unknown", "-api", "QuickTimeUTC=1"]
        // It ends with 1 when one of the files is broken, and tells of the others all the same.
        let (_, output) = try Program("/usr/bin/env", ["TZ=UTC", "exiftool"] + options + paths).finish()
        let files = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [[String: Any]] ?? []
        return Dictionary(uniqueKeysWithValues: files.map { ($0["SourceFile"] as? String ?? "", ExifTool(tags: $0)) })
    }

    /// Where the tags stand.
    var groups: Set<String> {
        Set(texts.keys.filter { $0.contains(":") }.compactMap { $0.split(separator: ":").first.map(String.init) })
    }

    func text(_ names: String...) -> String? { names.lazy.compactMap { texts[$0] }.first }

    func number(_ names: String...) -> Double? { names.lazy.compactMap { numbers[$0] }.first }
}
