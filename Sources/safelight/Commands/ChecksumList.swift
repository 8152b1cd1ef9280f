import FoundationEssentials
import Glibc

/// The file SHA256SUMS of an export, as `sha256sum --check` reads it: each name once, durable line by line.
final class ChecksumList {
    static let fileName = "SHA256SUMS"

    private let folder: String
    private var names: [String] = []
    private var digests: [String: String] = [:]

    /// Reads what an earlier run listed. A line that a power cut left short does not count.
    init(folder: String) throws {
        self.folder = folder
        let text = (try? Data(contentsOf: URL(filePath: path))) ?? Data()
        let complete = text.prefix(text.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0)
        for line in complete.split(separator: UInt8(ascii: "\n")) where line.count > 66 {
            let name = String(decoding: line.dropFirst(66), as: UTF8.self)
            if digests.updateValue(String(decoding: line.prefix(64), as: UTF8.self), forKey: name) == nil {
                names.append(name)
            }
        }
        if text.count != encoded.count { try rewrite() }
    }

    func lists(_ name: String) -> Bool { digests[name] != nil }

    /// Takes a name out before its file is replaced, so that no name ever stands beside another content's digest.
    func remove(_ name: String) throws {
        guard digests.removeValue(forKey: name) != nil else { return }
        names.removeAll { $0 == name }
        try rewrite()
    }

    func append(_ name: String, digest: [UInt8]) throws {
        digests[name] = Self.hexadecimal(digest)
        names.append(name)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw ExportFolder.failure("open", path) }
        defer { close(descriptor) }
        try write(line(name), to: descriptor)
    }

    private var path: String { "\(folder)/\(Self.fileName)" }
    private var encoded: [UInt8] { names.flatMap(line) }

    private func line(_ name: String) -> [UInt8] { Array("\(digests[name] ?? "")  \(name)\n".utf8) }

    private func rewrite() throws {
        let draft = path + ".new"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw ExportFolder.failure("write", draft) }
        defer { close(descriptor) }
        try write(encoded, to: descriptor)
        guard rename(draft, path) == 0 else { throw ExportFolder.failure("write", path) }
        try ExportFolder.synchronize(folder)
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { throw ExportFolder.failure("write", path) }
            rest = rest.dropFirst(written)
        }
        guard fdatasync(descriptor) == 0 else { throw ExportFolder.failure("sync", path) }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let text = String(byte, radix: 16)
            return byte < 16 ? "0" + text : text
        }.joined()
    }
}
