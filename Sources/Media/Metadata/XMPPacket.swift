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

    var shutterTimes: [CaptureTime] { times("exif:DateTimeOriginal", "photoshop:DateCreated", "xmpDM:shotDate") }
    var digitizedTimes: [CaptureTime] { times("exif:DateTimeDigitized", "xmp:CreateDate") }
    var satelliteTimes: [CaptureTime] { times("exif:GPSTimeStamp") }

    /// When a program wrote the file last: no date of the picture, and an instant as all times of files are. Where no zone
    /// is said, it is read as UTC.
    var writtenAt: CaptureTime? {
        guard let time = times("xmp:ModifyDate").first, time.precision == .moment else { return nil }
        return CaptureTime(milliseconds: time.milliseconds, isInstant: true, source: .fileTime)
    }

    private func times(_ names: String...) -> [CaptureTime] {
        names.compactMap { value($0).flatMap { CivilTime(partial: $0) } }.map(CaptureTime.init(exif:))
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
}
