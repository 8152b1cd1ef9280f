import XML

/// Cuts a packet of XMP into its marks and texts, in one pass.
///
/// It is no strict parser of XML: a packet is untrusted text that may be cut, and of which little is wanted. Nothing is
/// resolved but the five names of XML and numbers of characters, so nothing grows, and nothing outside is looked at.
struct XMPScanner {
    struct Attribute {
        let name: Range<Int>
        let value: Range<Int>
    }

    enum Piece {
        case start(name: Range<Int>, attributes: [Attribute], isEmpty: Bool)
        case end(name: Range<Int>)
        /// Between two marks, with references in it.
        case text(Range<Int>)
        /// As it stands, without references.
        case characterData(Range<Int>)
    }

    /// Programs for raw files write some hundred settings into one mark.
    private static let mostAttributes = 4096

    let bytes: [UInt8]
    /// Behind the piece that was given last.
    private(set) var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Nil at the end, and where a mark is not closed.
    mutating func next() -> Piece? {
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "<") else {
                let start = index
                index = bytes[start...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
                return .text(start..<index)
            }
            if bytes.has("<!--", at: index) {
                index = end(of: "-->", from: index + 4) ?? bytes.count
            } else if bytes.has("<![CDATA[", at: index) {
                let start = index + 9
                guard let end = end(of: "]]>", from: start) else { break }
                index = end
                return .characterData(start..<end - 3)
            } else if bytes.has("<?", at: index) {
                index = end(of: "?>", from: index + 2) ?? bytes.count
            } else if bytes.has("<!", at: index) {
                skipDeclaration()
            } else if bytes.has("</", at: index) {
                index += 2
                let name = takeName()
                guard let close = bytes[index...].firstIndex(of: UInt8(ascii: ">")) else { break }
                index = close + 1
                return .end(name: name)
            } else {
                index += 1
                return takeStart()
            }
        }
        index = bytes.count
        return nil
    }

    private mutating func takeStart() -> Piece? {
        let name = takeName()
        var attributes: [Attribute] = []
        while true {
            skipSpace()
            guard index < bytes.count else { return nil }
            let isEmpty = bytes.has("/>", at: index)
            if isEmpty || bytes[index] == UInt8(ascii: ">") {
                index += isEmpty ? 2 : 1
                return .start(name: name, attributes: attributes, isEmpty: isEmpty)
            }
            let attribute = takeName()
            skipSpace()
            guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else {
                // What is no attribute is stepped over.
                if attribute.isEmpty { index += 1 }
                continue
            }
            index += 1
            skipSpace()
            guard index < bytes.count else { return nil }
            guard bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'") else {
                _ = takeName()
                continue
            }
            guard let end = bytes[(index + 1)...].firstIndex(of: bytes[index]) else { return nil }
            if attributes.count < Self.mostAttributes {
                attributes.append(Attribute(name: attribute, value: index + 1..<end))
            }
            index = end + 1
        }
    }

    private mutating func takeName() -> Range<Int> {
        let start = index
        while index < bytes.count, !Self.isSpace(bytes[index]), !"<>=/\"'".utf8.contains(bytes[index]) { index += 1 }
        return start..<index
    }

    /// Of a document's type, with the declarations in its brackets.
    private mutating func skipDeclaration() {
        var depth = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                index = (bytes[index...].firstIndex(of: byte) ?? bytes.count - 1) + 1
            case UInt8(ascii: ">") where depth <= 0: return
            default: break
            }
        }
    }

    private mutating func skipSpace() {
        while index < bytes.count, Self.isSpace(bytes[index]) { index += 1 }
    }

    /// Behind the next such mark.
    private func end(of mark: StaticString, from start: Int) -> Int? {
        var place = start
        while place < bytes.count, let found = bytes[place...].firstIndex(of: mark.utf8Start.pointee) {
            if bytes.has(mark, at: found) { return found + mark.utf8CodeUnitCount }
            place = found + 1
        }
        return nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
}

extension XMPScanner {
    /// Text with its references resolved; what is none of XML's own stays as it is.
    static func resolved(_ raw: ArraySlice<UInt8>) -> [UInt8] {
        var (text, rest): ([UInt8], ArraySlice<UInt8>) = ([], raw)
        while let mark = rest.firstIndex(of: UInt8(ascii: "&")) {
            text += rest[..<mark]
            let body = rest[(mark + 1)...].prefix(10)
            if let end = body.firstIndex(of: UInt8(ascii: ";")), let scalar = XMLReference.scalar(body[..<end]) {
                text += Array(String(Character(scalar)).utf8)
                rest = rest[(end + 1)...]
            } else {
                text.append(UInt8(ascii: "&"))
                rest = rest[(mark + 1)...]
            }
        }
        return text + rest
    }

    /// A packet may be written in UTF-8, UTF-16 or UTF-32, of either byte order (XMP, part 1): told by how it begins.
    static func utf8(_ bytes: [UInt8]) -> [UInt8] {
        let marks: [(start: [UInt8], width: Int, isLittleEndian: Bool)] = [
            ([0xEF, 0xBB, 0xBF], 1, true), ([0xFF, 0xFE, 0, 0], 4, true), ([0x3C, 0, 0, 0], 4, true),
            ([0, 0, 0xFE, 0xFF], 4, false), ([0, 0, 0, 0x3C], 4, false), ([0xFF, 0xFE], 2, true), ([0x3C, 0], 2, true),
            ([0xFE, 0xFF], 2, false), ([0, 0x3C], 2, false),
        ]
        guard let mark = marks.first(where: { bytes.starts(with: $0.start) }) else { return bytes }
        let content = mark.start.contains(0x3C) ? bytes : Array(bytes.dropFirst(mark.start.count))
        switch mark.width {
        case 1: return content
        case 2:
            let units = stride(from: 0, to: content.count - 1, by: 2).map {
                content.integer(UInt16.self, at: $0, isLittleEndian: mark.isLittleEndian) ?? 0
            }
            return Array(String(decoding: units, as: UTF16.self).utf8)
        default:
            let units = stride(from: 0, to: content.count - 3, by: 4).map {
                content.integer(UInt32.self, at: $0, isLittleEndian: mark.isLittleEndian) ?? 0
            }
            return Array(String(decoding: units, as: UTF32.self).utf8)
        }
    }
}
