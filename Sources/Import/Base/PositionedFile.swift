import Glibc

/// A file that is read at any place. Blocking.
final class PositionedFile {
    let descriptor: CInt
    let byteCount: UInt64

    /// - Throws: `ImportError.source`.
    init(path: String) throws {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ImportError.source("cannot be opened: \(Self.reason(errno))") }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw ImportError.source("is no file")
        }
        byteCount = UInt64(clamping: facts.st_size)
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
    }

    deinit { close(descriptor) }

    /// As many bytes as there are, up to the size of the buffer.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        var count = 0
        while count < buffer.count {
            let read = pread(
                descriptor, buffer.baseAddress! + count, buffer.count - count, off_t(clamping: offset) + off_t(count))
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw ImportError.source("cannot be read: \(Self.reason(errno))") }
            if read == 0 { break }
            count += read
        }
        return count
    }

    /// Exactly so many bytes.
    /// - Throws: `ImportError.source` where there are fewer.
    func bytes(at offset: UInt64, count: Int) throws -> [UInt8] {
        guard offset <= byteCount, UInt64(count) <= byteCount - offset else {
            throw ImportError.source(Self.cutOff)
        }
        let bytes = try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = try read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
        }
        guard bytes.count == count else { throw ImportError.source(Self.cutOff) }
        return bytes
    }

    static let cutOff = "is not whole: its end is missing, as of a download that broke off"

    static func reason(_ code: CInt) -> String { String(cString: strerror(code)) }
}
