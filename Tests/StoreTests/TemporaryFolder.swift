import Foundation

/// A folder that goes with the test, and what tests ask of it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("store-tests-\(UUID())").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ name: String) -> URL { URL(fileURLWithPath: path).appendingPathComponent(name) }

    /// Relative path, size; and, if asked, content of everything below `root`.
    static func tree(_ root: String, contents: Bool = false) throws -> [String: Data] {
        var entries: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: root) {
            let url = URL(fileURLWithPath: root).appendingPathComponent(name)
            let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
            if attributes[.type] as? FileAttributeType == .typeDirectory {
                entries[name] = Data("folder".utf8)
            } else {
                entries[name] = contents ? try Data(contentsOf: url) : Data("\(attributes[.size] ?? 0)".utf8)
            }
        }
        return entries
    }
}
