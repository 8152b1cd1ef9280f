import Bytes
import Media

/// In a row: milliseconds i64 ‖ minutes east of UTC i16 ‖ source u8 ‖ flags u8 (bit 0: an instant, bit 1: the minutes
/// are known, bit 2: they are guessed, bits 3 and 4: its precision).
extension CaptureTime {
    package var encoded: [UInt8] {
        UInt64(bitPattern: milliseconds).bigEndianBytes
            + UInt16(bitPattern: Int16(clamping: offsetMinutes ?? 0)).bigEndianBytes
            + [source.rawValue, flags]
    }

    private var flags: UInt8 {
        (isInstant ? 1 : 0) | (offsetMinutes == nil ? 0 : 2) | (isZoneGuessed ? 4 : 0) | precision.rawValue << 3
    }

    /// Nil for what no version writes.
    package init?(encoded: some Collection<UInt8>) {
        var reader = ByteReader(Array(encoded))
        guard let milliseconds = reader.readUInt64(), let offset = reader.readUInt16(),
            let source = reader.readUInt8().flatMap(Source.init), let flags = reader.readUInt8(), reader.isAtEnd
        else { return nil }
        self.init(
            milliseconds: Int64(bitPattern: milliseconds),
            offsetMinutes: flags & 2 == 0 ? nil : Int(Int16(bitPattern: offset)), isInstant: flags & 1 != 0,
            source: source, precision: Precision(rawValue: flags >> 3 & 3) ?? .moment)
        isZoneGuessed = flags & 4 != 0
    }
}
