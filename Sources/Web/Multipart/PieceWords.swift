/// What clients say in words of their own, in a request's head, its address or a form: that what they send is one piece of
/// a file, which one, and how many there are. Every library has other names for it, and all are built alike:
/// `dztotalchunkcount`, `resumableChunkNumber`, `X-Chunk-Offset`, `qqpartindex`, `Upload-Offset`, `{"TotalCount": 3}`.
struct PieceWords {
    /// It is the only piece.
    private var isOneOfOne = false
    /// It is a piece, unless there is only one.
    private var namesPiece = false
    /// It is one of several, or begins behind the file's beginning: nothing that comes later can say otherwise.
    private(set) var isPiece = false

    /// Whether what was added says that this is not a whole file.
    var sayPiece: Bool { isPiece || namesPiece && !isOneOfOne }

    /// What is looked at of a value, in bytes.
    static let valueByteCount = 1024
    /// Of a name, and of the fields of one upload: no library has longer ones, or more.
    private static let nameByteCount = 64
    private static let mostFields = 64
    private var fieldCount = 0

    private enum Meaning {
        case count, piece, offset, range, flag
    }

    private static let stems = [
        "chunk", "offset", "range", "part", "piece", "segment", "slice", "fragment", "block", "blob", "startbyte",
        "metadata", "append", "resume",
    ].map { Array($0.utf8) }
    private static let pieces: Set = ["part", "piece", "segment", "slice", "fragment", "block", "blob"]
    private static let plurals: Set = ["chunks", "parts", "pieces", "segments", "slices", "fragments", "blocks"]
    private static let orders: Set = [
        "number", "num", "no", "nr", "index", "idx", "id", "current", "upload", "total", "count", "of",
    ]
    private static let glued: Set = [
        "qqpartindex", "qqtotalparts", "partnumber", "partindex", "partnum", "totalparts", "partcount", "partid",
        "blockid", "blobindex", "sliceindex", "segmentindex", "pieceindex",
    ]

    /// Whether a field of this name is worth reading. Cheap, for it is asked of every field of every upload.
    static func mayBe(_ name: some StringProtocol) -> Bool {
        guard name.utf8.count <= nameByteCount else { return false }
        // No separators, as in what is compared with them.
        let letters = name.utf8.lazy.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }.map { $0 | 0x20 }
        let bytes = Array(letters)
        return stems.contains { stem in
            bytes.count >= stem.count
                && (0...bytes.count - stem.count).contains { bytes[$0] == stem[0] && bytes[$0...].starts(with: stem) }
        }
    }

    /// Takes a field, whatever it says.
    mutating func add(_ name: some StringProtocol, _ value: some StringProtocol) {
        guard Self.mayBe(name), !value.isEmpty, value.utf8.count <= Self.valueByteCount, fieldCount < Self.mostFields
        else { return }
        fieldCount += 1
        let text = value.drop { $0 == " " }
        guard !text.hasPrefix("{") else { return addMembers(of: String(text), in: String(name)) }
        var words = Self.words(of: String(name))
        // `X-Part` is `part`, as a field of a head.
        if words.first == "x" { words.removeFirst() }
        switch Self.meaning(words) {
        case .count:
            guard let count = Int(text) else { return }
            if count > 1 { isPiece = true } else { isOneOfOne = true }
        case .piece: namesPiece = namesPiece || Self.isSaid(words.joined(), text.lowercased())
        case .offset: isPiece = isPiece || Int(text).map { $0 != 0 } ?? false
        case .range: isPiece = isPiece || !["bytes=0-", "0-"].contains(text.lowercased())
        case .flag: isPiece = isPiece || ["true", "1", "yes", "append", "?1"].contains(text.lowercased())
        case nil: break
        }
    }

    /// `chunked` may say no, and a word such as `part` alone means a piece with a number only.
    private static func isSaid(_ name: String, _ value: String) -> Bool {
        if name.hasSuffix("chunked") { return !["0", "?0", "false", "no"].contains(value) }
        guard pieces.contains(name) else { return true }
        // `2`, `2/5`, `2 of 5`
        let behind = value.drop { $0.isASCII && $0.isNumber }
        return behind.count < value.count
            && (behind.isEmpty || ["/", "of"].contains(where: behind.drop { $0 == " " }.hasPrefix))
    }

    /// Of a flat object in JSON, in which some libraries put these fields together.
    private mutating func addMembers(of object: String, in name: String) {
        for member in object.split(whereSeparator: { "{},".contains($0) }) {
            let sides = member.split(separator: ":", maxSplits: 1).map { $0.filter { !"\" ".contains($0) } }
            guard sides.count == 2 else { continue }
            // `Index` means something beside `chunk` alone.
            add(Self.mayBe(sides[0]) ? sides[0] : "\(name)-\(sides[0])", sides[1])
        }
    }

    private static func meaning(_ words: [String]) -> Meaning? {
        let name = words.joined()
        func has(_ parts: String...) -> Bool { parts.contains { name.contains($0) } }
        if has("contentrange", "updaterange", "filerange", "byterange", "uploadrange")
            || ["range", "msrange"].contains(name)
        {
            return .range
        }
        // A camera has offsets, too, and so have time zones.
        if has("startbyte") || name == "offset" || has("offset") && has("byte", "chunk", "file", "part", "upload") {
            return .offset
        }
        if ["append", "resume", "partial"].contains(name) { return .flag }
        let isOfPieces =
            name.contains("chunk") || glued.contains(name) || pieces.contains(name)
            || words.contains { plurals.contains($0) }
            || words.contains { pieces.contains($0) } && words.contains { orders.contains($0) }
        guard isOfPieces, !has("size", "length", "bytes") else { return nil }
        return has("total", "count", "chunks", "parts", "pieces", "segments", "slices", "fragments", "blocks")
            ? .count : .piece
    }

    /// `resumableChunkNumber`, `X-Chunk-Number` and `chunk_number` in words, in small letters.
    private static func words(of name: String) -> [String] {
        var words = [""]
        var isBehindSmall = false
        for character in name {
            guard character.isLetter || character.isNumber else {
                words.append("")
                continue
            }
            if isBehindSmall, character.isUppercase { words.append("") }
            words[words.count - 1] += character.lowercased()
            isBehindSmall = character.isLowercase
        }
        return words.filter { !$0.isEmpty }
    }
}
