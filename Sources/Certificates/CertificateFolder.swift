internal import Bytes
internal import CLinux
import Glibc
import Logging
import Sealing
import Signing

/// The folder of the certificates and its files: what only their owner may read (0700, 0600), replaced at once or not
/// at all, and on disk before anybody relies on it.
struct CertificateFolder: Sendable {
    private let descriptor: FolderDescriptor
    private let path: String
    private let logger: Logger
    private let willDo: @Sendable (FileStep) throws -> Void

    /// Makes the folder if it is absent.
    init(
        path: String, logger: Logger, willDo: @escaping @Sendable (FileStep) throws -> Void = { _ in }
    ) throws {
        self.path = path
        self.logger = logger
        self.willDo = willDo
        try willDo(.makeFolder)
        let isNew = mkdir(path, 0o700) == 0
        guard isNew || errno == EEXIST else { throw FileFailure() }
        descriptor = try FolderDescriptor(path: path)
        try protect(descriptor.number, name: path, mode: 0o700)
        if isNew {
            try willDo(.synchronizeParent)
            try FolderDescriptor(path: path + "/..").synchronize()
        }
    }

    /// Nil when there is no such file.
    func read(_ name: String) throws -> FileContent? {
        let file = openat(descriptor.number, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if file < 0, errno == ENOENT { return nil }
        guard file >= 0 else { throw FileFailure() }
        defer { close(file) }
        let content = try FileContent(descriptor: file)
        try protect(file, name: "\(path)/\(name)", mode: 0o600)
        return content
    }

    /// After a crash the file is the former one or the new one, whole; after the return it is the new one.
    func replace(_ name: String, with bytes: [UInt8]) throws {
        let temporary = name + ".new"
        try remove(temporary)
        do {
            try write(bytes, to: temporary)
            try willDo(.rename(name))
            guard renameat(descriptor.number, temporary, descriptor.number, name) == 0 else { throw FileFailure() }
        } catch {
            unlinkat(descriptor.number, temporary, 0)
            throw error
        }
        try synchronize()
    }

    /// Keeps a file that cannot be used under another name; returns that, or nil when there is no such file.
    func moveAside(_ name: String) throws -> String? {
        try willDo(.moveAside(name))
        for number in 1... {
            let other = "\(name).unusable-\(number)"
            if linux_rename_without_replacing(descriptor.number, name, descriptor.number, other) == 0 {
                try synchronize()
                return other
            }
            if errno == ENOENT { return nil }
            guard errno == EEXIST else { break }
        }
        throw FileFailure()
    }

    /// Gone from the disk after the return, if it was there.
    func discard(_ name: String) throws {
        try remove(name)
        try synchronize()
    }

    private func write(_ bytes: [UInt8], to name: String) throws {
        try willDo(.create(name))
        let file = openat(descriptor.number, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw FileFailure() }
        defer { close(file) }
        try willDo(.write(name))
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress?.advanced(by: done), $0.count - done) }
            if count < 0 {
                if errno == EINTR { continue }
                throw FileFailure()
            }
            done += count
        }
        try willDo(.synchronize(name))
        guard fsync(file) == 0 else { throw FileFailure() }
    }

    /// What a crash left, a key that nothing was ever signed with; or what nobody is to have any more.
    private func remove(_ name: String) throws {
        guard faccessat(descriptor.number, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 else { return }
        try willDo(.remove(name))
        guard unlinkat(descriptor.number, name, 0) == 0 || errno == ENOENT else { throw FileFailure() }
    }

    private func synchronize() throws {
        try willDo(.synchronizeFolder)
        try descriptor.synchronize()
    }

    /// Takes rights away that others should never have had, and says so.
    private func protect(_ file: Int32, name: String, mode: mode_t) throws {
        guard let present = FileStatus(of: file)?.mode else { throw FileFailure() }
        guard present & 0o077 != 0 else { return }
        guard fchmod(file, mode) == 0 else { throw FileFailure() }
        logger.warning("\(name) was open to other users of this host, who may have its key; it is closed to them now")
    }
}

/// An open folder, closed with its last reference.
private final class FolderDescriptor: Sendable {
    let number: Int32

    init(path: String) throws {
        number = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (path.hasSuffix("..") ? 0 : O_NOFOLLOW))
        guard number >= 0 else { throw FileFailure() }
    }

    deinit {
        close(number)
    }

    func synchronize() throws {
        guard fsync(number) == 0 else { throw FileFailure() }
    }
}

/// What is done to the folder's files, in order. Tests stop the work before any one of them, as a crash would.
enum FileStep: Sendable, Equatable {
    case makeFolder
    case synchronizeParent
    case create(String)
    case write(String)
    case synchronize(String)
    case rename(String)
    case moveAside(String)
    case remove(String)
    case synchronizeFolder
}

/// A private key and its certificate in one file, as text (PEM), so that no crash can part them.
struct PairFile: Sendable {
    /// Why a file is no such pair.
    struct Damage: Error, Equatable {
        let reason: String
    }

    private static let keyLabel = "PRIVATE KEY"

    let certificate: X509Certificate
    let key: P256PrivateKey

    init(certificate: X509Certificate, key: P256PrivateKey) {
        self.certificate = certificate
        self.key = key
    }

    init(text: [UInt8]) throws(Damage) {
        guard var documents = try? PEMDocument.all(in: text) else { throw Damage(reason: "it is cut off or changed") }
        defer { for index in documents.indices { wipe(&documents[index].der) } }
        // By their places: a second reference to the key's bytes would have them copied, and the copy wiped.
        guard let keyPlace = documents.firstIndex(where: { $0.label == Self.keyLabel }),
            let certificatePlace = documents.firstIndex(where: { $0.label == X509Certificate.label })
        else { throw Damage(reason: "its key or its certificate is missing") }
        do {
            key = try P256PrivateKey(der: documents[keyPlace].der)
            certificate = try X509Certificate(der: documents[certificatePlace].der)
        } catch {
            throw Damage(reason: "its key or its certificate cannot be read")
        }
        guard certificate.isOf(key) else {
            throw Damage(reason: "its key does not belong to its certificate")
        }
    }

    /// The caller wipes it.
    func text() throws -> [UInt8] {
        var keyDocument = PEMDocument(label: Self.keyLabel, der: try key.der())
        defer { wipe(&keyDocument.der) }
        var keyText = try keyDocument.text()
        defer { wipe(&keyText) }
        return keyText + (try certificate.text())
    }
}

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
        defer { Sealing.wipe(&buffer) }
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
        Sealing.wipe(&bytes)
    }
}

/// An error number of the system.
struct FileFailure: Error, Equatable {
    let number: Int32

    init(number: Int32 = errno) {
        self.number = number
    }

    var reason: String { String(cString: strerror(number)) }
}
