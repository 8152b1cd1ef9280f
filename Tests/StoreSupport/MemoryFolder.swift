import Foundation

/// A folder that lies in memory alone, as on every Linux; it goes with the test.
package final class MemoryFolder {
    package let path = "/dev/shm/safelight-tests-\(UUID().uuidString)"

    package init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { remove() }

    package func remove() { try? FileManager.default.removeItem(atPath: path) }
}
