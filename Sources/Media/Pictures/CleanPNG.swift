import CZlib

/// What of a PNG (ISO 15948) a clean copy keeps: chunks that decide about pixels, colours and moving. Others become a private
/// chunk of zeros, and EXIF a block with the orientation, each with the checksum that it has to have.
struct CleanPNG {
    /// How long each may be: some are of one length, others end somewhere.
    private static let lengths: [String: ClosedRange<UInt32>] = [
        "IHDR": 13...13, "PLTE": 3...768, "IDAT": 0...UInt32.max, "IEND": 0...0, "tRNS": 1...256, "gAMA": 4...4,
        "cHRM": 32...32, "sRGB": 1...1, "iCCP": 3...16 << 20, "cICP": 4...4, "mDCV": 24...24, "cLLI": 8...8,
        "sBIT": 1...4,
        "bKGD": 1...6, "pHYs": 9...9, "hIST": 2...512, "acTL": 8...8, "fcTL": 26...26, "fdAT": 4...UInt32.max,
    ]
    /// Of nobody's, to be skipped by who does not know it, and to be copied by programs that change pixels.
    private static let unknown = Array("zrOs".utf8)

    private let reader: BoundedReader
    private(set) var overwrites = Overwrites()
    private var hasData = false
    private var hasExif = false

    /// - Throws: `noCleanCopy` for what has no header of a PNG and no pixels.
    init(_ reader: BoundedReader) throws(MediaError) {
        self.reader = reader
        guard reader.bytes(at: 12, count: 4)?.has("IHDR") ?? false else { throw .noCleanCopy }
        var position: UInt64 = 8
        while position < reader.byteCount {
            guard let end = try takeChunk(at: position) else {
                overwrites.clear(position..<reader.byteCount)
                break
            }
            position = end
        }
        guard hasData else { throw .noCleanCopy }
    }

    /// Where the chunk ends; nil where no more follow, after the end of the picture and where the file breaks off.
    private mutating func takeChunk(at position: UInt64) throws(MediaError) -> UInt64? {
        guard reader.byteCount - position >= 8 else { return nil }
        guard let head = reader.bytes(at: position, count: 8), let length: UInt32 = head.integer(at: 0) else {
            throw .noCleanCopy
        }
        let name = Array(head[4...])
        guard name.allSatisfy({ (65...90).contains($0) || (97...122).contains($0) }) else { return nil }
        let content = position + 8..<position + 8 + UInt64(length)
        let type = String(decoding: name, as: UTF8.self)
        if Self.lengths[type]?.contains(length) ?? false {
            if type == "IDAT" { hasData = true }
            if type == "IEND" {
                overwrites.clear(min(content.upperBound + 4, reader.byteCount)..<reader.byteCount)
                return reader.byteCount
            }
        } else if type == "eXIf", content.upperBound + 4 <= reader.byteCount, let block = block(in: content) {
            hasExif = true
            put(name, block, content)
        } else {
            overwrites.put(Self.unknown, at: position + 4)
            put(Self.unknown, [], content)
        }
        return min(content.upperBound + 4, reader.byteCount)
    }

    private func block(in content: Range<UInt64>) -> [UInt8]? {
        guard !hasExif, let exif = reader.metadata(in: content) else { return nil }
        return CleanExif.block(for: exif).flatMap { $0.count <= exif.count ? $0 : nil }
    }

    /// Of a chunk that is cut off its checksum is not there.
    private mutating func put(_ name: [UInt8], _ bytes: [UInt8], _ content: Range<UInt64>) {
        let end = min(content.upperBound, reader.byteCount)
        overwrites.put(bytes, at: content.lowerBound)
        overwrites.clear(content.lowerBound + UInt64(bytes.count)..<end)
        let checksum = Self.checksum(of: name + bytes, zeros: content.count - bytes.count)
        let left = reader.byteCount - end
        overwrites.put(
            Array((0..<4).map { UInt8(truncatingIfNeeded: checksum >> (24 - 8 * $0)) }.prefix(Int(min(left, 4)))),
            at: end)
    }

    /// The checksum of some bytes and so many zeros behind them, in steps that double.
    static func checksum(of bytes: [UInt8], zeros: Int) -> UInt {
        var (sum, left) = (crc32(0, bytes, UInt32(bytes.count)), zeros)
        var (power, count) = (crc32(0, [0], 1), 1)
        while left > 0 {
            if left & 1 == 1 { sum = crc32_combine(sum, power, count) }
            power = crc32_combine(power, power, count)
            (left, count) = (left >> 1, count << 1)
        }
        return sum
    }
}
