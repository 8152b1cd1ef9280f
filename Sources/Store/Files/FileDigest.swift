import Bytes
internal import COpenSSL
import Glibc

/// SHA-256 of a file, in the form that a million of them fit into memory.
struct FileDigest: Hashable, Sendable {
    static let byteCount = 32
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// Nil unless there are exactly 32 bytes.
    init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        var words: [UInt64] = [0, 0, 0, 0]
        for (index, byte) in bytes.enumerated() { words[index / 8] = words[index / 8] << 8 | UInt64(byte) }
        self.words = (words[0], words[1], words[2], words[3])
    }

    /// Nil unless it is 64 lower-case hexadecimal digits.
    init?(hex: some Collection<UInt8>) {
        guard hex.count == 2 * Self.byteCount else { return nil }
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        for (index, digit) in hex.enumerated() {
            guard let value = Self.value(of: digit) else { return nil }
            bytes[index / 2] = bytes[index / 2] << 4 | value
        }
        self.init(bytes: bytes)
    }

    var hex: String {
        [words.0, words.1, words.2, words.3].map { Hexadecimal.encode($0.bigEndianBytes) }.joined()
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    static func == (one: FileDigest, other: FileDigest) -> Bool { one.words == other.words }

    func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

/// SHA-256 of bytes that come piece by piece.
final class RunningSHA256 {
    private let context: OpaquePointer

    init() throws(StoreError) {
        guard let context = EVP_MD_CTX_new() else { throw Self.failure() }
        self.context = context
        guard EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else { throw Self.failure() }
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    func update(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
        guard EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else { throw Self.failure() }
    }

    /// 32 bytes. To be called once, after the last piece.
    func finish() throws(StoreError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_DigestFinal_ex(context, &digest, nil) == 1 else { throw Self.failure() }
        return digest
    }

    private static func failure() -> StoreError {
        ERR_clear_error()
        return .ioFailed(operation: "SHA-256", errno: EIO)
    }
}

/// SHA-256 of `bytes`, 32 bytes.
func sha256(_ bytes: some Collection<UInt8>) throws(StoreError) -> [UInt8] {
    let input = [UInt8](bytes)
    var digest = [UInt8](repeating: 0, count: 32)
    let status = input.withUnsafeBytes { (input: UnsafeRawBufferPointer) in
        EVP_Digest(input.baseAddress, input.count, &digest, nil, EVP_sha256(), nil)
    }
    guard status == 1 else {
        ERR_clear_error()
        throw .ioFailed(operation: "SHA-256", errno: EIO)
    }
    return digest
}

/// Digests of files by their names, as `sha256sum` writes and reads them: 64 hexadecimal digits, two spaces, the name.
enum DigestLines {
    private static let nameOffset = 2 * FileDigest.byteCount + 2

    static func line(_ digest: FileDigest, _ name: String) -> [UInt8] { Array("\(digest.hex)  \(name)\n".utf8) }

    /// Lines that are none, such as the last one after a power cut, do not count.
    static func forEach(_ text: [UInt8], _ body: (_ digest: FileDigest, _ name: String) -> Void) {
        let complete = text.prefix(text.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0)
        for line in complete.split(separator: UInt8(ascii: "\n")) where line.count > nameOffset {
            guard let digest = FileDigest(hex: line.prefix(2 * FileDigest.byteCount)) else { continue }
            body(digest, String(decoding: line.dropFirst(nameOffset), as: UTF8.self))
        }
    }
}

extension RemoteObjects {
    /// SHA-256 in hexadecimal digits of what comes when all of it is read; nil when there is no such object.
    /// - Parameter requireWanted: asked with each piece; throws when nobody wants it any more
    func digest(of name: String, requireWanted: () throws -> Void = {}) throws -> String? {
        do {
            return try RemoteFile(remote: self, name: name).digest(
                pieceByteCount: RemoteFile.pieceByteCount, requireWanted: requireWanted)
        } catch StoreError.objectUnreadable {
            return nil
        }
    }

    /// Reads back what was put: a store may say yes to what it puts together wrongly, or keeps nothing of.
    /// - Parameter digest: as `put` has returned it
    /// - Throws: `unusable` where something else comes
    func requireBack(_ name: String, _ digest: String) throws {
        guard try askingAgain({ try $0.digest(of: name) }, until: { $0 == digest }) == digest else {
            throw StoreError.unusable(
                "\(name) was put into \(place), and does not come back as it was: it could not be restored from there. Try "
                    + "the store (safelight bucket --check), or choose another one. What was there before is as it was."
            )
        }
    }

    /// A few bytes that nothing here knows: they are compared with the digest that they were put with.
    /// - Returns: nil when there is no such object, or one that is longer.
    /// - Throws: `bucketUnreachable` where something else comes, however often it is asked for
    func readAsPut(_ name: String, atMost limit: Int) throws -> [UInt8]? {
        let answer = try askingAgain { remote in
            guard let bytes = try remote.readWhole(name, atMost: limit) else {
                return (bytes: [UInt8]?.none, fits: true)
            }
            let digest = try remote.look(at: name)?.digest
            return (bytes, try digest == nil || digest == Hexadecimal.encode(sha256(bytes)))
        } until: {
            $0.fits
        }
        guard answer.fits else { throw StoreError.bucketUnreachable("\(name) does not come as it was put.") }
        return answer.bytes
    }

    /// Nil when nothing with that length and digest comes, however often it is asked for.
    func readWhole(_ name: String, of byteCount: Int, digest: FileDigest?) throws -> [UInt8]? {
        try askingAgain { remote in
            guard let bytes = try remote.readWhole(name, atMost: byteCount), bytes.count == byteCount,
                try FileDigest(bytes: sha256(bytes)) == digest
            else { return nil }
            return bytes
        } until: {
            $0 != nil
        }
    }
}

extension ByteSource {
    /// SHA-256 in hexadecimal digits of all of it.
    /// - Parameter requireWanted: asked with each piece; throws when nobody wants it any more
    func digest(pieceByteCount: Int = 1 << 20, requireWanted: () throws -> Void = {}) throws -> String {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceByteCount, alignment: 4096)
        defer { buffer.deallocate() }
        return Hexadecimal.encode(try digest(by: buffer) { _, _ in try requireWanted() }.sha256)
    }

    /// Reads to the end.
    /// - Parameters:
    ///   - buffer: takes one piece after the other
    ///   - each: gets each piece and its offset
    /// - Returns: 32 bytes, and how many were read.
    func digest(
        by buffer: UnsafeMutableRawBufferPointer, each: (UnsafeRawBufferPointer, UInt64) throws -> Void
    ) throws -> (sha256: [UInt8], byteCount: UInt64) {
        let running = try RunningSHA256()
        var offset: UInt64 = 0
        while true {
            let count = try read(into: buffer, at: offset)
            let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            try running.update(piece)
            try each(piece, offset)
            offset += UInt64(count)
            if count < buffer.count { return (try running.finish(), offset) }
        }
    }
}
