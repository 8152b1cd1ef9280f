/// Audio Video Interleave: RIFF lists, in which cameras of 2000 to 2012 wrote their clock in one of three ways.
struct AVIFile {
    private static let maximumChunkCount = 256
    /// The longest text that is read as a date in words.
    private static let longestTime = 64

    private let reader: BoundedReader
    private(set) var size: PictureSize?
    private(set) var duration: Duration?
    /// What the camera's clock showed.
    private(set) var times: [CaptureTime] = []
    private(set) var exif: ExifFacts?

    init(_ reader: BoundedReader) {
        self.reader = reader
        take(12..<max(12, reader.byteCount), depth: 0)
    }

    private mutating func take(_ range: Range<UInt64>, depth: Int) {
        var position = range.lowerBound
        for _ in 0..<Self.maximumChunkCount {
            guard position < range.upperBound, let head = reader.bytes(at: position, count: 8),
                let length: UInt32 = head.integer(at: 4, isLittleEndian: true)
            else { return }
            let end = min(position + 8 + UInt64(length), range.upperBound)
            guard end >= position + 8 else { return }
            if head.has("LIST"), depth < 3 {
                takeList(position + 8..<end, depth)
            } else {
                takeChunk(String(decoding: head[..<4], as: UTF8.self), position + 8..<end)
            }
            position += 8 + UInt64(length) + UInt64(length & 1)
        }
    }

    /// The pictures themselves are not looked at.
    private mutating func takeList(_ range: Range<UInt64>, _ depth: Int) {
        guard range.count >= 4, let type = reader.bytes(at: range.lowerBound, count: 4), !type.has("movi") else {
            return
        }
        take(range.lowerBound + 4..<range.upperBound, depth: depth + 1)
    }

    private mutating func takeChunk(_ type: String, _ range: Range<UInt64>) {
        guard range.count <= 1 << 16, ["avih", "IDIT", "ICRD", "nctg", "strd"].contains(type),
            let payload = reader.bytes(at: range.lowerBound, count: range.count)
        else { return }
        switch type {
        case "avih": takeHeader(payload)
        case "nctg": takeNikon(payload)
        case "strd": takeStreamData(payload)
        default: if let text = payload.text { takeTime(text) }
        }
    }

    private mutating func takeHeader(_ header: [UInt8]) {
        func number(_ offset: Int) -> UInt32 { header.integer(at: offset, isLittleEndian: true) ?? 0 }
        size = PictureSize(width: number(32), height: number(36))
        let microseconds = UInt64(number(0)) * UInt64(number(16))
        duration = microseconds == 0 ? nil : Duration(units: microseconds, perSecond: 1_000_000)
    }

    /// `THU AUG 12 14:37:14 2003`, `2003:08:12 14:37:14`, `2005/08/17/ 11:42`, `2001/ 1/27  1:42PM`.
    private mutating func takeTime(_ text: String) {
        let text = String(text.prefix(Self.longestTime))
        let joined = text.split(separator: "/ ").joined(separator: " ")
        let read = [CivilTime(words: text), CivilTime(partial: joined), CivilTime(partial: text)].compactMap(\.self)
        guard let time = read.first(where: { $0.precision == .moment }) ?? read.first else { return }
        times.append(CaptureTime(time, source: .container))
    }

    /// Nikon's list: number u16, length u16, value; 0x13 is when it was taken.
    private mutating func takeNikon(_ list: [UInt8]) {
        var position = 0
        for _ in 0..<256 {
            guard let tag: UInt16 = list.integer(at: position, isLittleEndian: true),
                let length: UInt16 = list.integer(at: position + 2, isLittleEndian: true),
                let value = list.bytes(at: position + 4, count: Int(length))
            else { return }
            if tag == 0x13, let text = value.text { takeTime(text) }
            position += 4 + value.count
        }
    }

    /// `AVIF` and EXIF's directories, which count from behind these eight bytes.
    private mutating func takeStreamData(_ data: [UInt8]) {
        guard data.has("AVIF"), data.count > 16 else { return }
        let block = BoundedReader([UInt8](data.dropFirst(8)))
        let tiff = TIFFReader(block, base: 0, isLittleEndian: true, firstDirectory: 0)
        exif = tiff.directory(at: 0).map {
            ExifFacts(
                main: $0, exif: $0.directory(TIFFTag.exifDirectory), gps: $0.directory(TIFFTag.gpsDirectory))
        }
    }
}
