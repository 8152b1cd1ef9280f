import Foundation

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
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/exiftool")
        process.arguments = ["-json", "-n", "-G1", "-unknown", "-api", "QuickTimeUTC=1"] + paths
        process.environment = ProcessInfo.processInfo.environment.merging(["TZ": "UTC"]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let files = try JSONSerialization.jsonObject(with: data) as? [[String: Any]] ?? []
        return Dictionary(uniqueKeysWithValues: files.map { ($0["SourceFile"] as? String ?? "", ExifTool(tags: $0)) })
    }

    /// Where the tags stand.
    var groups: Set<String> {
        Set(texts.keys.filter { $0.contains(":") }.compactMap { $0.split(separator: ":").first.map(String.init) })
    }

    func text(_ names: String...) -> String? { names.lazy.compactMap { texts[$0] }.first }

    func number(_ names: String...) -> Double? { names.lazy.compactMap { numbers[$0] }.first }
}
