package import Bytes
package import NIOCore

/// Reads `multipart/form-data` (RFC 7578) as it arrives, in pieces of any size.
///
/// Push a piece, then pull events until `nil`; after the last piece call `finish()`. The parser holds at most one
/// part's header; the bytes of bodies are handed out as slices of the pieces. Linear in the input.
package struct MultipartParser {
    private enum State {
        case preamble
        /// Behind a boundary: `--`, or blanks and CR LF. Only they make it one, so the part before it ends there and not
        /// earlier: a client that is refused must not find its file kept.
        case afterBoundary(seen: [UInt8], endsPart: Bool)
        case header(MultipartPartHeader)
        case body
        case epilogue
        /// An error was thrown; it stays.
        case failed
    }

    private let limits: MultipartLimits
    private let allowance: Allowance
    private var search: MultipartDelimiterSearch
    private var state = State.preamble
    private var input = ByteBuffer()
    private var partCount = 0
    private var preambleByteCount = 0

    /// - Parameter allowance: what the parts and their headers are taken from.
    package init(boundary: MultipartBoundary, limits: MultipartLimits = .init(), from allowance: Allowance) {
        self.limits = limits
        self.allowance = allowance
        search = MultipartDelimiterSearch(boundary: boundary)
    }

    /// Takes the next piece of the body. All events of the piece before must have been pulled.
    package mutating func push(_ piece: ByteBuffer) {
        if input.readableBytes == 0 {
            input = piece
        } else {
            input.writeImmutableBuffer(piece)
        }
    }

    /// The next event, or `nil` when more bytes are needed.
    package mutating func next() throws(WebError) -> MultipartEvent? {
        while true {
            switch state {
            case .preamble:
                guard try skipPreamble() else { return nil }
            case .afterBoundary(let seen, let endsPart):
                guard try readAfterBoundary(seen, endsPart: endsPart) else { return nil }
                if endsPart { return .partEnd }
            case .header(let header):
                guard let part = try readHeader(header) else { return nil }
                return .partBegin(part)
            case .body:
                switch search.next(in: &input) {
                case .needsMore: return nil
                case .content(let slice): return .body(slice)
                case .delimiter: state = .afterBoundary(seen: [], endsPart: true)
                }
            case .epilogue:
                input.clear()
                return nil
            case .failed:
                throw .malformedMultipart("the form was refused before")
            }
        }
    }

    /// The closing boundary has come.
    package var isClosed: Bool { if case .epilogue = state { true } else { false } }

    /// Says that the body has ended.
    /// - Throws: `bodyEndedEarly` when the closing boundary never came.
    package func finish() throws(WebError) {
        guard isClosed else { throw .bodyEndedEarly }
    }

    private mutating func skipPreamble() throws(WebError) -> Bool {
        while true {
            switch search.next(in: &input) {
            case .needsMore:
                return false
            case .content(let slice):
                preambleByteCount += slice.readableBytes
                guard preambleByteCount <= limits.preambleByteCount else {
                    throw .malformedMultipart("the first boundary is missing")
                }
            case .delimiter:
                state = .afterBoundary(seen: [], endsPart: false)
                return true
            }
        }
    }

    private mutating func readAfterBoundary(_ before: [UInt8], endsPart: Bool) throws(WebError) -> Bool {
        var seen = before
        while let byte: UInt8 = input.readInteger() {
            switch (seen.last, byte) {
            case (UInt8(ascii: "-"), UInt8(ascii: "-")):
                state = .epilogue
                return true
            case (0x0d, 0x0a):
                partCount += 1
                guard partCount <= limits.partCount else { throw .tooManyParts(limit: limits.partCount) }
                do { try allowance.take(.names, 1) } catch { throw .tooMuch }
                state = .header(MultipartPartHeader(limit: limits.partHeaderByteCount))
                return true
            case (nil, UInt8(ascii: "-")), (nil, 0x0d), (0x20, 0x0d), (nil, 0x20), (0x20, 0x20):
                seen = [byte]
            case (nil, 0x09), (0x20, 0x09):
                seen = [0x20]
            default:
                throw .malformedMultipart("a boundary line does not end in CR LF")
            }
        }
        state = .afterBoundary(seen: seen, endsPart: endsPart)
        return false
    }

    private mutating func readHeader(_ before: MultipartPartHeader) throws(WebError) -> MultipartPart? {
        var header = before
        // The state must not keep a second reference to the line being collected, or each byte would copy it.
        state = .failed
        while let byte: UInt8 = input.readInteger() {
            if let part = try header.append(byte) {
                search.beginBody()
                state = .body
                return part
            }
        }
        state = .header(header)
        return nil
    }
}

