import Foundation
import TestSupport

/// Makes small videos with Debian's ffmpeg in a folder that goes away with the maker.
final class VideoMaker: Sendable {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("safelight-videos-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Two seconds of a test picture of 320 × 240, with `options` for the output; the path of the file.
    func make(_ name: String, _ options: [String] = [], input: [String] = []) throws -> String {
        let path = folder.appendingPathComponent(name).path
        let picture = input.isEmpty ? ["-f", "lavfi", "-i", "testsrc=size=320x240:rate=15:duration=2"] : input
        try Program("/usr/bin/ffmpeg", ["-v", "error", "-nostdin", "-y"] + picture + options + [path]).run()
        return path
    }
}
