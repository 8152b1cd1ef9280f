import Foundation
import Testing

/// A file of test vectors: one of `Tests/Vectors`, which `scripts/make-test-vectors` makes without this program, or a
/// published one (project Wycheproof) that lies beside the checkout, in `../shared/vectors`.
struct VectorFile: CustomTestStringConvertible, Sendable {
    let url: URL

    var isThere: Bool { FileManager.default.fileExists(atPath: url.path()) }
    var testDescription: String { url.lastPathComponent }

    private static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    static func own(_ name: String) -> VectorFile {
        VectorFile(url: tests.appending(path: "Vectors/\(name)"))
    }

    static func published(_ name: String) -> VectorFile {
        VectorFile(url: tests.appending(path: "../../shared/vectors/\(name)").standardizedFileURL)
    }

    /// Every vector of the file; that its count is another than the file says is a failure.
    func read<Vector: Decodable>(_: Vector.Type) throws -> [Vector] {
        let vectors = try JSONDecoder().decode(Content<Vector>.self, from: Data(contentsOf: url))
        let all = vectors.testGroups.flatMap(\.tests)
        try #require(all.count == vectors.numberOfTests)
        return all
    }

    private struct Content<Vector: Decodable>: Decodable {
        struct Group: Decodable {
            let tests: [Vector]
        }

        let numberOfTests: Int
        let testGroups: [Group]
    }
}
