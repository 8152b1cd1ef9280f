import Foundation
import Testing

/// Test vectors (project Wycheproof) that lie beside the checkout, in `../shared/vectors`.
struct PublishedVectors<Vector: Decodable>: Decodable {
    struct Group: Decodable {
        let tests: [Vector]
    }

    let numberOfTests: Int
    let testGroups: [Group]

    /// Every vector of a file; a missing file is a failure that says so.
    static func read(_ name: String) throws -> [Vector] {
        let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = checkout.appending(path: "../shared/vectors/\(name)").standardizedFileURL
        try #require(
            FileManager.default.fileExists(atPath: file.path()),
            "The vectors are missing: \(name) should lie in ../shared/vectors beside the checkout.")
        let vectors = try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
        let all = vectors.testGroups.flatMap(\.tests)
        try #require(all.count == vectors.numberOfTests)
        return all
    }
}
