/// The few properties of an XMP packet that matter where EXIF is silent.
struct XMPPacket {
    private let properties: XMPProperties

    init(_ bytes: [UInt8]) { properties = XMPProperties(bytes) }

    /// Whether anything in it says that it is one.
    var isPacket: Bool { properties.isPacket }

    /// Of a list of structures with fields, those of each.
    var containerEntries: [[String: String]] { properties.entries }

    func value(_ name: String) -> String? { properties.values[name] }

    var make: String? { value("tiff:Make") }
    var model: String? { value("tiff:Model") }
    var lens: String? { value("exifEX:LensModel") ?? value("aux:Lens") }
    var orientation: Int? { value("tiff:Orientation").flatMap(Int.init).flatMap { (1...8).contains($0) ? $0 : nil } }

    /// When the shutter opened, the content was made, it was made digital, the file was made, satellites told where.
    var takenAt: [CaptureTime] { shutterTimes + digitizedTimes + satelliteTimes }

    /// A panorama that was put together from others has the times of these.
    var shutterTimes: [CaptureTime] {
        times(
            "exif:DateTimeOriginal", "photoshop:DateCreated", "xmpDM:shotDate", "GPano:SourceImageCreateTime",
            "GPano:FirstPhotoDate", "GPano:LastPhotoDate")
    }
    var digitizedTimes: [CaptureTime] { times("exif:DateTimeDigitized", "xmp:CreateDate") }
    var satelliteTimes: [CaptureTime] { times("exif:GPSTimeStamp") }

    /// When a program wrote the file last: no date of the picture, and an instant as all times of files are. Where no zone
    /// is said, it is read as UTC.
    var writtenAt: CaptureTime? {
        guard let time = times("xmp:ModifyDate").first, time.precision == .moment else { return nil }
        return CaptureTime(milliseconds: time.milliseconds, isInstant: true, source: .fileTime)
    }

    private func times(_ names: String...) -> [CaptureTime] {
        names.compactMap { value($0).flatMap { CivilTime(written: $0) } }.map(CaptureTime.init(exif:))
    }

    func list(_ name: String) -> [String] { properties.listed[name] ?? [] }

    var place: Place? {
        guard let latitude = degrees("exif:GPSLatitude", negative: "S"),
            let longitude = degrees("exif:GPSLongitude", negative: "W")
        else { return nil }
        return Place(latitude: latitude, longitude: longitude, altitude: altitude)
    }

    private var altitude: Double? {
        guard let height = value("exif:GPSAltitude").flatMap(XMPNumber.value) else { return nil }
        return value("exif:GPSAltitudeRef")?.first == "1" ? -abs(height) : height
    }

    /// The standard has `39,3.0806N` or `39,3,4N`. Apple's programs write decimals, and the letter into a property of its own,
    /// others a sign, fractions as EXIF has them, or what their readers show: `39 deg 3' 4.00" N`.
    private func degrees(_ name: String, negative: Character) -> Double? {
        guard let text = value(name) else { return nil }
        let letters = text.filter { $0.isASCII && $0.isLetter }.uppercased().split(separator: "DEG").joined()
        let shown = text.filter { !$0.isWhitespace }
        let isOutside = [shown.first, shown.last].contains { $0?.isLetter == true }
        guard letters.isEmpty || (letters.count == 1 && isOutside), letters.allSatisfy({ "NSEW".contains($0) }) else {
            return nil
        }
        let parts = text.split { !"0123456789./+-".contains($0) }.map { XMPNumber.value($0) ?? .nan }
        guard (1...3).contains(parts.count), parts.dropFirst().allSatisfy({ $0 >= 0 && $0 < 60.001 }),
            parts.allSatisfy(\.isFinite)
        else { return nil }
        let size = zip(parts, [1.0, 60, 3600]).reduce(0) { $0 + abs($1.0) / $1.1 }
        let isSigned = text.drop { $0.isWhitespace }.first == "-"
        let reference = letters.first ?? value(name + "Ref")?.uppercased().first
        // A sign beside a letter says the same once more.
        return isSigned || reference == negative ? -size : size
    }
}

/// A decimal, or a fraction as EXIF has them.
private enum XMPNumber {
    static func value(_ text: some StringProtocol) -> Double? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Double($0) }
        guard (1...2).contains(parts.count), let above = parts[0] else { return nil }
        guard parts.count == 2 else { return above.isFinite ? above : nil }
        guard let below = parts[1], below != 0 else { return nil }
        let quotient = above / below
        return quotient.isFinite ? quotient : nil
    }
}
