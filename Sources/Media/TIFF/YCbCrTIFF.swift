/// A TIFF of brightness and two differences of colour (TIFF 6.0, section 21), whose rows are packed in a way that is no JPEG:
/// libtiff gives its numbers as they stand, and libvips takes them for red, green and blue, or nothing where there are
/// fewer differences than pixels.
package struct YCbCrTIFF: Sendable {
    package let width: Int
    package let height: Int
    /// EXIF's 1…8.
    package let orientation: Int
    /// Pixels that share the two differences: 1, 2 or 4 in each direction.
    package let across: Int
    package let down: Int
    /// Where each strip of rows lies in the file.
    package let strips: [Range<UInt64>]
    package let rowsPerStrip: Int
    private let compression: Compression
    /// Parts of red, green and blue in the brightness.
    private let luma: [Double]
    /// Numbers that stand for black and for white, or for no and most difference, of each of the three.
    private let reference: [Double]

    private enum Compression: UInt32 {
        case none = 1
        case lzw = 5
        case deflate = 8
        case olderDeflate = 32946
        case packBits = 32773
    }

    private static let subsampling: UInt16 = 530
    private static let unsupported: [UInt16] = [322, 324]

    /// Nil for every other file.
    package init?(reading source: some ByteSource) {
        guard let file = TIFFFile(BoundedReader(source)), let first = file.directories.first,
            first.number(TIFFTag.photometric) == 6,
            let compression = Compression(rawValue: first.number(TIFFTag.compression) ?? 1),
            first.numbers(258).allSatisfy({ $0 == 8 }), first.number(277) == 3, first.number(284) ?? 1 == 1,
            first.number(317) ?? 1 == 1, !Self.unsupported.contains(where: first.contains),
            let width = first.number(TIFFTag.imageWidth), let height = first.number(TIFFTag.imageLength),
            (1...1 << 24).contains(width), (1...1 << 24).contains(height)
        else { return nil }
        let shares = first.numbers(Self.subsampling)
        (across, down) = shares.count == 2 ? (Int(shares[0]), Int(shares[1])) : (2, 2)
        guard [1, 2, 4].contains(across), [1, 2, 4].contains(down) else { return nil }
        let (starts, lengths) = (first.numbers(TIFFTag.stripOffsets), first.numbers(TIFFTag.stripByteCounts))
        let rows = min(first.number(278) ?? height, height)
        guard rows > 0, starts.count == lengths.count, starts.count == (Int(height) - 1) / Int(rows) + 1 else {
            return nil
        }
        strips = zip(starts, lengths).map { UInt64($0)..<UInt64($0) + UInt64($1) }
        (self.width, self.height, rowsPerStrip) = (Int(width), Int(height), Int(rows))
        self.compression = compression
        orientation = file.exif?.orientation ?? 1
        let luma = first.rationals(529)
        self.luma = luma.count == 3 && luma.allSatisfy { (0.01...1).contains($0) } ? luma : [0.299, 0.587, 0.114]
        let reference = first.rationals(532)
        let isSane =
            reference.count == 6 && reference.allSatisfy(\.isFinite)
            && [0, 2, 4].allSatisfy { reference[$0 + 1] - reference[$0] >= 1 }
        self.reference = isSane ? reference : [0, 255, 128, 255, 128, 255]
    }

    /// Bytes of `count` rows as they are once they are unpacked: for each block of pixels that share differences their
    /// brightness, then the two.
    package func byteCount(ofRows count: Int) -> Int {
        ((count - 1) / down + 1) * ((width - 1) / across + 1) * (across * down + 2)
    }

    /// Of a strip; shorter where it breaks off.
    package func unpacked(_ strip: [UInt8], rows count: Int) -> [UInt8] {
        let most = byteCount(ofRows: count)
        switch compression {
        case .none: return Array(strip.prefix(most))
        case .lzw: return TIFFPacking.lzw(strip, atMost: most)
        case .packBits: return TIFFPacking.packBits(strip, atMost: most)
        case .deflate, .olderDeflate: return Inflation.inflated(strip, atMost: most) ?? []
        }
    }

    /// Red, green and blue.
    package func colour(_ brightness: UInt8, _ blue: UInt8, _ red: UInt8) -> (UInt8, UInt8, UInt8) {
        func level(_ number: UInt8, _ place: Int, _ most: Double) -> Double {
            (Double(number) - reference[place]) * most / (reference[place + 1] - reference[place])
        }
        let (light, towardsBlue, towardsRed) = (level(brightness, 0, 255), level(blue, 2, 127), level(red, 4, 127))
        let redLevel = towardsRed * (2 - 2 * luma[0]) + light
        let blueLevel = towardsBlue * (2 - 2 * luma[2]) + light
        let greenLevel = (light - luma[2] * blueLevel - luma[0] * redLevel) / luma[1]
        func byte(_ value: Double) -> UInt8 { UInt8(min(max(value.rounded(), 0), 255)) }
        return (byte(redLevel), byte(greenLevel), byte(blueLevel))
    }
}

/// How TIFF packs rows (TIFF 6.0, sections 9 and 13).
enum TIFFPacking {
    /// What is there of a strip that breaks off.
    static func packBits(_ bytes: [UInt8], atMost most: Int) -> [UInt8] {
        var (unpacked, place): ([UInt8], Int) = ([], 0)
        while place < bytes.count, unpacked.count < most {
            let head = Int(Int8(bitPattern: bytes[place]))
            place += 1
            if head >= 0 {
                let end = min(place + head + 1, bytes.count)
                unpacked += bytes[place..<end]
                place = end
            } else if head > -128, place < bytes.count {
                unpacked += [UInt8](repeating: bytes[place], count: 1 - head)
                place += 1
            }
        }
        return Array(unpacked.prefix(most))
    }

    private static let clear = 256
    private static let end = 257

    /// Codes of nine to twelve bits, the highest bit first, that grow one code before they have to.
    static func lzw(_ bytes: [UInt8], atMost most: Int) -> [UInt8] {
        var (unpacked, bits, bitCount, place): ([UInt8], UInt32, Int, Int) = ([], 0, 0, 0)
        /// Where the text of each code above 257 stands in what is unpacked already.
        var texts: [Range<Int>] = []
        var (width, former): (Int, Range<Int>?) = (9, nil)
        while unpacked.count < most {
            while bitCount < width, place < bytes.count {
                bits = bits << 8 | UInt32(bytes[place])
                (bitCount, place) = (bitCount + 8, place + 1)
            }
            guard bitCount >= width else { break }
            let code = Int(bits >> UInt32(bitCount - width)) & (1 << width - 1)
            bitCount -= width
            if code == end { break }
            if code == clear {
                (texts, width, former) = ([], 9, nil)
                continue
            }
            let start = unpacked.count
            if code < clear {
                unpacked.append(UInt8(code))
            } else if code - 258 < texts.count {
                unpacked += unpacked[texts[code - 258]]
            } else if code - 258 == texts.count, let former {
                unpacked += unpacked[former] + [unpacked[former.lowerBound]]
            } else {
                break
            }
            // The text before, and the first byte of this one, which stands right behind it.
            if let former { texts.append(former.lowerBound..<former.upperBound + 1) }
            former = start..<unpacked.count
            if texts.count + 258 >= 1 << width - 1, width < 12 { width += 1 }
        }
        return Array(unpacked.prefix(most))
    }
}
