import Bytes
package import Media

/// How a photo's facts stand in its row: (tag u8, length u8, value)*, so that they fit beside everything else in the one
/// row that most photos have. Texts come from strangers' files and are cut.
package enum FactsCoding {
    private enum Tag {
        static let size: UInt8 = 1
        static let orientation: UInt8 = 2
        static let make: UInt8 = 3
        static let model: UInt8 = 4
        static let lens: UInt8 = 5
        static let place: UInt8 = 6
        static let duration: UInt8 = 7
        static let contentIdentifier: UInt8 = 8
        static let colour: UInt8 = 9
        static let placeholder: UInt8 = 10
        static let flags: UInt8 = 11
        static let motion: UInt8 = 12
        static let version: UInt8 = 13
    }

    package static let longestText = 64
    private static let longestPlaceholder = 64
    /// Of a degree; a unit is a centimetre.
    private static let degreeUnits = 1e7
    private static let metreUnits = 100.0

    /// How facts begin that this version read: so whoever looks for others need not take them apart. A version that
    /// knows no such tag leaves it out when it reads them anew.
    package static let introduction: [UInt8] = introduction(version: MediaFacts.readingVersion)

    private static func introduction(version: UInt8) -> [UInt8] { [Tag.version, 1, version] }

    package static func encode(_ facts: MediaFacts, version: UInt8 = MediaFacts.readingVersion) -> [UInt8] {
        var bytes = introduction(version: version)
        func append(_ tag: UInt8, _ value: [UInt8]?) {
            guard let value, !value.isEmpty else { return }
            bytes += [tag, UInt8(value.count)] + value
        }
        if let width = facts.width, let height = facts.height {
            append(Tag.size, UInt32(clamping: width).bigEndianBytes + UInt32(clamping: height).bigEndianBytes)
        }
        append(Tag.orientation, facts.orientation == 1 ? nil : [UInt8(clamping: facts.orientation)])
        append(Tag.make, text(facts.cameraMake))
        append(Tag.model, text(facts.cameraModel))
        append(Tag.lens, text(facts.lens))
        append(Tag.place, facts.place.map(encode))
        append(Tag.duration, facts.duration.map { UInt32(clamping: $0.milliseconds).bigEndianBytes })
        append(Tag.contentIdentifier, text(facts.contentIdentifier))
        append(Tag.colour, facts.dominantColour.map { Array($0.bigEndianBytes.suffix(3)) })
        append(Tag.placeholder, facts.placeholder.flatMap { $0.count <= longestPlaceholder ? $0 : nil })
        append(Tag.flags, flags(facts))
        append(Tag.motion, facts.motion.map { $0.lowerBound.bigEndianBytes + $0.upperBound.bigEndianBytes })
        return bytes
    }

    /// What cannot be read is left out: a fact is never worth a photo.
    package static func decode(_ bytes: [UInt8]) -> MediaFacts {
        var facts = MediaFacts()
        var reader = ByteReader(bytes)
        while let tag = reader.readUInt8(), let count = reader.readUInt8(), let value = reader.read(Int(count)) {
            take(tag, Array(value), into: &facts)
        }
        return facts
    }

    private static func take(_ tag: UInt8, _ value: [UInt8], into facts: inout MediaFacts) {
        var reader = ByteReader(value)
        switch tag {
        case Tag.size:
            guard let width = reader.readUInt32(), let height = reader.readUInt32() else { return }
            (facts.width, facts.height) = (Int(width), Int(height))
        case Tag.orientation: facts.orientation = reader.readUInt8().map(Int.init) ?? 1
        case Tag.make: facts.cameraMake = String(validating: value, as: UTF8.self)
        case Tag.model: facts.cameraModel = String(validating: value, as: UTF8.self)
        case Tag.lens: facts.lens = String(validating: value, as: UTF8.self)
        case Tag.place: facts.place = place(&reader)
        case Tag.duration: facts.duration = reader.readUInt32().map { .milliseconds($0) }
        case Tag.contentIdentifier: facts.contentIdentifier = String(validating: value, as: UTF8.self)
        case Tag.colour: facts.dominantColour = value.count == 3 ? value.reduce(0) { $0 << 8 | UInt32($1) } : nil
        case Tag.placeholder: facts.placeholder = value
        case Tag.flags:
            facts.isAnimated = (value.first ?? 0) & 1 != 0
            facts.hasGainMap = (value.first ?? 0) & 2 != 0
        case Tag.motion:
            guard let start = reader.readUInt64(), let end = reader.readUInt64(), start < end else { return }
            facts.motion = start..<end
        default: break
        }
    }

    private static func flags(_ facts: MediaFacts) -> [UInt8]? {
        let flags: UInt8 = (facts.isAnimated ? 1 : 0) | (facts.hasGainMap ? 2 : 0)
        return flags == 0 ? nil : [flags]
    }

    private static func text(_ text: String?) -> [UInt8]? {
        guard let text else { return nil }
        var bytes: [UInt8] = []
        for character in text.unicodeScalars.map({ Array(String($0).utf8) }) {
            guard bytes.count + character.count <= longestText else { break }
            bytes += character
        }
        return bytes
    }

    /// 8 bytes, or 12 with an altitude.
    static func encode(_ place: Place) -> [UInt8] {
        let degrees = [place.latitude, place.longitude].flatMap { number($0 * degreeUnits).bigEndianBytes }
        return degrees + (place.altitude.map { number($0 * metreUnits).bigEndianBytes } ?? [])
    }

    static func place(_ value: [UInt8]) -> Place? {
        var reader = ByteReader(value)
        return place(&reader)
    }

    private static func place(_ reader: inout ByteReader) -> Place? {
        guard let latitude = reader.readUInt32(), let longitude = reader.readUInt32() else { return nil }
        return Place(
            latitude: Double(Int32(bitPattern: latitude)) / degreeUnits,
            longitude: Double(Int32(bitPattern: longitude)) / degreeUnits,
            altitude: reader.readUInt32().map { Double(Int32(bitPattern: $0)) / metreUnits })
    }

    private static func number(_ value: Double) -> Int32 {
        // A comparison with a value that is no number is false.
        guard value >= Double(Int32.min), value <= Double(Int32.max) else { return 0 }
        return Int32(value.rounded())
    }
}

extension Duration {
    /// Whole ones; clamped.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        guard !overflow else { return seconds > 0 ? .max : .min }
        let (sum, carried) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return carried ? .max : sum
    }
}

/// In a row: milliseconds i64 ‖ minutes east of UTC i16 ‖ source u8 ‖ flags u8 (bit 0: an instant, bit 1: the minutes
/// are known, bit 2: they are guessed, bits 3 and 4: its precision, bit 5: they are
/// those of the place, bit 6: and the instant follows from them).
extension CaptureTime {
    package var encoded: [UInt8] {
        UInt64(bitPattern: milliseconds).bigEndianBytes
            + UInt16(bitPattern: Int16(clamping: offsetMinutes ?? 0)).bigEndianBytes
            + [source.rawValue, flags]
    }

    private var flags: UInt8 {
        (isInstant ? 1 : 0) | (offsetMinutes == nil ? 0 : 2) | (isZoneGuessed ? 4 : 0) | precision.rawValue << 3
            | (isZoneOfPlace ? 32 : 0) | (isInstantOfPlace ? 64 : 0)
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
        isZoneOfPlace = flags & 32 != 0
        isInstantOfPlace = flags & 64 != 0
    }
}
