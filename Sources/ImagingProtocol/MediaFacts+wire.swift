import Bytes
import Media

/// Facts travel as a set of what is there (u16) ‖ u8 orientation ‖ the fields in the order of the set.
extension MediaFacts {
    private struct Fields: OptionSet {
        let rawValue: UInt16

        static let takenAt = Fields(rawValue: 1 << 0)
        static let width = Fields(rawValue: 1 << 1)
        static let height = Fields(rawValue: 1 << 2)
        static let cameraMake = Fields(rawValue: 1 << 3)
        static let cameraModel = Fields(rawValue: 1 << 4)
        static let lens = Fields(rawValue: 1 << 5)
        static let place = Fields(rawValue: 1 << 6)
        static let duration = Fields(rawValue: 1 << 7)
        static let contentIdentifier = Fields(rawValue: 1 << 8)
        static let dominantColour = Fields(rawValue: 1 << 9)
        static let placeholder = Fields(rawValue: 1 << 10)
        static let isAnimated = Fields(rawValue: 1 << 11)
        static let motion = Fields(rawValue: 1 << 12)
        static let hasGainMap = Fields(rawValue: 1 << 13)
        static let all = Fields(rawValue: (1 << 14) - 1)
    }

    private static let longestSide: UInt32 = 1 << 24
    private static let placeholderByteLimit = 64
    /// Ten years in milliseconds.
    private static let longestDuration: UInt64 = 315_360_000_000

    private var fields: Fields {
        var fields: Fields = []
        if takenAt != nil { fields.insert(.takenAt) }
        if width != nil { fields.insert(.width) }
        if height != nil { fields.insert(.height) }
        if cameraMake != nil { fields.insert(.cameraMake) }
        if cameraModel != nil { fields.insert(.cameraModel) }
        if lens != nil { fields.insert(.lens) }
        if place != nil { fields.insert(.place) }
        if duration != nil { fields.insert(.duration) }
        if contentIdentifier != nil { fields.insert(.contentIdentifier) }
        if dominantColour != nil { fields.insert(.dominantColour) }
        if placeholder != nil { fields.insert(.placeholder) }
        if isAnimated { fields.insert(.isAnimated) }
        if motion != nil { fields.insert(.motion) }
        if hasGainMap { fields.insert(.hasGainMap) }
        return fields
    }

    func write(to writer: inout ByteWriter) { tellable.put(to: &writer) }

    /// Without what the other side refuses: a file may state sides and times that nothing has.
    private var tellable: MediaFacts {
        var facts = self
        let sides = 1...Int(Self.longestSide)
        if let width, !sides.contains(width) { facts.width = nil }
        if let height, !sides.contains(height) { facts.height = nil }
        if let takenAt, !takenAt.isWithinBounds { facts.takenAt = nil }
        return facts
    }

    private func put(to writer: inout ByteWriter) {
        writer.put(fields.rawValue)
        writer.put(UInt8(clamping: orientation))
        takenAt?.write(to: &writer)
        for side in [width, height] { side.map { writer.put(UInt32(clamping: $0)) } }
        for text in [cameraMake, cameraModel, lens] { text.map { writer.putCounted(WireText.shortened($0)) } }
        place?.write(to: &writer)
        duration.map { writer.put(Self.milliseconds($0)) }
        contentIdentifier.map { writer.putCounted(WireText.shortened($0)) }
        dominantColour.map { writer.put($0) }
        placeholder.map { writer.putCounted($0) }
        for end in [motion?.lowerBound, motion?.upperBound] { end.map { writer.put($0) } }
    }

    private static func milliseconds(_ duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0 else { return 0 }
        guard seconds < longestDuration / 1000 else { return longestDuration }
        return UInt64(seconds) * 1000 + UInt64(attoseconds / 1_000_000_000_000_000)
    }

