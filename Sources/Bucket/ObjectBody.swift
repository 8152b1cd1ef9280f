import AsyncHTTPClient
import Bytes
import FoundationEssentials
import NIOCore
import Sealing
import Threads

/// Where the bytes of an object come from. They must not change while it is sent.
package struct ObjectBody: Sendable {
    package let byteCount: UInt64
    /// Blocking: reads into the buffer from an offset; returns what was read.
    package let read: @Sendable (_ buffer: UnsafeMutableRawBufferPointer, _ offset: UInt64) throws -> Int

    package init(
        byteCount: UInt64,
        read: @escaping @Sendable (_ buffer: UnsafeMutableRawBufferPointer, _ offset: UInt64) throws -> Int
    ) {
        self.byteCount = byteCount
        self.read = read
    }

    package init(_ bytes: [UInt8]) {
        self.init(byteCount: UInt64(bytes.count)) { buffer, offset in
            let rest = bytes.dropFirst(Int(clamping: offset)).prefix(buffer.count)
            buffer.copyBytes(from: rest)
            return rest.count
        }
    }
}

/// A stretch of a body that is sent by one request, with the digests that go before it.
struct BodyPart: Sendable {
    var range: Range<UInt64>
    var sha256: String
    /// base64: what stores with an object lock want to have (`Content-MD5`), and all of them know.
    var md5: String
}

/// A body's digests, computed before anything is sent.
struct DigestedBody: Sendable {
    /// What a request carries at most: one that is cut off is sent again from its beginning.
    static let longestPart: UInt64 = 64 << 20
    /// What a store takes in one request at all.
    static let longestWhole: UInt64 = 5 << 30
    private static let mostParts: UInt64 = 10_000
    static let pieceByteCount = 256 * 1024

    let body: ObjectBody
    let sha256: String
    /// One, unless the object has to go in several requests.
    let parts: [BodyPart]

    /// Blocking: reads the body once.
    /// - Throws: `BucketError.unreadable`; `unreachable` where this host has no memory for it
    init(_ body: ObjectBody, longestPart: UInt64 = longestPart) throws(BucketError) {
        self.body = body
        do {
            (sha256, parts) = try Self.digests(
                of: body, partByteCount: max(longestPart, (body.byteCount + Self.mostParts - 1) / Self.mostParts))
        } catch let error as BucketError {
            throw error
        } catch {
            throw .unreachable("\(error)")
        }
    }

    private static func digests(
        of body: ObjectBody, partByteCount: UInt64
    ) throws -> (sha256: String, parts: [BodyPart]) {
        var whole = try SHA256Hasher()
        var parts: [BodyPart] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceByteCount, alignment: 4096)
        defer { buffer.deallocate() }
        var begin: UInt64 = 0
        repeat {
            let range = begin..<min(body.byteCount, begin + partByteCount)
            var sha256 = try SHA256Hasher()
            var md5 = try AnnouncedHasher.md5()
            try read(body, range, into: buffer) { piece in
                try sha256.update(piece)
                try md5.update(piece)
                if range.count < body.byteCount { try whole.update(piece) }
            }
            parts.append(
                BodyPart(
                    range: range, sha256: Hexadecimal.encode(try sha256.finalize()),
                    md5: Data(try md5.current()).base64EncodedString()))
            begin = range.upperBound
        } while begin < body.byteCount
        if parts.count == 1 { return (parts[0].sha256, parts) }
        return (Hexadecimal.encode(try whole.finalize()), parts)
    }

    private static func read(
        _ body: ObjectBody, _ range: Range<UInt64>, into buffer: UnsafeMutableRawBufferPointer,
        _ each: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let wanted = Int(min(UInt64(buffer.count), range.upperBound - offset))
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
            guard (try? body.read(target, offset)) == wanted else { throw BucketError.unreadable }
            try each(UnsafeRawBufferPointer(target))
            offset += UInt64(wanted)
        }
    }

    /// The bytes of a part, read piece by piece while they are sent.
    func content(of part: BodyPart, on readers: BlockingPool) -> HTTPClientRequest.Body {
        guard !part.range.isEmpty else { return .bytes(ByteBuffer()) }
        return .stream(
            BodyPieces(body: body, range: part.range, readers: readers), length: .known(Int64(part.range.count)))
    }
}

/// Reads on the pool's threads, one piece ahead of nobody: what is not wanted yet is not in memory.
private struct BodyPieces: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let body: ObjectBody
    let range: Range<UInt64>
    let readers: BlockingPool

    struct Iterator: AsyncIteratorProtocol {
        let pieces: BodyPieces
        var offset: UInt64

        mutating func next() async throws -> ByteBuffer? {
            let (body, offset) = (pieces.body, offset)
            let count = Int(Swift.min(UInt64(DigestedBody.pieceByteCount), pieces.range.upperBound - offset))
            guard count > 0 else { return nil }
            let piece = try await pieces.readers.run {
                var buffer = ByteBufferAllocator().buffer(capacity: count)
                let read = try? buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { space in
                    try body.read(UnsafeMutableRawBufferPointer(rebasing: space[..<count]), offset)
                }
                guard read == count else { throw BucketError.unreadable }
                return buffer
            }
            self.offset += UInt64(count)
            return piece
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(pieces: self, offset: range.lowerBound) }
}
