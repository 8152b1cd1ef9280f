import Glibc

/// Small files of the system.
enum TextFile {
    private static let limit = 1 << 20

    /// The first MiB; nil when it cannot be read.
    static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while bytes.count < limit {
            var piece = [UInt8](repeating: 0, count: 4096)
            let count = piece.withUnsafeMutableBytes { (piece: UnsafeMutableRawBufferPointer) in
                Glibc.read(descriptor, piece.baseAddress, piece.count)
            }
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            bytes += piece.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
