/// Dimensions of a picture by its own header: JPEG (ITU-T T.81) or WebP (RFC 9649).
struct PictureHeader: Equatable {
    let width: Int
    let height: Int
}

extension PictureHeader {
    /// Nil for what is no JPEG of one frame that is followed by a scan, or says more than how its pixels are to be read.
    init?(jpeg bytes: [UInt8]) {
        guard bytes.starts(with: [0xFF, 0xD8, 0xFF]) else { return nil }
        var position = 2
        var found: PictureHeader?
        while position + 4 <= bytes.count, bytes[position] == 0xFF {
            let marker = bytes[position + 1]
            let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
            guard length >= 2, position + 2 + length <= bytes.count, !Self.isMetadata(marker) else { return nil }
            if Self.isFrameHeader(marker) {
                guard found == nil, length >= 8 else { return nil }
                let body = position + 4
                let height = Int(bytes[body + 1]) << 8 | Int(bytes[body + 2])
                found = PictureHeader(width: Int(bytes[body + 3]) << 8 | Int(bytes[body + 4]), height: height)
            }
            if marker == 0xDA { break }
            position += 2 + length
        }
        guard let found else { return nil }
        self = found
    }

    /// A comment, or an application's data (EXIF, XMP, colour profiles, IPTC…) but JFIF's and Adobe's, which say what the
    /// components are.
    private static func isMetadata(_ marker: UInt8) -> Bool {
        marker == 0xFE || (0xE0...0xEF).contains(marker) && marker != 0xE0 && marker != 0xEE
    }

    /// SOF0…SOF15 without DHT, JPG and DAC.
    private static func isFrameHeader(_ marker: UInt8) -> Bool {
        (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
    }

    /// Nil for what is no WebP whose RIFF length is that of the bytes.
    init?(webP bytes: [UInt8]) {
        guard bytes.count >= 30, bytes.has("RIFF", at: 0), bytes.has("WEBP", at: 8) else { return nil }
        guard Self.littleEndian(bytes[4..<8]) + 8 == bytes.count else { return nil }
        if bytes.has("VP8 ", at: 12) {
            guard bytes[23..<26].elementsEqual([0x9D, 0x01, 0x2A]) else { return nil }
            self.init(
                width: Self.littleEndian(bytes[26..<28]) & 0x3FFF, height: Self.littleEndian(bytes[28..<30]) & 0x3FFF)
        } else if bytes.has("VP8L", at: 12) {
            guard bytes[20] == 0x2F else { return nil }
            let packed = Self.littleEndian(bytes[21..<25])
            self.init(width: (packed & 0x3FFF) + 1, height: (packed >> 14 & 0x3FFF) + 1)
        } else if bytes.has("VP8X", at: 12) {
            // Of what an extended file can have, an alpha channel only: no animation, no metadata, no colour profile.
            guard bytes[20] & ~0x10 == 0 else { return nil }
            self.init(width: Self.littleEndian(bytes[24..<27]) + 1, height: Self.littleEndian(bytes[27..<30]) + 1)
        } else {
            return nil
        }
    }

    private static func littleEndian(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}

extension [UInt8] {
    fileprivate func has(_ name: StaticString, at offset: Int) -> Bool {
        name.withUTF8Buffer { self[offset..<offset + $0.count].elementsEqual($0) }
    }
}
