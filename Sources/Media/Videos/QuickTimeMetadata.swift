/// Texts that QuickTime files carry by key, and the older ones of `udta` by four signs.
struct QuickTimeMetadata {
    private static let maximumTableByteCount = 256 << 10
    private static let prefix = "com.apple.quicktime."

    private var texts: [String: String] = [:]
    private var locationBox: Place?

    var make: String? { texts["make"] ?? texts["©mak"] }
    var model: String? { texts["model"] ?? texts["©mod"] }
    var lens: String? { texts["camera.lens_model"] }
    var contentIdentifier: String? { texts["content.identifier"] }
    var place: Place? {
        let written = [texts["location.ISO6709"], texts["©xyz"]].compactMap(\.self)
        return written.lazy.compactMap(Place.init(iso6709:)).first ?? locationBox
    }

    /// The key's date tells the zone, Nikon's and Sony's own blocks too, `©day` mostly.
    var takenAt: [CaptureTime] {
        let written = [texts["creationdate"], nikonTime, sonyTime, texts["date"], texts["©day"]].compactMap(\.self)
        return written.compactMap { CivilTime($0) }.filter { $0.precision == .moment }
            .map { CaptureTime($0, source: .container) }
    }
    /// `©day` without a clock, as programs write it that number films by their years.
    var releasedAt: CaptureTime? {
        texts["©day"].flatMap { CivilTime(partial: $0) }.flatMap { $0.precision == .moment ? nil : $0 }
            .map { CaptureTime($0, source: .container) }
    }
    private var nikonTime: String?
    /// The time from the text box of XAVC.
    var sonyTime: String?

    init(_ reader: BoundedReader, movie: BoxList, tracks: [BoxList]) {
        for boxes in [movie] + tracks {
            for box in boxes.boxes.prefix(64) {
                if box.type == "meta" { takeKeys(reader, box) }
                if box.type == "udta" { takeUserData(reader, box) }
            }
        }
    }

    /// `meta` holds a table of keys and a list of values by one-based number. MP4's has a version before its boxes.
    private mutating func takeKeys(_ reader: BoundedReader, _ box: Box) {
        var boxes = reader.boxes(in: box)
        if boxes.first("ilst") == nil { boxes = reader.boxes(in: box, skipping: 4) }
        guard let list = boxes.first("ilst") else { return }
        let keys = boxes.first("keys").flatMap { reader.payload($0, limit: Self.maximumTableByteCount) }
        let names = keys.map(Self.names) ?? []
        for item in reader.boxes(in: list).boxes {
            let number = item.type.unicodeScalars.reduce(0) { $0 << 8 | Int($1.value) }
            let key = number >= 1 && number <= names.count ? names[number - 1] : nil
            // iTunes' own list has no table, but types that speak for themselves.
            guard let name = key ?? (item.type.hasPrefix("©") ? item.type : nil),
                let value = reader.boxes(in: item).first("data").flatMap({ reader.payload($0, limit: 1024) }),
                value.integer(UInt32.self, at: 0) == 1
            else { continue }
            texts[name] = texts[name] ?? [UInt8](value.dropFirst(8)).text
        }
    }

    private static func names(_ keys: [UInt8]) -> [String?] {
        var (names, position): ([String?], Int) = ([], 8)
        while names.count < 1024, let size: UInt32 = keys.integer(at: position), size >= 8,
            let entry = keys.bytes(at: position, count: Int(size))
        {
            let name = [UInt8](entry.dropFirst(8)).text
            names.append(name.map { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0 })
            position += entry.count
        }
        return names
    }