/// What a `MultipartParser` found next.
package enum MultipartEvent: Equatable, Sendable {
    /// A part begins; its body follows.
    case partBegin(MultipartPart)
    /// The next bytes of the current part's body: a slice of what was pushed, never empty.
    case body(ByteBuffer)
    /// The current part is complete.
    case partEnd
}

/// The head of one part of a form.
package struct MultipartPart: Equatable, Sendable {
    /// The form field's name; empty for a file without one.
    package let name: String
    /// The file's name, exactly as chosen; `nil` for a plain field, empty when a file field was left empty.
    package let filename: String?
    /// The type that the client guessed; not to be trusted.
    package let contentType: String?
    /// How many bytes its body has, by the client's own word; few say it.
    package let byteCount: UInt64?

    package init(name: String, filename: String? = nil, contentType: String? = nil, byteCount: UInt64? = nil) {
        self.name = name
        self.filename = filename
        self.contentType = contentType
        self.byteCount = byteCount
    }
}

/// Bounds on what one `multipart/form-data` body may ask of the parser.
package struct MultipartLimits: Sendable {
    /// Parts in one body: 10,000 files, and the fields that stand beside them.
    package var partCount = 10_100
    /// Bytes in the header block of one part.
    package var partHeaderByteCount = 16 * 1024
    /// Bytes before the first boundary, all of them thrown away.
    package var preambleByteCount = 64 * 1024

    package init() {}
}

/// The boundary parameter of a `multipart/form-data` content type: 1 to 70 characters, of RFC 2046's `bchars` and some
/// more that clients take, as Android's samples do with asterisks.
package struct MultipartBoundary: Equatable, Sendable {
    package let text: String

    /// Takes the boundary from the value of a `Content-Type` field.
    /// - Throws: `unsupportedMediaType` for another type, `malformedMultipart` for a missing or impossible boundary.
    package init(contentType: String) throws(WebError) {
        let field: ParameterizedField
        do {
            field = try ParameterizedField(parsing: Array(contentType.utf8), quoting: .header)
        } catch {
            throw .malformedMultipart("the content type cannot be read")
        }
        guard field.value == "multipart/form-data" else { throw .unsupportedMediaType }
        guard let bytes = field.parameters["boundary"], let boundary = Self(bytes) else {
            throw .malformedMultipart("the boundary is missing or is not 1 to 70 allowed characters")
        }
        self = boundary
    }

    init?(_ bytes: [UInt8]) {
        guard (1...70).contains(bytes.count), bytes.last != UInt8(ascii: " "), bytes.allSatisfy(Self.isAllowed) else {
            return nil
        }
        text = String(decoding: bytes, as: UTF8.self)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default:
            "'()+_,-./:=? *&@!#$%^`{|}~".utf8.contains(byte)
        }
    }
}

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
        let text = String(decoding: value, as: UTF8.self)
        // Of a file's name, the marks beyond that are left out.
        guard name == "content-disposition" || text.isStreamSafe else {
            throw .malformedMultipart("a part's header holds too many marks on one character")
        }
        switch name {
        case "content-disposition":
            guard disposition == nil, let parsed = try? ContentDisposition(parsing: value, quoting: .form) else {
                throw .malformedMultipart("a part's Content-Disposition cannot be read")
            }
            disposition = parsed
        case "content-type":
            guard contentType == nil, String(validating: value, as: UTF8.self) != nil else {
                throw .malformedMultipart("a part's Content-Type cannot be read")
            }
            contentType = text
        case "content-length":
            guard contentLength == nil else { throw .malformedMultipart("a part has two lengths") }
            contentLength = UInt64(text)
        case "content-encoding":
            guard text.lowercased() == "identity" else {
                throw .unsupportedContentEncoding
            }
        case "content-transfer-encoding":
            try ContentFields.requirePlain(text)
        default:
            pieces.add(name, text)
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
