import FoundationEssentials
import Glibc
import Records
import Sealing
import ServiceManager
import Yams

/// A watched folder, as the configuration names it: what is put there goes through a door into a vault.
struct InboxSettings: Sendable, Equatable {
    private static let keys = ["path", "door", "remove"]
    private static let longestName = 32

    /// By which its credential is called.
    let name: String
    let path: String
    /// The file that holds the door's code; nil for the credential of this name.
    let doorPath: String?
    /// Whether a file is deleted once it was read back from the disk of the vaults.
    let removes: Bool

    /// In the order of their names.
    /// - Throws: `SettingsError`.
    static func all(file: String) throws -> [InboxSettings] {
        guard let content = FileManager.default.contents(atPath: file),
            let root = try? Yams.compose(yaml: String(decoding: content, as: UTF8.self)), let node = root["inbox"]
        else { return [] }
        return try all(node)
    }

    static func all(_ node: Node) throws -> [InboxSettings] {
        if node.null != nil { return [] }
        guard let mapping = node.mapping else { throw problem("names folders: \"scanner:\" and below it \"path:\"") }
        return try mapping.map { try InboxSettings(name: $0.key.string ?? "", $0.value) }.sorted { $0.name < $1.name }
    }

    private init(name: String, _ node: Node) throws {
        let letters = "abcdefghijklmnopqrstuvwxyz0123456789-"
        guard (1...Self.longestName).contains(name.count), name.allSatisfy(letters.contains) else {
            throw Self.problem("names folders by small letters, digits and hyphens; \"\(name)\" is no such name")
        }
        guard let mapping = node.mapping else { throw Self.problem("says no path of \"\(name)\"") }
        for (key, _) in mapping where !Self.keys.contains(key.string ?? "") {
            throw Self.problem("of \"\(name)\" knows path, door and remove, and not \"\(key.string ?? "")\"")
        }
        guard let path = mapping["path"]?.string, path.hasPrefix("/") else {
            throw Self.problem("of \"\(name)\" needs an absolute path")
        }
        switch mapping["remove"]?.string {
        case nil, "off", "false": removes = false
        case "on", "true": removes = true
        default: throw Self.problem("of \"\(name)\": remove must be on or off")
        }
        let door = mapping["door"]?.string
        guard door?.hasPrefix("/") ?? true else {
            throw Self.problem(
                "of \"\(name)\": door is the path of a file that holds the door's code, which does not stand here itself"
            )
        }
        (self.name, self.path, doorPath) = (name, path, door)
    }

    // MARK: The door's code

    private static let mostBytes = 4096

    /// Blocking.
    /// - Parameter credentials: where a folder without `door` has its code.
    /// - Throws: `SettingsError` where there is none, others may read it, or it is no code.
    func doorToken(_ credentials: Credentials) throws -> DoorToken {
        let credential = "safelight.door.\(name)"
        guard let path = doorPath ?? credentials.path(of: credential) else {
            throw Self.problem("of \"\(name)\" needs the credential \(credential), or a file that door names")
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        var facts = stat()
        guard descriptor >= 0, fstat(descriptor, &facts) == 0 else {
            throw Self.problem("of \"\(name)\": \(path) cannot be opened: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        guard doorPath == nil || facts.st_mode & 0o077 == 0 else {
            throw Self.problem("of \"\(name)\": others may read \(path) (chmod 600)")
        }
        let text = try SecretBytes(count: Self.mostBytes) { room in
            var count = 0
            while count < room.count {
                let read = Glibc.read(descriptor, room.baseAddress! + count, room.count - count)
                guard read > 0 else { break }
                count += read
            }
        }
        guard let token = text.withUnsafeBytes(Self.token) else {
            throw Self.problem("of \"\(name)\": \(path) holds no code of a door, and no link to one")
        }
        return token
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

    private static func problem(_ text: String) -> SettingsError { SettingsError(key: .inbox, problem: text) }
}
