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
