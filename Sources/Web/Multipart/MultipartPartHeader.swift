/// Collects the header lines of one part, byte for byte, until the empty line.
struct MultipartPartHeader {
    private var line: [UInt8] = []
    private var byteCount = 0
    private var disposition: ContentDisposition?
    private var contentType: String?
    private var contentLength: UInt64?
    private var pieces = PieceWords()
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes the next byte; the finished head once the empty line is complete.
    ///
    /// Lines end in CR LF alone. Everything that could be read in two ways is refused: bare CR or LF, folded lines,
    /// control characters, fields given twice.
    mutating func append(_ byte: UInt8) throws(WebError) -> MultipartPart? {
        byteCount += 1
        guard byteCount <= limit else { throw .malformedMultipart("a part's header is too long") }
        if line.last == 0x0d {
            guard byte == 0x0a else { throw .malformedMultipart("a part's header holds a bare CR") }
            line.removeLast()
            guard !line.isEmpty else { return try finish() }
            try readLine()
            line.removeAll(keepingCapacity: true)
            return nil
        }
        guard byte >= 0x20 && byte != 0x7f || byte == 0x09 || byte == 0x0d else {
            throw .malformedMultipart("a part's header holds a control character")
        }
        line.append(byte)
        return nil
    }

    private mutating func readLine() throws(WebError) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            line[..<colon].allSatisfy({ $0 > 0x20 && $0 < 0x7f })
        else { throw .malformedMultipart("a part's header line has no name") }
        let value = Array(line[(colon + 1)...].trimmingBlanks())
        let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        switch name {
        case "content-disposition":
            guard disposition == nil, let parsed = try? ContentDisposition(parsing: value, quoting: .form) else {
                throw .malformedMultipart("a part's Content-Disposition cannot be read")
            }
            disposition = parsed
        case "content-type":
            guard contentType == nil, let text = String(validating: value, as: UTF8.self) else {
                throw .malformedMultipart("a part's Content-Type cannot be read")
            }
            contentType = text
        case "content-length":
            guard contentLength == nil else { throw .malformedMultipart("a part has two lengths") }
            contentLength = UInt64(String(decoding: value, as: UTF8.self))
        case "content-encoding":
            guard String(decoding: value, as: UTF8.self).lowercased() == "identity" else {
                throw .unsupportedContentEncoding
            }
        case "content-transfer-encoding":
            try ContentFields.requirePlain(String(decoding: value, as: UTF8.self))
        default:
            pieces.add(name, String(decoding: value, as: UTF8.self))
        }
    }

    private func finish() throws(WebError) -> MultipartPart {
        try ContentFields.requireWhole(type: contentType)
        guard !pieces.sayPiece else { throw .partOfFile }
        // As browsers did it once: several files in one part. Its envelope is no photo.
        guard contentType?.lowercased().hasPrefix("multipart/") != true else {
            throw .malformedMultipart("a part is a form of its own")
        }
        // Where the name of a form's field is missing the part is told by the rest: a photo counts more than its name.
        return MultipartPart(
            name: disposition?.name ?? "", filename: disposition?.filename, contentType: contentType,
            byteCount: contentLength)
    }
}
