import Glibc
package import Store

/// Whole small files beside the store: the setup code, the pepper. Blocking; used at start only.
package enum SmallFile {
    /// Nil when the file is absent or larger than `limit`.
    package static func read(_ path: String, limit: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        let count = bytes.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in
            Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        }
        guard count >= 0, count <= limit else { return nil }
        return Array(bytes.prefix(count))
    }

    /// Writes under another name, syncs, renames, syncs the folder.
    package static func write(_ path: String, _ bytes: [UInt8]) throws(StoreError) {
        let draft = path + ".new"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("Opening", draft) }
        let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        let isSynced = written == bytes.count && fsync(descriptor) == 0
        close(descriptor)
        guard isSynced, rename(draft, path) == 0 else { throw failure("Writing", path) }
        let folder = open(
            String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failure("Opening the folder of", path) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw failure("Syncing the folder of", path) }
    }

    private static func failure(_ action: String, _ path: String) -> StoreError {
        .failure("\(action) \(path)", errno)
    }
}
