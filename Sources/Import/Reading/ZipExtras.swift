import CZlib

/// The extra fields of an entry (APPNOTE 4.5): sizes beyond 32 bits, a name in UTF-8, times in UTC.
struct ZipExtras {
    private var fields: [UInt16: [UInt8]] = [:]

    init(_ bytes: [UInt8]) {
        var place = 0
        while place + 4 <= bytes.count {
            let (tag, count) = (bytes.little16(place), Int(bytes.little16(place + 2)))
            guard place + 4 + count <= bytes.count else { return }
            if fields[tag] == nil { fields[tag] = Array(bytes[(place + 4)..<(place + 4 + count)]) }
            place += 4 + count
        }
    }

    /// Puts the whole numbers in place of those that did not fit.
    /// - Parameter sizes: unpacked, packed, offset, in the order in which they stand in the field.
    /// - Returns: false where one is missing.
    func widen(_ sizes: inout [UInt64]) -> Bool {
        let field = fields[0x0001] ?? []
        var place = 0
        for index in sizes.indices where sizes[index] == 0xFFFF_FFFF {
            guard place + 8 <= field.count else { return fields[0x0001] == nil }
            sizes[index] = field.little64(place)
            place += 8
        }
        return true
    }

    /// That of Info-ZIP, if it was made for this very name.
    func unicodeName(of name: [UInt8]) -> [UInt8]? {
        guard let field = fields[0x7075], field.count > 5, field[0] == 1 else { return nil }
        let checksum = UInt32(truncatingIfNeeded: crc32(0, name, UInt32(clamping: name.count)))
        return checksum == field.little32(1) ? Array(field[5...]) : nil
    }

    /// Milliseconds since 1970.
    var modifiedAt: Int64? {
        guard let field = fields[0x5455], field.count >= 5, field[0] & 1 != 0 else { return nil }
        return Int64(Int32(bitPattern: field.little32(1))) * 1000
    }
}

/// Integers as ZIP writes them, at places that were checked before.
extension [UInt8] {
    func little16(_ offset: Int) -> UInt16 { UInt16(self[offset]) | UInt16(self[offset + 1]) << 8 }
    func little32(_ offset: Int) -> UInt32 { UInt32(little16(offset)) | UInt32(little16(offset + 2)) << 16 }
    func little64(_ offset: Int) -> UInt64 { UInt64(little32(offset)) | UInt64(little32(offset + 4)) << 32 }
}
