package import Media
import NIOCore
package import Records
package import Sealing
package import Store

/// The beginning of a content that passes by: most photos say all about themselves in it.
struct FirstBytes: ByteSource {
    private struct NotHeld: Error {}

    private let bytes: [UInt8]
    /// Without an end where more follows: to ask for that fails.
    let byteCount: UInt64

    /// - Parameter isWhole: nothing follows.
    init(_ segment: SegmentBuffer, isWhole: Bool) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(segment.plaintextByteCount)
        segment.forEachContent { bytes += $0 }
        self.bytes = bytes
        byteCount = isWhole ? UInt64(bytes.count) : UInt64(Int64.max)
    }

    func read(at offset: UInt64, count: Int) throws -> [UInt8] {
        guard offset < UInt64(bytes.count), UInt64(count) <= UInt64(bytes.count) - offset else { throw NotHeld() }
        return [UInt8](bytes[Int(offset)..<Int(offset) + count])
    }

    /// Nil where the beginning does not tell all.
    func facts(_ type: MediaType) -> MediaFacts? { try? MediaFacts(reading: self, type: type) }
}

/// The content of an object that is on disk. Blocking.
package struct ObjectBytes: ByteSource {
    package let reader: ObjectReader
    package let byteCount: UInt64

    package init(reader: ObjectReader, byteCount: UInt64) {
        self.reader = reader
        self.byteCount = byteCount
    }

    /// Of a photo whose bytes are all on disk, whether or not its row is.
    package init(of record: PhotoRecord, fileKey: SharedSecret, _ store: Store) throws {
        self.init(
            reader: try ObjectReader(record: record, fileKey: fileKey.bytes, store: store), byteCount: record.byteCount)
    }

    package func read(at offset: UInt64, count: Int) throws -> [UInt8] {
        let end = min(byteCount, clampedSum(offset, UInt64(count)))
        guard offset < end else { return [] }
        return Array(try reader.read(offset..<end).readableBytesView)
    }

    /// Of a photo whose bytes are all on disk, whether or not its row is; nil where they cannot be read now, which is no
    /// reason to refuse it: whoever makes its pictures looks again.
    package static func facts(of record: PhotoRecord, fileKey: SharedSecret, _ store: Store) -> MediaFacts? {
        guard let source = try? ObjectBytes(of: record, fileKey: fileKey, store) else { return nil }
        return try? MediaFacts(reading: source, type: MediaType(mimeType: record.type))
    }

    /// What it is, and what it says about itself.
    /// - Parameter now: until when a time can be true, in milliseconds
    package func typeAndFacts(now: Int64) throws -> (type: MediaType, facts: MediaFacts) {
        let type = MediaType.sniff(try read(at: 0, count: MediaType.headByteCount))
        return (type, try MediaFacts(reading: self, type: type, now: now))
    }
}
