import CLinux
import Glibc
import Media
import Sealing

/// A file of a drop folder that is still, open for reading. One thread at a time.
package final class ArrivingFile: @unchecked Sendable {
    /// Whether some program has the file open for writing.
    enum Writer {
        case present, absent
        /// The kernel tells only the file's owner.
        case unknown
    }

    private static let pieceByteCount = 256 << 10

    package let path: DropFolder.Path
    package let sign: FileSign
    let descriptor: CInt

    init(path: DropFolder.Path, sign: FileSign, descriptor: CInt) {
        self.path = path
        self.sign = sign
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    package var name: String {
        String(decoding: path.split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self)
    }

    /// Blocking.
    /// - Returns: how many bytes; 0 at the end.
    /// - Throws: `ImportError.entry`.
    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(clamping: offset))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw ImportError.entry("cannot be read: \(PositionedFile.reason(errno))") }
            return count
        }
    }

    /// Whether it is still as it was when it was opened. Blocking.
    package var isUnchanged: Bool {
        var facts = stat()
        return fstat(descriptor, &facts) == 0 && FileSign(facts) == sign
    }

    /// Whether some program has it open, or mapped into memory, for writing. A lease for reading is given to nobody as long as
    /// that is so; it is given back at once.
    var writer: Writer {
        switch linux_has_writer(descriptor) {
        case 0: .absent
        case 1: .present
        default: .unknown
        }
    }

    /// The SHA-256 of what is in it now. Blocking.
    /// - Throws: `ImportError.entry`.
    package func digest() throws -> [UInt8] {
        var hasher = try SHA256Hasher()
        var piece = [UInt8](repeating: 0, count: Self.pieceByteCount)
        var offset: UInt64 = 0
        while true {
            let count = try piece.withUnsafeMutableBytes { try read(at: offset, into: $0) }
            guard count > 0 else { return try hasher.finalize() }
            try piece.withUnsafeBytes { try hasher.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            offset += UInt64(count)
        }
    }

    /// Whether it is a picture or a video, or says something of one. Blocking.
    package func isWanted() throws -> Bool { try isMedia() || saysSomething() }

    private func saysSomething() throws -> Bool {
        let path = String(decoding: self.path, as: UTF8.self)
        guard SidecarContent.mayArrive(path, byteCount: sign.byteCount) else { return false }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: Self.pieceByteCount)
        while bytes.count <= SidecarContent.largestArriving {
            let count = try piece.withUnsafeMutableBytes { try read(at: UInt64(bytes.count), into: $0) }
            guard count > 0 else { return SidecarContent(arriving: bytes, path: path) != nil }
            bytes += piece[..<count]
        }
        return false
    }

    /// Whether it is a picture or a video: by its first bytes, or by its name where those are damaged. Blocking.
    private func isMedia() throws -> Bool {
        let head = try [UInt8](unsafeUninitializedCapacity: MediaType.headByteCount) { buffer, count in
            count = try read(at: 0, into: UnsafeMutableRawBufferPointer(buffer))
        }
        return ImportFile(path: name, byteCount: sign.byteCount, type: MediaType.sniff(head)).isMedia
    }
}
