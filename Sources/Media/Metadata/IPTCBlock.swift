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

    /// When the content was made, then when it was made digital.
    var takenAt: [CaptureTime] { [createdAt, digitizedAt].compactMap(\.self) }

    var createdAt: CaptureTime? { time(55, 60) }
    var digitizedAt: CaptureTime? { time(62, 63) }

    /// `19880809`, of which month and day may be zeros, and `101112+0200`.
    private func time(_ date: UInt8, _ clock: UInt8) -> CaptureTime? {
        guard let digits = texts[date].map({ Array($0.utf8) }), digits.count == 8 else { return nil }
        let day = [digits[..<4], digits[4..<6], digits[6...]].map { String(decoding: $0, as: UTF8.self) }
        var text = day.joined(separator: ":")
        if let digits = texts[clock].map({ Array($0.utf8) }), digits.count >= 6 {
            let parts = [digits[..<2], digits[2..<4], digits[4...]].map { String(decoding: $0, as: UTF8.self) }
            text += " " + parts.joined(separator: ":")
        }
        return CivilTime(partial: text).map(CaptureTime.init(exif:))
    }
}
