import Glibc
import Records
import Sealing
import ServiceManager

/// A file that holds the code of a door: one that the service manager laid ready for this process, or one of its user's.
enum DoorCodeFile {
    private static let mostBytes = 4096

    /// Blocking.
    /// - Throws: `Unusable` where there is none, others may read it, or it is no code.
    static func read(_ path: String, _ credentials: Credentials = .current) throws -> DoorToken {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        var facts = stat()
        guard descriptor >= 0, fstat(descriptor, &facts) == 0 else {
            throw Unusable(description: "\(path) cannot be opened: \(String(cString: strerror(errno))).")
        }
        defer { close(descriptor) }
        // The service manager grants a credential to the user of the service by a list that looks like a group.
        let isCredential = credentials.path(of: path.split(separator: "/").last.map(String.init) ?? "") == path
        guard isCredential || facts.st_mode & 0o077 == 0 else {
            throw Unusable(description: "Others may read \(path) (chmod 600).")
        }
        let text = try SecretBytes(count: mostBytes) { room in
            var count = 0
            while count < room.count {
                let read = Glibc.read(descriptor, room.baseAddress! + count, room.count - count)
                guard read > 0 else { break }
                count += read
            }
        }
        guard let token = text.withUnsafeBytes(token) else {
            throw Unusable(description: "\(path) holds no code of a door, and no link to one.")
        }
        return token
    }

    struct Unusable: Error, CustomStringConvertible {
        let description: String
    }

    /// The code, or a link that has it behind `#`, with the name of the door behind that or without; and nothing else but
    /// white space around it.
    private static func token(_ bytes: UnsafeRawBufferPointer) -> DoorToken? {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0 || byte == 0x20 || (9...13).contains(byte) }
        guard let start = bytes.firstIndex(where: { !isBlank($0) }),
            let end = bytes.lastIndex(where: { !isBlank($0) })
        else { return nil }
        let behind = bytes[start...end].lastIndex(of: UInt8(ascii: "#")).map { $0 + 1 } ?? start
        let isLink = behind != start
        let last = isLink ? bytes[behind...end].firstIndex(of: UInt8(ascii: "/")) ?? end + 1 : end + 1
        return DoorToken(ofCredential: UnsafeRawBufferPointer(rebasing: bytes[behind..<last]))
    }
}
