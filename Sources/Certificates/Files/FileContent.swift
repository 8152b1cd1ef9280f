internal import Bytes
import Glibc

/// The whole of a small file, and who may read it.
struct FileContent {
    /// More than any chain of certificates has.
    private static let limit = 1 << 20

    private(set) var bytes: [UInt8] = []
    /// Type and permission bits.
    let mode: UInt32

    /// `descriptor` stays open. Throws `EFBIG` for what is too long to be a certificate.
    init(descriptor: Int32) throws(FileFailure) {
        guard let status = FileStatus(of: descriptor) else { throw FileFailure() }
        mode = status.mode
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        defer { wipeBytes(&buffer) }
        while true {
            let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileFailure() }
            if count == 0 { return }
            guard bytes.count + count <= Self.limit else { throw FileFailure(number: EFBIG) }
            bytes += buffer[..<count]
        }
    }

    /// A pipe in the file's place does not make the caller wait.
    init(path: String) throws(FileFailure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileFailure() }
        defer { close(descriptor) }
        try self.init(descriptor: descriptor)
    }

    /// What held a key is not left in memory.
    mutating func wipe() {
        wipeBytes(&bytes)
    }
}

func wipeBytes(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { if let base = $0.baseAddress { explicit_bzero(base, $0.count) } }
}

/// An error number of the system.
struct FileFailure: Error, Equatable {
    let number: Int32

    init(number: Int32 = errno) {
        self.number = number
    }

    var reason: String { String(cString: strerror(number)) }
}
