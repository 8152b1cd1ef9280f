/// The few properties of an XMP packet that matter where EXIF is silent, found by their customary names, and by those
/// that the packet itself gives to their namespaces.
///
/// No XML parser: a packet is untrusted text of which only simple values are taken, `name="value"` or
/// `<name>value</name>`.
struct XMPPacket {
    private let bytes: [UInt8]
    /// The packet of which this is a part: it names the namespaces.
    private let whole: [UInt8]
    private static let maximumByteCount = 256 << 10
    private static let maximumValueByteCount = 256

    init(_ bytes: [UInt8]) {
        self.bytes = [UInt8](bytes.prefix(Self.maximumByteCount))
        whole = self.bytes
    }

    private init(_ bytes: ArraySlice<UInt8>, of whole: [UInt8]) {
        self.bytes = [UInt8](bytes)
        self.whole = whole
    }

    /// The first entries of a list that a property has.
    func entries(of name: String, atMost count: Int) -> [XMPPacket] {
        let entry = Array("<rdf:li".utf8)
        guard let list = names(of: name).lazy.compactMap({ position(of: Array($0.utf8), from: 0) }).first else {
            return []
        }
        var starts: [Int] = []
        while starts.count <= count, let start = position(of: entry, from: starts.last.map { $0 + 1 } ?? list) {
            starts.append(start)
        }
        let ends = starts.dropFirst() + [bytes.count]
        return zip(starts, ends).prefix(count).map { XMPPacket(bytes[$0..<$1], of: whole) }
    }

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

    func value(_ name: String) -> String? {
        names(of: name).lazy.compactMap { written(Array($0.utf8)) }.first
    }

    /// The name itself, and with each other prefix that the packet declares for its namespace.
    private func names(of name: String) -> [String] {
        let parts = name.split(separator: ":")
        guard parts.count == 2, let namespace = Self.namespaces[String(parts[0])] else { return [name] }
        return [name] + prefixes(of: namespace).filter { $0 != parts[0] }.map { "\($0):\(parts[1])" }
    }

    private static let namespaces = [
        "xmp": "http://ns.adobe.com/xap/1.0/", "tiff": "http://ns.adobe.com/tiff/1.0/",
        "exif": "http://ns.adobe.com/exif/1.0/", "exifEX": "http://cipa.jp/exif/1.0/",
        "aux": "http://ns.adobe.com/exif/1.0/aux/", "photoshop": "http://ns.adobe.com/photoshop/1.0/",
        "xmpDM": "http://ns.adobe.com/xmp/1.0/DynamicMedia/",
        "Container": "http://ns.google.com/photos/1.0/container/", "hdrgm": "http://ns.adobe.com/hdr-gain-map/1.0/",
        "Item": "http://ns.google.com/photos/1.0/container/item/", "GCamera": "http://ns.google.com/photos/1.0/camera/",
    ]

    /// The prefixes that `xmlns:prefix="namespace"` gives to a namespace.
    private func prefixes(of namespace: String) -> [String] {
        var (found, start): ([String], Int) = ([], 0)
        let wanted = Array(namespace.utf8)
        while found.count < 4, let place = Self.position(of: wanted, in: whole, from: start) {
            start = place + wanted.count
            guard let quote = whole.bytes(at: start, count: 1)?.first, quote == 0x22 || quote == 0x27 else { continue }
            let before = whole[..<place].suffix(48).dropLast().reversed()
            guard before.first == 0x3D, let colon = before.firstIndex(of: 0x3A) else { continue }
            let name = String(decoding: before[..<colon].dropFirst().reversed(), as: UTF8.self)
            if !name.isEmpty { found.append(name) }
        }
        return found
    }

    private func written(_ name: [UInt8]) -> String? {
        var start = 0
        while let found = position(of: name, from: start) {
            let after = found + name.count
            // In front of it stands no part of a longer name.
            let isWhole = found == 0 || [0x20, 0x09, 0x0A, 0x0D, 0x3C].contains(bytes[found - 1])
            if isWhole, let quote = quoted(after) ?? element(after) { return quote }
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

    private func position(of name: [UInt8], from start: Int) -> Int? {
        Self.position(of: name, in: bytes, from: start)
    }

    private static func position(of name: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        guard let first = name.first, start <= bytes.count - name.count else { return nil }
        return (start...bytes.count - name.count).first {
            bytes[$0] == first && bytes[$0..<$0 + name.count].elementsEqual(name)
        }
    }
}
