import Foundation

/// The photos that lie beside the checkout.
enum Photos {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../shared/photos").standardizedFileURL

    static func all() throws -> [(name: String, bytes: [UInt8])] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted().compactMap { name in
            let url = folder.appendingPathComponent(name)
            guard try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { return nil }
            return (name, [UInt8](try Data(contentsOf: url)))
        }
    }

    static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
    }
}