    /// Nil if anything is beyond its bounds.
    init?(from reader: inout ByteReader) {
        self.init()
        guard let raw = reader.integer(UInt16.self), let orientation = reader.integer(UInt8.self) else { return nil }
        let fields = Fields(rawValue: raw)
        guard fields.isSubset(of: .all), (1...8).contains(orientation) else { return nil }
        self.orientation = Int(orientation)
        isAnimated = fields.contains(.isAnimated)
        hasGainMap = fields.contains(.hasGainMap)
        guard
            fill(\.takenAt, if: fields.contains(.takenAt), by: { CaptureTime(from: &reader) }),
            fill(\.width, if: fields.contains(.width), by: { Self.side(&reader) }),
            fill(\.height, if: fields.contains(.height), by: { Self.side(&reader) }),
            fill(\.cameraMake, if: fields.contains(.cameraMake), by: { Self.text(&reader) }),
            fill(\.cameraModel, if: fields.contains(.cameraModel), by: { Self.text(&reader) }),
            fill(\.lens, if: fields.contains(.lens), by: { Self.text(&reader) }),
            fill(\.place, if: fields.contains(.place), by: { Place(from: &reader) }),
            fill(\.duration, if: fields.contains(.duration), by: { Self.duration(&reader) }),
            fill(\.contentIdentifier, if: fields.contains(.contentIdentifier), by: { Self.text(&reader) }),
            fill(\.dominantColour, if: fields.contains(.dominantColour), by: { Self.colour(&reader) }),
            fill(\.placeholder, if: fields.contains(.placeholder), by: { Self.placeholder(&reader) }),
            fill(\.motion, if: fields.contains(.motion), by: { Self.motion(&reader) })
        else { return nil }
    }

    /// False if the field was promised and is not there or beyond its bounds.
    private mutating func fill<Value>(
        _ path: WritableKeyPath<MediaFacts, Value?>, if isPromised: Bool, by read: () -> Value?
    ) -> Bool {
        guard isPromised else { return true }
        guard let value = read() else { return false }
        self[keyPath: path] = value
        return true
    }

    private static func side(_ reader: inout ByteReader) -> Int? {
        reader.integer(UInt32.self).flatMap { (1...longestSide).contains($0) ? Int($0) : nil }
    }

    private static func text(_ reader: inout ByteReader) -> String? {
        reader.counted(atMost: WireText.byteLimit).flatMap(WireText.checked)
    }

    private static func duration(_ reader: inout ByteReader) -> Duration? {
        reader.integer(UInt64.self).flatMap { $0 <= longestDuration ? .milliseconds($0) : nil }
    }

    private static func colour(_ reader: inout ByteReader) -> UInt32? {
        reader.integer(UInt32.self).flatMap { $0 <= 0xFF_FFFF ? $0 : nil }
    }

    private static func motion(_ reader: inout ByteReader) -> Range<UInt64>? {
        guard let start = reader.integer(UInt64.self), let end = reader.integer(UInt64.self), start < end else {
            return nil
        }
        return start..<end
    }

    private static func placeholder(_ reader: inout ByteReader) -> [UInt8]? {
        reader.counted(atMost: placeholderByteLimit)
    }
}

extension CaptureTime {
    /// The years 1 to 9999.
    private static let knownMilliseconds: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999
    private static let noOffset = Int16.min

    /// Within the years 1 to 9999 and 18 hours from UTC.
    fileprivate var isWithinBounds: Bool {
        Self.knownMilliseconds.contains(milliseconds) && (-1080...1080).contains(offsetMinutes ?? 0)
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.put(milliseconds)
        writer.put(offsetMinutes.map { Int16(clamping: $0) } ?? Self.noOffset)
        writer.put(isInstant ? 1 as UInt8 : 0)
        writer.put(source.rawValue)
        writer.put(precision.rawValue)
    }

    /// Nil for what lies beyond the years 1 to 9999 or 18 hours from UTC.
    fileprivate init?(from reader: inout ByteReader) {
        guard let milliseconds = reader.integer(Int64.self), let offset = reader.integer(Int16.self),
            let isInstant = reader.integer(UInt8.self), let source = reader.integer().flatMap(Source.init(rawValue:)),
            let precision = reader.integer().flatMap(Precision.init(rawValue:))
        else { return nil }
        // What a file says, no person has said.
        guard isInstant <= 1, source != .person else { return nil }
        self.init(
            milliseconds: milliseconds, offsetMinutes: offset == Self.noOffset ? nil : Int(offset),
            isInstant: isInstant == 1, source: source, precision: precision)
        guard isWithinBounds else { return nil }
    }
}

extension Place {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.put(latitude)
        writer.put(longitude)
        writer.put(altitude ?? .nan)
    }

    fileprivate init?(from reader: inout ByteReader) {
        guard let latitude = reader.double(), let longitude = reader.double(), let altitude = reader.double()
        else { return nil }
        self.init(latitude: latitude, longitude: longitude, altitude: altitude.isNaN ? nil : altitude)
    }
}
