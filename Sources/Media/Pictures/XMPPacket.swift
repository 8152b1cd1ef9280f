/// The few properties of an XMP packet that matter where EXIF is silent, found by their customary names.
///
/// No XML parser: a packet is untrusted text of which only simple values are taken, `name="value"` or
/// `<name>value</name>`.
struct XMPPacket {
    private let bytes: [UInt8]
    private static let maximumByteCount = 256 << 10
    private static let maximumValueByteCount = 256

    init(_ bytes: [UInt8]) { self.bytes = [UInt8](bytes.prefix(Self.maximumByteCount)) }

    var make: String? { value("tiff:Make") }
    var model: String? { value("tiff:Model") }
    var lens: String? { value("exifEX:LensModel") ?? value("aux:Lens") }
    var orientation: Int? { value("tiff:Orientation").flatMap(Int.init).flatMap { (1...8).contains($0) ? $0 : nil } }

    var takenAt: CaptureTime? {
        let names: [StaticString] = [
            "exif:DateTimeOriginal", "photoshop:DateCreated", "exif:DateTimeDigitized", "xmp:CreateDate",
        ]
        return names.lazy.compactMap { value($0).flatMap { CivilTime($0) } }.first.map(CaptureTime.init(exif:))
    }

    var place: Place? {
        guard let latitude = value("exif:GPSLatitude").flatMap(Self.degrees),
            let longitude = value("exif:GPSLongitude").flatMap(Self.degrees)
        else { return nil }
        return Place(latitude: latitude, longitude: longitude)
    }

    /// `39,3.0806N` or `39,3,4N`.
    private static func degrees(_ text: String) -> Double? {
        guard let direction = text.last, "NSEWnsew".contains(direction) else { return nil }
        let parts = text.dropLast().split(separator: ",", omittingEmptySubsequences: false).map { Double($0) ?? .nan }
        guard (1...3).contains(parts.count), parts.allSatisfy({ $0.isFinite && $0 >= 0 }) else { return nil }
        let value = zip(parts, [1.0, 60, 3600]).reduce(0) { $0 + $1.0 / $1.1 }
        return "SWsw".contains(direction) ? -value : value
    }

    private func value(_ name: StaticString) -> String? {
        var start = 0
        while let found = position(of: name, from: start) {
            let after = found + name.utf8CodeUnitCount
            if let quote = quoted(after) ?? element(after) { return quote }
            start = after
        }
        return nil
    }

    /// `="value"` or `='value'`.
    private func quoted(_ offset: Int) -> String? {
        guard bytes.has("=", at: offset), let quote = bytes.bytes(at: offset + 1, count: 1)?.first,
            quote == 0x22 || quote == 0x27
        else { return nil }
        return text(from: offset + 2, until: quote)
    }

    /// `>value<`
    private func element(_ offset: Int) -> String? {
        bytes.has(">", at: offset) ? text(from: offset + 1, until: 0x3C) : nil
    }

    private func text(from start: Int, until end: UInt8) -> String? {
        let rest = bytes[start...].prefix(Self.maximumValueByteCount)
        guard let stop = rest.firstIndex(of: end) else { return nil }
        return [UInt8](rest[..<stop]).text
    }

    private func position(of name: StaticString, from start: Int) -> Int? {
        name.withUTF8Buffer { name in
            guard let first = name.first, start <= bytes.count - name.count else { return nil }
            return (start...bytes.count - name.count).first {
                bytes[$0] == first && bytes[$0..<$0 + name.count].elementsEqual(name)
            }
        }
    }
}
