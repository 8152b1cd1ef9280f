/// The press's block of metadata (IPTC-NAA Information Interchange Model 4.2), which older programs write: records of a
/// marker, two numbers, a length and a value.
struct IPTCBlock {
    private static let maximumRecordCount = 1024

    private var texts: [UInt8: String] = [:]

    init(records: [UInt8]) {
        var position = 0
        for _ in 0..<Self.maximumRecordCount {
            // A length of more than 32,767 is written otherwise, and by nobody for a date.
            guard let head = records.bytes(at: position, count: 5), head[0] == 0x1C,
                let length: UInt16 = head.integer(at: 3), length < 0x8000,
                let value = records.bytes(at: position + 5, count: Int(length))
            else { return }
            if head[1] == 2, texts[head[2]] == nil { texts[head[2]] = value.text }
            position += 5 + value.count
        }
    }

    /// Nil where they hold none.
    init?(_ resources: PhotoshopResources) {
        guard let records = resources[0x0404] else { return nil }
        self.init(records: records)
    }

    /// The block by itself, or within the resources that Photoshop wraps around it.
    init?(profile: [UInt8]) {
        guard profile.first == 0x1C else {
            self.init(PhotoshopResources(profile))
            return
        }
        self.init(records: profile)
    }

    /// When the content was made, then when it was made digital.
    var takenAt: [CaptureTime] { [createdAt, digitizedAt].compactMap(\.self) }

    var createdAt: CaptureTime? { time(55, 60) }
    var digitizedAt: CaptureTime? { time(62, 63) }

    /// `19880809`, of which month and day may be zeros, and `101112+0200`. The standard has no signs between the numbers; many
    /// programs put them there, `1988-08-09` and `10:11:12+02:00`.
    private func time(_ date: UInt8, _ clock: UInt8) -> CaptureTime? {
        guard let written = texts[date] else { return nil }
        let day = Self.separated(written, [4, 2, 2]) ?? written
        guard let shown = texts[clock] else { return CivilTime(written: day).map(CaptureTime.init(exif:)) }
        let time = day + " " + (Self.separated(shown, [2, 2, 2]) ?? shown)
        return (CivilTime(time) ?? CivilTime(partial: time) ?? CivilTime(written: day)).map(CaptureTime.init(exif:))
    }

    /// Digits in groups, with colons between them and what follows behind; nil where they are no such row.
    private static func separated(_ text: String, _ counts: [Int]) -> String? {
        let digits = text.prefix(counts.reduce(0, +))
        guard digits.utf8.count == counts.reduce(0, +), digits.utf8.allSatisfy(TextScanner.isDigit) else { return nil }
        var (rest, groups): (Substring, [String]) = (digits, [])
        for count in counts {
            groups.append(String(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return groups.joined(separator: ":") + text.dropFirst(digits.count)
    }
}

/// Photoshop's image resources, in its own files and in those of others: `8BIM`, a number, a name, a length and the data,
/// with even lengths.
struct PhotoshopResources {
    private static let maximumCount = 1024
    static let introduction: StaticString = "Photoshop 3.0\0"

    /// How an entry begins: of Photoshop, ImageReady, PhotoDeluxe, Lightroom and its predecessors.
    private static let signatures: [StaticString] = ["8BIM", "MeSa", "PHUT", "AgHg", "DCSR"]

    private var places: [UInt16: Range<Int>] = [:]
    private let bytes: [UInt8]

    /// As far as they can be read.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var position = bytes.has(Self.introduction) ? Self.introduction.utf8CodeUnitCount : 0
        for _ in 0..<Self.maximumCount {
            guard Self.signatures.contains(where: { bytes.has($0, at: position) }),
                let number: UInt16 = bytes.integer(at: position + 4),
                let nameLength: UInt8 = bytes.integer(at: position + 6)
            else { return }
            let start = position + 6 + (Int(nameLength) + 2) / 2 * 2
            guard let length: UInt32 = bytes.integer(at: start), Int(length) <= bytes.count - start - 4 else { return }
            let end = start + 4 + Int(length)
            if places[number] == nil { places[number] = start + 4..<end }
            position = end + Int(length & 1)
        }
    }

    subscript(number: UInt16) -> [UInt8]? { places[number].map { [UInt8](bytes[$0]) } }
}
