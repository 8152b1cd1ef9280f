import CVips
import CZlib
import Foundation
import TestSupport
import Testing

/// Files that nobody's camera makes.
enum MadePictures {
    /// One grey of eight bits, or colours, or colours with transparency; with eight bytes, these of sixteen bits.
    static func png(width: Int, height: Int, pixel: [UInt8], isWhole: Bool = true) -> [UInt8] {
        let colourType: UInt8 = pixel.count >= 4 ? 6 : pixel.count == 3 ? 2 : 0
        let header: [UInt8] = big(width) + big(height) + [pixel.count == 8 ? 16 : 8, colourType, 0, 0, 0]
        let rows = isWhole ? height : 1
        let row: [UInt8] = [0] + (0..<width).flatMap { _ -> [UInt8] in pixel }
        let data = deflated(rows: rows, of: row)
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header) + chunk("IDAT", data)
            + chunk("IEND", [])
    }

    /// Black.
    static func jpeg(width: Int, height: Int) throws -> [UInt8] {
        try #require(DecodedPicture.isReady)
        let picture = try #require(cvips_grey(CInt(width), CInt(height)))
        defer { cvips_unref(picture) }
        var memory: UnsafeMutableRawPointer?
        var count = 0
        try #require(cvips_jpeg(picture, &memory, &count, 75) == 0)
        defer { g_free(memory) }
        return Array(UnsafeRawBufferPointer(start: memory, count: count))
    }

    /// Black, with loss.
    static func webP(width: Int, height: Int) throws -> [UInt8] {
        try #require(DecodedPicture.isReady)
        let picture = try #require(cvips_grey(CInt(width), CInt(height)))
        defer { cvips_unref(picture) }
        var memory: UnsafeMutableRawPointer?
        var count = 0
        try #require(cvips_webp(picture, &memory, &count, 75, 0) == 0)
        defer { g_free(memory) }
        return Array(UnsafeRawBufferPointer(start: memory, count: count))
    }

    /// Black, as a JPEG, PNG, WebP, TIFF and GIF.
    static func ofEachFormat(width: Int, height: Int) throws -> [[UInt8]] {
        try #require(DecodedPicture.isReady)
        return try ofEachFormat(cvips_grey(CInt(width), CInt(height)))
    }

    /// Noise, in which no byte is left over, in the same formats.
    static func noiseOfEachFormat(width: Int, height: Int) throws -> [[UInt8]] {
        try #require(DecodedPicture.isReady)
        var random = SeededGenerator(seed: 7)
        let pixels = (0..<width * height * 3).map { _ in UInt8.random(in: 0...255, using: &random) }
        return try ofEachFormat(cvips_of_bytes(pixels, pixels.count, CInt(width), CInt(height), 3))
    }

    private static func ofEachFormat(_ made: UnsafeMutablePointer<VipsImage>?) throws -> [[UInt8]] {
        let picture = try #require(made)
        defer { cvips_unref(picture) }
        typealias Save = (UnsafeMutablePointer<VipsImage>, inout UnsafeMutableRawPointer?, inout Int) -> CInt
        let saves: [Save] = [
            { cvips_jpeg($0, &$1, &$2, 75) }, { cvips_png($0, &$1, &$2) }, { cvips_webp($0, &$1, &$2, 75, 0) },
            { cvips_tiff($0, &$1, &$2) }, { cvips_gif($0, &$1, &$2) },
        ]
        return try saves.map { save in
            var memory: UnsafeMutableRawPointer?
            var count = 0
            try #require(save(picture, &memory, &count) == 0)
            defer { g_free(memory) }
            return Array(UnsafeRawBufferPointer(start: memory, count: count))
        }
    }

    /// Black, of one component.
    static func greyJPEG(width: Int, height: Int) throws -> [UInt8] {
        try #require(DecodedPicture.isReady)
        let picture = try #require(cvips_grey(CInt(width), CInt(height)))
        defer { cvips_unref(picture) }
        var grey: UnsafeMutablePointer<VipsImage>?
        try #require(cvips_bands(picture, &grey, 0, 1) == 0)
        defer { cvips_unref(grey) }
        var memory: UnsafeMutableRawPointer?
        var count = 0
        try #require(cvips_jpeg(grey, &memory, &count, 75) == 0)
        defer { g_free(memory) }
        return Array(UnsafeRawBufferPointer(start: memory, count: count))
    }

    private static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        let named = Array(name.utf8) + body
        return big(body.count) + named + big(Int(crc32(0, named, uInt(named.count))))
    }

    /// One row is compressed, in blocks that refer to nothing before them, and stands there as often as there are rows.
    private static func deflated(rows: Int, of row: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        deflateInit_(&stream, 6, zlibVersion(), CInt(MemoryLayout<z_stream>.size))
        defer { deflateEnd(&stream) }
        var input = row
        let first = input.withUnsafeMutableBufferPointer { input in
            stream.next_in = input.baseAddress
            stream.avail_in = uInt(input.count)
            return drained(&stream, flush: Z_FULL_FLUSH)
        }
        let sumOfRow = adler32(adler32(0, nil, 0), row, uInt(row.count))
        let sum = (1..<rows).reduce(sumOfRow) { sum, _ in adler32_combine(sum, sumOfRow, row.count) }
        // The stream's header comes first; an empty last block ends it.
        return first.prefix(2) + Array(repeating: first.dropFirst(2), count: rows).joined() + [3, 0] + big(Int(sum))
    }

    private static func drained(_ stream: inout z_stream, flush: CInt) -> [UInt8] {
        var output: [UInt8] = []
        repeat {
            let piece = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
                stream.next_out = buffer.baseAddress
                stream.avail_out = uInt(buffer.count)
                _ = deflate(&stream, flush)
                count = buffer.count - Int(stream.avail_out)
            }
            output += piece
        } while stream.avail_out == 0
        return output
    }

    /// A TIFF whose directories, each of a picture of 8 × 8, go on and on; with `isEndless` the last leads to the first.
    static func tiff(directoryCount: Int, isEndless: Bool = false) -> [UInt8] {
        let entries: [(tag: Int, type: Int, value: Int)] = [
            (256, 3, 8), (257, 3, 8), (258, 3, 8), (259, 3, 1), (262, 3, 1), (273, 4, 8), (277, 3, 1), (278, 3, 8),
            (279, 4, 64),
        ]
        let size = 2 + entries.count * 12 + 4
        let first = 8 + 64
        var bytes: [UInt8] = [0x49, 0x49, 0x2A, 0] + little(first, 4) + [UInt8](repeating: 128, count: 64)
        bytes.reserveCapacity(first + directoryCount * size)
        for number in 0..<directoryCount {
            let isLast = number == directoryCount - 1
            let next = isLast ? (isEndless ? first : 0) : first + (number + 1) * size
            bytes += little(entries.count, 2)
            for entry in entries {
                bytes += little(entry.tag, 2) + little(entry.type, 2) + little(1, 4) + little(entry.value, 4)
            }
            bytes += little(next, 4)
        }
        return bytes
    }

    /// Frames of `side` × `side`, of each of which only the first pixels are there.
    static func gif(side: Int, frameCount: Int) -> [UInt8] {
        var bytes = Array("GIF89a".utf8) + little(side, 2) + little(side, 2) + [0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        for _ in 0..<frameCount {
            bytes += [0x21, 0xF9, 4, 0, 1, 0, 0, 0, 0x2C, 0, 0, 0, 0] + little(side, 2) + little(side, 2)
            bytes += [0, 2, 2, 0x44, 0x01, 0]
        }
        return bytes + [0x3B]
    }

    /// The header of a JPEG that promises 65,500 × 65,500 pixels, then the scan of a small one.
    static func floodingJPEG(from jpeg: [UInt8]) -> [UInt8] {
        guard let frame = jpeg.indices.first(where: { jpeg[$0] == 0xFF && $0 > 2 && jpeg[$0 + 1] == 0xC0 }) else {
            return jpeg
        }
        var result = jpeg
        result.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xDC, 0xFF, 0xDC])
        return result
    }

    private static func big(_ value: Int) -> [UInt8] { little(value, 4).reversed() }

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
