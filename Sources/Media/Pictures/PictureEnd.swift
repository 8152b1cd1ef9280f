/// Whether a picture goes on to its end, where its coder does not say: a PNG that ends behind its pixels, a GIF whose pixels
/// end before they are complete, and what ends in zeros look whole to their libraries.
package struct PictureEnd {
    private static let pieceByteCount = 256 << 10
    private static let mostBlocks = 1 << 20
    private static let fewZeros = 16
    private static let manyZeros = 1024

    /// False also for other formats, and for what has more blocks than anybody counts.
    package private(set) var isMissing = false
    /// It ends in zeros, as a WebP does whose picture is of one colour: then nothing is missing.
    package private(set) var maySayOneColour = false

    private let read: (UInt64, Int) -> [UInt8]
    private let byteCount: UInt64
    private var piece: [UInt8] = []
    private var start: UInt64 = 0

    package init(reading source: some ByteSource, type: MediaType) {
        byteCount = source.byteCount
        read = { (try? source.read(at: $0, count: $1)) ?? [] }
        switch type {
        case .png: isMissing = !hasPNGEnd()
        case .gif: isMissing = !hasGIFEnd()
        case .webp:
            isMissing = endsInZeros(byteCount)
            maySayOneColour = isMissing && hasWholeModes()
        case .heic, .heif, .avif:
            // The space that a maker leaves has a box of its own.
            let last = BoxList(BoundedReader(source)).boxes.last
            isMissing = last?.type == "mdat" && last?.payload.upperBound == byteCount && endsInZeros(byteCount)
        default: break
        }
    }

    /// Whoever copies a file may make room for all of it first. No coder of pixels ends so.
    private func endsInZeros(_ end: UInt64) -> Bool {
        guard end > UInt64(Self.manyZeros) else { return false }
        let last = read(end - UInt64(Self.manyZeros), Self.manyZeros)
        return last.count == Self.manyZeros && last.allSatisfy { $0 == 0 }
    }

    /// Of a lossy WebP without more: what stands before its coefficients does not end in zeros (RFC 6386, 9.3).
    private func hasWholeModes() -> Bool {
        let head = read(0, 30)
        guard head.count == 30, head.has("VP8 ", at: 12), let tag: UInt32 = head.integer(at: 20, isLittleEndian: true)
        else { return false }
        let end = 30 + UInt64(tag >> 5 & 0x7FFFF)
        return end > 30 + UInt64(Self.fewZeros) && end < byteCount
            && read(end - UInt64(Self.fewZeros), Self.fewZeros).contains { $0 != 0 }
    }

    /// Nil behind the end.
    private mutating func bytes(at offset: UInt64, count: Int) -> [UInt8]? {
        guard offset + UInt64(count) <= byteCount else { return nil }
        if offset < start || offset + UInt64(count) > start + UInt64(piece.count) {
            (start, piece) = (offset, read(offset, Self.pieceByteCount))
        }
        return piece.bytes(at: Int(offset - start), count: count)
    }

    /// One that lacks nothing but the last chunk, which says nothing, is whole.
    private mutating func hasPNGEnd() -> Bool {
        let last = byteCount < 12 ? [] : read(byteCount - 12, 12)
        if last.has("IEND", at: 4) { return true }
        var position: UInt64 = 8
        for _ in 0..<Self.mostBlocks {
            guard position < byteCount else { return position == byteCount }
            // A few bytes of the last one's head may be there, too.
            guard let head = bytes(at: position, count: 8), let length: UInt32 = head.integer(at: 0) else {
                return byteCount - position < 8
            }
            if head.has("IEND", at: 4) { return true }
            position += 12 + UInt64(length)
        }
        return true
    }

    /// One that lacks nothing but its last byte is whole.
    private mutating func hasGIFEnd() -> Bool {
        guard let screen = bytes(at: 0, count: 13) else { return false }
        var position = 13 + Self.paletteByteCount(screen[10])
        var zeroCount = 0
        for _ in 0..<Self.mostBlocks {
            guard position < byteCount else { return position == byteCount && zeroCount < Self.fewZeros }
            guard let kind = bytes(at: position, count: 1)?.first else { return true }
            switch kind {
            case 0x3B: return true
            // Some programs leave zeros between blocks.
            case 0: (position, zeroCount) = (position + 1, zeroCount + 1)
            case 0x21: position += 2
            case 0x2C:
                guard let head = bytes(at: position, count: 10) else { return false }
                position += 11 + Self.paletteByteCount(head[9])
            default: return false
            }
            if kind != 0 { guard skipBlocks(&position) else { return false } }
        }
        return true
    }

    /// Up to 255 bytes each, the last one empty.
    private mutating func skipBlocks(_ position: inout UInt64) -> Bool {
        for _ in 0..<Self.mostBlocks {
            guard let count = bytes(at: position, count: 1)?.first else { return false }
            position += 1 + UInt64(count)
            if count == 0 { return true }
        }
        return true
    }

    private static func paletteByteCount(_ flags: UInt8) -> UInt64 {
        flags & 0x80 == 0 ? 0 : 3 << UInt64((flags & 7) + 1)
    }
}
