import Bytes

/// Reads the characters of a document that lies in memory: names, values, texts and marks. What they mean together is
/// said by `XMLPullParser`.
struct XMLScanner {
    private let bytes: [UInt8]
    private var index = 0

    /// - Throws: for more than `limit` bytes, for another encoding than UTF-8, and for characters that XML forbids.
    init(_ bytes: [UInt8], atMost limit: Int) throws(XMLPullParser.Failure) {
        guard bytes.count <= limit else { throw XMLPullParser.Failure(reason: "it is too long") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw XMLPullParser.Failure(reason: "it is not UTF-8")
        }
        guard text.unicodeScalars.allSatisfy(\.isXMLCharacter), text.isStreamSafe else {
            throw XMLPullParser.Failure(reason: "it holds a character that XML forbids, or too many marks on one")
        }
        self.bytes = bytes
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { index = 3 }
        if startsHere("<?xml"), index + 5 < bytes.count, Self.isSpace(bytes[index + 5]) { try skipDeclaration() }
    }

    enum Piece {
        case text(String)
        /// As it stands between its marks.
        case characterData(String)
        /// Behind the bracket of a tag.
        case startTag
        case endTag
    }

    /// Nil at the end. Comments and instructions are left out.
    mutating func next() throws(XMLPullParser.Failure) -> Piece? {
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "<") else { return .text(try readText()) }
            if startsHere("<!--") {
                try skipComment()
            } else if startsHere("<?") {
                try skipInstruction()
            } else if startsHere("<![CDATA[") {
                return .characterData(try readCharacterData())
            } else if startsHere("<!") {
                throw XMLPullParser.Failure(reason: "it declares a document type")
            } else {
                let isEnd = startsHere("</")
                index += isEnd ? 2 : 1
                return isEnd ? .endTag : .startTag
            }
        }
        return nil
    }

    mutating func readName() throws(XMLPullParser.Failure) -> String {
        let start = index
        while index < bytes.count, Self.isOfName(bytes[index]) { index += 1 }
        let name = String(decoding: bytes[start..<index], as: UTF8.self)
        guard name.utf8.count <= XMLPullParser.longestName else {
            throw XMLPullParser.Failure(reason: "a name is too long")
        }
        guard Self.startsName(name) else { throw XMLPullParser.Failure(reason: "a name is missing") }
        return name
    }

    mutating func readValue() throws(XMLPullParser.Failure) -> String {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'") else {
            throw XMLPullParser.Failure(reason: "an attribute's value is not quoted")
        }
        let quote = bytes[index]
        index += 1
        let start = index
        while index < bytes.count, bytes[index] != quote {
            guard bytes[index] != UInt8(ascii: "<") else {
                throw XMLPullParser.Failure(reason: "an attribute's value holds a bracket")
            }
            index += 1
        }
        guard index < bytes.count else { throw XMLPullParser.Failure(reason: "it ends too early") }
        defer { index += 1 }
        return try unescaped(bytes[start..<index])
    }

    private mutating func readText() throws(XMLPullParser.Failure) -> String {
        let start = index
        while index < bytes.count, bytes[index] != UInt8(ascii: "<") {
            guard bytes[index] != UInt8(ascii: "]") || !startsHere("]]>") else {
                throw XMLPullParser.Failure(reason: "text ends what did not begin")
            }
            index += 1
        }
        return try unescaped(bytes[start..<index])
    }

    private mutating func readCharacterData() throws(XMLPullParser.Failure) -> String {
        let start = index + 9
        index = try end(of: "]]>", from: start)
        return String(decoding: bytes[start..<index - 3], as: UTF8.self)
    }

    /// The five entities of XML, and characters by their numbers.
    private func unescaped(_ raw: ArraySlice<UInt8>) throws(XMLPullParser.Failure) -> String {
        guard raw.contains(UInt8(ascii: "&")) else { return String(decoding: raw, as: UTF8.self) }
        var text: [UInt8] = []
        var rest = raw
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "&") else {
                text.append(byte)
                continue
            }
            guard let end = rest.prefix(12).firstIndex(of: UInt8(ascii: ";")),
                let scalar = XMLReference.scalar(rest[..<end]), scalar.isXMLCharacter,
                let character = UTF8.encode(scalar)
            else { throw XMLPullParser.Failure(reason: "an entity is unknown") }
            text += character
            rest = rest[(end + 1)...]
        }
        let unescaped = String(decoding: text, as: UTF8.self)
        guard unescaped.isStreamSafe else {
            throw XMLPullParser.Failure(reason: "it holds too many marks on one character")
        }
        return unescaped
    }

    // MARK: What is skipped

    private static let longestDeclaration = 256

    private mutating func skipDeclaration() throws(XMLPullParser.Failure) {
        let start = index
        index = try end(of: "?>", from: index)
        guard index - start <= Self.longestDeclaration else {
            throw XMLPullParser.Failure(reason: "its declaration is too long")
        }
        let text = String(decoding: bytes[start..<index], as: UTF8.self).lowercased()
        guard let encoding = text.firstRange(of: "encoding") else { return }
        let value = text[encoding.upperBound...].drop { " \t\r\n='\"".contains($0) }
            .prefix { !"'\" \t\r\n?".contains($0) }
        guard value == "utf-8" || value == "us-ascii" else { throw XMLPullParser.Failure(reason: "it is not UTF-8") }
    }

    private mutating func skipInstruction() throws(XMLPullParser.Failure) {
        let start = index
        index = try end(of: "?>", from: index + 2)
        guard String(decoding: bytes[start + 2..<index - 2].prefix(3), as: UTF8.self).lowercased() != "xml" else {
            throw XMLPullParser.Failure(reason: "its declaration does not stand at its beginning")
        }
    }

    private mutating func skipComment() throws(XMLPullParser.Failure) {
        let start = index + 4
        index = try end(of: "--", from: start)
        guard takes(">") else { throw XMLPullParser.Failure(reason: "a comment holds two hyphens") }
    }

    /// The index behind the next such mark.
    private func end(of mark: StaticString, from start: Int) throws(XMLPullParser.Failure) -> Int {
        var place = start
        while place < bytes.count {
            if starts(mark, at: place) { return place + mark.utf8CodeUnitCount }
            place += 1
        }
        throw XMLPullParser.Failure(reason: "it ends too early")
    }

    mutating func skipSpace() -> Bool {
        let start = index
        while index < bytes.count, Self.isSpace(bytes[index]) { index += 1 }
        return index > start
    }

    private func startsHere(_ mark: StaticString) -> Bool { starts(mark, at: index) }

    /// Asked for nearly each byte: no slices are made for it.
    private func starts(_ mark: StaticString, at place: Int) -> Bool {
        guard place + mark.utf8CodeUnitCount <= bytes.count else { return false }
        for offset in 0..<mark.utf8CodeUnitCount where bytes[place + offset] != mark.utf8Start[offset] { return false }
        return true
    }

    mutating func takes(_ mark: StaticString) -> Bool {
        guard startsHere(mark) else { return false }
        index += mark.utf8CodeUnitCount
        return true
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: ":"), 0x80...:
            true
        default: false
        }
    }

    static func startsName(_ name: some StringProtocol) -> Bool {
        guard let first = name.utf8.first else { return false }
        // Digits and what stands around them; the colon follows them.
        return isOfName(first) && !(UInt8(ascii: "-")...UInt8(ascii: ":")).contains(first)
    }
}

extension Unicode.Scalar {
    /// `Char` of XML 1.0.
    package var isXMLCharacter: Bool {
        switch value {
        case 0x09, 0x0a, 0x0d, 0x20...0xd7ff, 0xe000...0xfffd, 0x10000...0x10ffff: true
        default: false
        }
    }
}

/// What stands between `&` and `;`.
package enum XMLReference {
    private static let named: [(name: String, scalar: Unicode.Scalar)] = [
        ("lt", "<"), ("gt", ">"), ("amp", "&"), ("quot", "\""), ("apos", "'"),
    ]

    /// One of the five entities of XML, or a character by its number, which may be one that XML forbids. Nil for all else.
    package static func scalar(_ body: ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard body.first == UInt8(ascii: "#") else {
            return named.first { $0.name.utf8.elementsEqual(body) }?.scalar
        }
        let isHexadecimal = body.dropFirst().first == UInt8(ascii: "x")
        let digits = body.dropFirst(isHexadecimal ? 2 : 1)
        // The initialiser below takes signs, too.
        guard digits.first.map({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) == true else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self), radix: isHexadecimal ? 16 : 10)
            .flatMap(Unicode.Scalar.init)
    }
}
