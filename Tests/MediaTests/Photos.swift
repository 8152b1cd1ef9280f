import Foundation

/// Photos to read: those of `Tests/Photos`, which `scripts/make-test-photos` makes, and real ones, where they lie beside
/// the checkout, in `../shared/photos`.
enum Photos {
    struct Photo {
        let name: String
        let url: URL
        let bytes: [UInt8]
    }

    private static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    private static let own = tests.appending(path: "Photos")
    private static let real = tests.appending(path: "../../shared/photos").standardizedFileURL

    static let areRealOnesHere = FileManager.default.fileExists(atPath: real.path())

    /// All that are here.
    static func all() throws -> [Photo] {
        try (areRealOnesHere ? [own, real] : [own]).flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: folder.path()).sorted().compactMap { name in
                let url = folder.appending(path: name)
                guard try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { return nil }
                return Photo(name: "\(folder == own ? "" : "real/")\(name)", url: url, bytes: try read(url))
            }
        }
    }

    /// Of one that was made.
    static func bytes(_ name: String) throws -> [UInt8] {
        try read(own.appending(path: name))
    }

    private static func read(_ url: URL) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: url))
    }
}
