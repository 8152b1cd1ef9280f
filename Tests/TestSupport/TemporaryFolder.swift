package import Foundation

/// A folder that goes with the test.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("safelight-tests-\(UUID())").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    package func file(_ name: String) -> URL { URL(fileURLWithPath: path).appendingPathComponent(name) }

    package func write(_ name: String, _ bytes: [UInt8], mode: Int = 0o600) throws {
        try Data(bytes).write(to: file(name))
        try setMode(name, mode)
    }

    package func setMode(_ name: String, _ mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file(name).path)
    }

    package func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file(name).path)[.posixPermissions] as? Int
    }

    package func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: file(name))) }

    package func names(_ folder: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path + "/" + folder).sorted()
    }

    package func remove(_ name: String) throws { try FileManager.default.removeItem(at: file(name)) }

    /// Relative path, size; and, if asked, content of everything below `root`.
    package static func tree(_ root: String, contents: Bool = false) throws -> [String: Data] {
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
