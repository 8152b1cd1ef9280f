/// Portable Network Graphics: chunks of length, type, data and checksum (ISO 15948).
enum PNGFile {
    private static let maximumChunkCount = 2048

    static func facts(_ reader: BoundedReader) -> PictureFacts {
        var facts = PictureFacts()
        var position: UInt64 = 8
        for _ in 0..<maximumChunkCount {
            guard let head = reader.bytes(at: position, count: 8), let length: UInt32 = head.integer(at: 0) else {
                break
            }
            let type = String(decoding: head[4...], as: UTF8.self)
            if type == "IEND" { break }
            let end = position + 8 + UInt64(length)
            take(type, position + 8..<end, reader, into: &facts)
            position = end + 4
        }
        return facts
    }

    private static func take(
        _ type: String, _ range: Range<UInt64>, _ reader: BoundedReader, into facts: inout PictureFacts
    ) {
        switch type {
        case "IHDR":
            guard let head = reader.metadata(in: range), let width: UInt32 = head.integer(at: 0),
                let height: UInt32 = head.integer(at: 4)
            else { return }
            facts.size = PictureSize(width: width, height: height)
        case "eXIf" where facts.exif == nil: facts.exif = reader.metadata(in: range)
        case "acTL": facts.isAnimated = true
        case "tIME": facts.writtenAt = reader.metadata(in: range).flatMap(lastChange)
        case "tEXt", "zTXt", "iTXt": take(PNGText(type, in: range, reader), into: &facts)
        default: break
        }
    }

    /// When a program wrote the picture last, in UTC: year u16, month, day, hour, minute, second.
    private static func lastChange(_ chunk: [UInt8]) -> CaptureTime? {
        guard chunk.count == 7, let year: UInt16 = chunk.integer(at: 0),
            let time = CivilTime(
                year: Int(year), month: Int(chunk[2]), day: Int(chunk[3]), hour: Int(chunk[4]), minute: Int(chunk[5]),
                second: Int(chunk[6]))
        else { return nil }
        return CaptureTime(milliseconds: time.wallClockMilliseconds, isInstant: true, source: .fileTime)
    }

    private static func take(_ text: PNGText?, into facts: inout PictureFacts) {
        guard let text else { return }
        switch text.keyword.lowercased() {
        case "xml:com.adobe.xmp": facts.xmp = facts.xmp ?? text.content
        case "creation time": facts.takenAt = facts.takenAt ?? text.time
        // As ImageMagick keeps blocks for which PNG had no chunk once.
        case "raw profile type exif", "raw profile type app1":
            guard let profile = text.profile else { return }
            if profile.has(JPEGHeader.exifIntroduction) {
                facts.exif = facts.exif ?? [UInt8](profile.dropFirst(6))
            } else if profile.has(JPEGHeader.xmpIntroduction) {
                facts.xmp = facts.xmp ?? [UInt8](profile.dropFirst(JPEGHeader.xmpIntroduction.utf8CodeUnitCount))
            } else if profile.has("II*\0") || profile.has("MM\0*") {
                facts.exif = facts.exif ?? profile
            }
        case "raw profile type xmp": facts.xmp = facts.xmp ?? text.profile
        case "raw profile type iptc", "raw profile type 8bim":
            facts.iptc = facts.iptc ?? text.profile.flatMap(IPTCBlock.init(profile:))
        default: break
        }
    }
}

/// One text of a PNG file, of any of its three kinds.
struct PNGText {
    private static let longestKeyword = 79
    /// The longest text that is read as a date in words.
    private static let longestTime = 64

    let keyword: String
    let content: [UInt8]

    /// Nil for one that nobody here asks for, too: then nothing more of it is read.
    init?(_ type: String, in range: Range<UInt64>, _ reader: BoundedReader) {
        let length = range.upperBound - range.lowerBound
        guard let head = reader.bytes(at: range.lowerBound, count: Int(min(length, UInt64(Self.longestKeyword + 1)))),
            let keyEnd = head.firstIndex(of: 0)
        else { return nil }
        keyword = String(decoding: head[..<keyEnd], as: UTF8.self)
        let known = ["xml:com.adobe.xmp", "creation time"].contains(keyword.lowercased())
        guard known || keyword.lowercased().hasPrefix("raw profile type "), let all = reader.metadata(in: range),
            let content = Self.content(type, [UInt8](all.dropFirst(keyEnd + 1)), reader)
        else { return nil }
        self.content = content
    }

    private static func content(_ type: String, _ rest: [UInt8], _ reader: BoundedReader) -> [UInt8]? {
        switch type {
        case "tEXt": return rest
        // A method, of which there is one.
        case "zTXt": return inflated([UInt8](rest.dropFirst(1)), reader)
        default:
            // Whether it is compressed, the method, a language, the keyword in that language.
            guard let flag = rest.first else { return nil }
            let fields = rest.dropFirst(2).split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { return nil }
            return flag == 0 ? [UInt8](fields[2]) : inflated([UInt8](fields[2]), reader)
        }
    }

    private static func inflated(_ bytes: [UInt8], _ reader: BoundedReader) -> [UInt8]? {
        reader.unpacked { Inflation.inflated(bytes, atMost: $0) }
    }

    /// `2015:03:04 05:06:07` as Windows writes it, ISO 8601, or `Wed, 04 Mar 2015 05:06:07 +0100` as the standard wants it.
    var time: CaptureTime? {
        let written = content.prefix(Self.longestTime)
        // Older kinds of text are in Latin-1, in which a month may have its sign above a letter.
        let decoded =
            String(validating: written, as: UTF8.self)
            ?? String(String.UnicodeScalarView(written.map { UnicodeScalar($0) }))
        guard let text = Array(decoded.utf8).text else { return nil }
        return CivilTime(written: text).map(CaptureTime.init(exif:))
    }

    /// A name, the number of bytes, then the bytes in hexadecimal digits.
    var profile: [UInt8]? {
        let words = content.split { $0 == 0x0A || $0 == 0x20 || $0 == 0x0D }
        guard words.count > 2 else { return nil }
        var (bytes, upper): ([UInt8], UInt8?) = ([], nil)
        for digit in words.dropFirst(2).joined() {
            guard let value = Character(UnicodeScalar(digit)).hexDigitValue else { return nil }
            if let high = upper {
                bytes.append(high << 4 | UInt8(value))
                upper = nil
            } else {
                upper = UInt8(value)
            }
        }
        return bytes
    }
}
