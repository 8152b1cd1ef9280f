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

extension XMPPacket {
    /// A part of a file that has several, in their order.
    struct ContainerItem: Equatable {
        let semantic: String
        /// Bytes of the packet with the padding behind it.
        let byteCount: UInt64
    }

    /// Google's `Container:Directory`: the photo, perhaps its gain map, perhaps a video.
    var containerItems: [ContainerItem] {
        containerEntries.compactMap { item in
            guard let semantic = item["Item:Semantic"] else { return nil }
            let counts = ["Item:Length", "Item:Padding"].map { item[$0].flatMap(UInt64.init) ?? 0 }
            let (sum, overflow) = counts[0].addingReportingOverflow(counts[1])
            return overflow ? nil : ContainerItem(semantic: semantic, byteCount: sum)
        }
    }

    var isMotionPhoto: Bool {
        let flags = ["GCamera:MotionPhoto", "GCamera:MicroVideo"]
        return flags.contains { value($0) == "1" } || containerItems.contains { $0.semantic == "MotionPhoto" }
    }

    /// How far before the end of the file the video of an earlier Motion Photo begins.
    var microVideoOffset: UInt64? { value("GCamera:MicroVideoOffset").flatMap(UInt64.init) }

    /// Brighter tones for screens that have them lie behind the picture (Ultra HDR).
    var hasGainMap: Bool {
        value("hdrgm:Version") != nil || containerItems.contains { $0.semantic == "GainMap" }
    }
}

/// By which customary name a mark of a packet goes, whatever prefix its writer gave to the namespace, or forgot to say.
struct XMPNames {
    private static let mostBindings = 128
    private static let longestNamespace = 256

    /// What an export of this program says of a photo, for which no other namespace has a name.
    static let own = "urn:safelight:photo/"

    private static let prefixes = [
        "http://ns.adobe.com/xap/1.0/": "xmp", "http://ns.adobe.com/tiff/1.0/": "tiff",
        "http://ns.adobe.com/exif/1.0/": "exif", "http://cipa.jp/exif/1.0/": "exifEX",
        "http://ns.adobe.com/exif/1.0/aux/": "aux", "http://ns.adobe.com/photoshop/1.0/": "photoshop",
        "http://ns.adobe.com/xmp/1.0/DynamicMedia/": "xmpDM", "http://purl.org/dc/elements/1.1/": "dc",
        "http://ns.google.com/photos/1.0/container/": "Container", "http://ns.adobe.com/hdr-gain-map/1.0/": "hdrgm",
        "http://ns.google.com/photos/1.0/container/item/": "Item", "http://ns.google.com/photos/1.0/camera/": "GCamera",
        "http://ns.google.com/photos/1.0/panorama/": "GPano", "http://www.digikam.org/ns/1.0/": "digiKam",
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf", "adobe:ns:meta/": "x",
        "http://www.w3.org/XML/1998/namespace": "xml", "http://ns.adobe.com/camera-raw-settings/1.0/": "crs",
        own: "safelight",
    ]

    private let bytes: [UInt8]
    private var bindings: [(prefix: Range<Int>, customary: String?)] = []

    /// Of the packet in which the ranges of all marks lie.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// How many prefixes are bound at the moment.
    var count: Int { bindings.count }

    /// Takes what the attributes of one mark bind, until `forget`.
    mutating func bind(_ attributes: [XMPScanner.Attribute]) {
        for attribute in attributes where bytes[attribute.name].starts(with: "xmlns".utf8) {
            guard bindings.count < Self.mostBindings else { return }
            let isPrefixed = bytes.has(":", at: attribute.name.lowerBound + 5) && attribute.name.count > 6
            guard isPrefixed || attribute.name.count == 5 else { continue }
            let prefix = attribute.name.lowerBound + (isPrefixed ? 6 : 5)..<attribute.name.upperBound
            let isSane = attribute.value.count <= Self.longestNamespace
            let namespace = isSane ? XMPScanner.resolved(bytes[attribute.value]).text : nil
            bindings.append((prefix, Self.prefixes[namespace ?? ""]))
        }
    }

    mutating func forget(to count: Int) { bindings.removeLast(max(0, bindings.count - count)) }

    /// With the customary prefix; nil for what stands in no namespace that is known.
    func customary(_ name: Range<Int>) -> String? {
        let colon = bytes[name].firstIndex(of: UInt8(ascii: ":"))
        let prefix = bytes[name.lowerBound..<(colon ?? name.lowerBound)]
        if let bound = bindings.last(where: { bytes[$0.prefix] == prefix }) {
            return bound.customary.map { "\($0):\(local(name))" }
        }
        return colon == nil ? nil : String(decoding: bytes[name], as: UTF8.self)
    }

    /// Attributes without a prefix are in no namespace.
    func customary(attribute name: Range<Int>) -> String? {
        bytes[name].contains(UInt8(ascii: ":")) ? customary(name) : nil
    }

    func local(_ name: Range<Int>) -> String {
        let start = bytes[name].firstIndex(of: UInt8(ascii: ":")).map { $0 + 1 } ?? name.lowerBound
        return String(decoding: bytes[start..<name.upperBound], as: UTF8.self)
    }
}