    /// Nikon's table: number u32, format u16, count u16, value. 0x11 is when it was taken, 0x19 the zone.
    private static func nikonTime(_ table: [UInt8]) -> String? {
        let sizes: [UInt16: Int] = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8]
        var (time, zone, position): (String?, String?, Int) = (nil, nil, 0)
        for _ in 0..<256 {
            guard let tag: UInt32 = table.integer(at: position), let format: UInt16 = table.integer(at: position + 4),
                let count: UInt16 = table.integer(at: position + 6), let size = sizes[format],
                let value = table.bytes(at: position + 8, count: Int(count) * size)
            else { break }
            if tag == 0x11 || (tag == 0x12 && time == nil) { time = value.text }
            if tag == 0x19 { zone = value.text }
            position += 8 + value.count
        }
        return time.map { $0 + (zone ?? "") }
    }

    /// `©xyz` and its like: length, language, text.
    private mutating func takeUserData(_ reader: BoundedReader, _ box: Box) {
        for item in reader.boxes(in: box).boxes where item.type.hasPrefix("©") {
            guard let payload = reader.payload(item, limit: 1024), let length: UInt16 = payload.integer(at: 0),
                let text = payload.bytes(at: 4, count: Int(length))?.text
            else { continue }
            texts[item.type] = texts[item.type] ?? text
        }
        let boxes = reader.boxes(in: box)
        // As some editors write it: the text alone.
        texts["date"] = texts["date"] ?? boxes.first("date").flatMap { reader.payload($0, limit: 64) }?.text
        nikonTime =
            nikonTime
            ?? boxes.first("NCDT").flatMap { reader.box(["NCTG"], in: $0) }
            .flatMap { reader.payload($0, limit: Self.maximumTableByteCount) }.flatMap(Self.nikonTime)
        if let meta = boxes.first("meta") { takeKeys(reader, meta) }
        locationBox =
            locationBox ?? boxes.first("loci").flatMap { reader.payload($0, limit: 1024) }.flatMap(Place.init(loci:))
    }
}

extension Place {
    /// 3GPP's box (TS 26.244): version, language, a name, a role, then numbers with 16 bits after the point.
    fileprivate init?(loci payload: [UInt8]) {
        guard payload.count > 6, let nameEnd = payload[6...].firstIndex(of: 0) else { return nil }
        let numbers = (0..<3).compactMap { payload.integer(Int32.self, at: nameEnd + 2 + $0 * 4) }
        guard numbers.count == 3 else { return nil }
        let values = numbers.map { Double($0) / 65_536 }
        self.init(latitude: values[1], longitude: values[0], altitude: values[2])
    }

    /// `+40.7887-004.0051+1942.4/`: degrees, or degrees and minutes, or degrees, minutes and seconds.
    init?(iso6709 text: String) {
        let numbers = Self.signedNumbers(text.utf8.prefix(64))
        guard numbers.count >= 2, let latitude = Self.degrees(numbers[0], wholeDigits: 2),
            let longitude = Self.degrees(numbers[1], wholeDigits: 3)
        else { return nil }
        self.init(latitude: latitude, longitude: longitude, altitude: numbers.count > 2 ? Double(numbers[2]) : nil)
    }

    private static func signedNumbers(_ text: some Sequence<UInt8>) -> [String] {
        var numbers: [String] = []
        for byte in text {
            switch byte {
            case 0x2B, 0x2D: numbers.append(String(UnicodeScalar(byte)))
            case 0x2E, 48...57:
                guard let last = numbers.popLast() else { return [] }
                numbers.append(last + String(UnicodeScalar(byte)))
            default: return numbers
            }
        }
        return numbers
    }

    /// The number of digits before the point says how they are to be read: dd, ddmm or ddmmss.
    private static func degrees(_ text: String, wholeDigits: Int) -> Double? {
        guard let value = Double(text), value.isFinite else { return nil }
        let digits = text.dropFirst().prefix { $0 != "." }.count
        let (size, sign) = (abs(value), text.hasPrefix("-") ? -1.0 : 1.0)
        switch digits - wholeDigits {
        case ...0: return value
        case 2:
            let degrees = (size / 100).rounded(.towardZero)
            return sign * (degrees + (size - degrees * 100) / 60)
        case 4:
            let degrees = (size / 10_000).rounded(.towardZero)
            let minutes = ((size - degrees * 10_000) / 100).rounded(.towardZero)
            return sign * (degrees + minutes / 60 + (size - degrees * 10_000 - minutes * 100) / 3600)
        default: return nil
        }
    }
}
