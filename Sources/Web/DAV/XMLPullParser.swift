/// Reads the XML of a WebDAV request (XML 1.0 with namespaces), event by event, from bytes that lie in memory.
///
/// Strict where others are kind, because what is odd in such a body is an attack or a defect: no document type, so no
/// entities but the five of XML itself, nothing external, nothing that grows; UTF-8 alone; hard limits for depth,
/// attributes and names.
package struct XMLPullParser {
    /// The first thing that is wrong.
    package struct Failure: Error, Equatable {
        package let reason: String
    }

    /// A name without its prefix, and what that stands for; empty for no namespace.
    package struct Name: Hashable, Sendable {
        package var namespace: String
        package var local: String

        package init(_ namespace: String, _ local: String) {
            self.namespace = namespace
            self.local = local
        }
    }

    package struct Attribute: Equatable, Sendable {
        package var name: Name
        package var value: String
    }

    package enum Event: Equatable {
        case start(Name, [Attribute])
        case text(String)
        case end
    }

    package static let mostBytes = 64 * 1024
    static let mostDepth = 32
    static let mostAttributes = 64
    static let longestName = 256
    private static let namespaceOfXML = "http://www.w3.org/XML/1998/namespace"

    private struct Open {
        let rawName: String
        /// How many bindings of prefixes there were before it.
        let bindings: Int
    }

    private let bytes: [UInt8]
    private var index = 0
    private var open: [Open] = []
    private var bindings: [(prefix: String, namespace: String)] = [("xml", namespaceOfXML), ("", "")]
    private var hasRoot = false
    /// An element without content has begun, and ends with the next event.
    private var endsNext = false

    /// - Throws: for more than 64 KiB, for another encoding than UTF-8, and for characters that XML forbids.
    package init(_ bytes: [UInt8]) throws(Failure) {
        guard bytes.count <= Self.mostBytes else { throw Failure(reason: "it is too long") }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Failure(reason: "it is not UTF-8") }
        guard text.unicodeScalars.allSatisfy(\.isXMLCharacter) else {
            throw Failure(reason: "it holds a character that XML forbids")
        }
        self.bytes = bytes
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { index = 3 }
        if startsHere("<?xml"), index + 5 < bytes.count, Self.isSpace(bytes[index + 5]) { try skipDeclaration() }
    }

    /// Nil behind the root element's end, and what follows that.
    package mutating func next() throws(Failure) -> Event? {
        if endsNext {
            endsNext = false
            close()
            return .end
        }
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "<") else {
                let text = try readText()
                if !open.isEmpty { return .text(text) }
                guard text.utf8.allSatisfy(Self.isSpace) else { throw Failure(reason: "text stands outside its root") }
                continue
            }
            if startsHere("<!--") {
                try skipComment()
            } else if startsHere("<?") {
                try skipInstruction()
            } else if startsHere("<![CDATA[") {
                guard !open.isEmpty else { throw Failure(reason: "text stands outside its root") }
                return .text(try readCharacterData())
            } else if startsHere("<!") {
                throw Failure(reason: "it declares a document type")
            } else if startsHere("</") {
                try readEnd()
                return .end
            } else {
                return try readStart()
            }
        }
        guard open.isEmpty, hasRoot else { throw Failure(reason: "it ends too early") }
        return nil
    }

    // MARK: Elements

    private mutating func readStart() throws(Failure) -> Event {
        guard !open.isEmpty || !hasRoot else { throw Failure(reason: "it has two roots") }
        guard open.count < Self.mostDepth else { throw Failure(reason: "its elements lie too deep") }
        index += 1
        let rawName = try readName()
        var raw: [(name: String, value: String)] = []
        while true {
            let hadSpace = skipSpace()
            if takes(">") { break }
            if takes("/>") {
                endsNext = true
                break
            }
            guard hadSpace else { throw Failure(reason: "blanks are missing between attributes") }
            guard raw.count < Self.mostAttributes else { throw Failure(reason: "an element has too many attributes") }
            let name = try readName()
            _ = skipSpace()
            guard takes("=") else { throw Failure(reason: "an attribute has no value") }
            _ = skipSpace()
            guard !raw.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
                throw Failure(reason: "an attribute stands twice")
            }
            raw.append((name, try readValue()))
        }
        open.append(Open(rawName: rawName, bindings: bindings.count))
        hasRoot = true
        for (name, value) in raw { try bind(name, value) }
        var attributes: [Attribute] = []
        for (name, value) in raw where name != "xmlns" && !name.hasPrefix("xmlns:") {
            let full = try resolve(name, isAttribute: true)
            guard !attributes.contains(where: { $0.name == full }) else {
                throw Failure(reason: "an attribute stands twice")
            }
            attributes.append(Attribute(name: full, value: value))
        }
        return .start(try resolve(rawName, isAttribute: false), attributes)
    }

    private mutating func readEnd() throws(Failure) {
        index += 2
        let name = try readName()
        _ = skipSpace()
        guard takes(">"), let last = open.last, last.rawName.utf8.elementsEqual(name.utf8) else {
            throw Failure(reason: "an element is not closed")
        }
        close()
    }

    private mutating func close() {
        guard let last = open.popLast() else { return }
        bindings.removeLast(bindings.count - last.bindings)
    }

    /// Notes what a prefix stands for within the element.
    private mutating func bind(_ name: String, _ value: String) throws(Failure) {
        if name == "xmlns" { return bindings.append(("", value)) }
        guard name.hasPrefix("xmlns:") else { return }
        let prefix = String(name.dropFirst(6))
        guard !value.isEmpty, prefix != "xmlns", (prefix == "xml") == (value == Self.namespaceOfXML) else {
            throw Failure(reason: "a prefix stands for nothing")
        }
        bindings.append((prefix, value))
    }

    private func resolve(_ rawName: String, isAttribute: Bool) throws(Failure) -> Name {
        let parts = rawName.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        switch parts.count {
        case 1 where isAttribute: return Name("", rawName)
        case 1: return Name(bindings.last { $0.prefix.isEmpty }?.namespace ?? "", rawName)
        case 2 where !parts[0].isEmpty && Self.startsName(parts[1]):
            guard let binding = bindings.last(where: { $0.prefix == parts[0] }) else {
                throw Failure(reason: "a prefix stands for nothing")
            }
            return Name(binding.namespace, parts[1])
        default: throw Failure(reason: "a name has two colons")
        }
    }

    // MARK: Pieces

    private mutating func readName() throws(Failure) -> String {
        let start = index
        while index < bytes.count, Self.isOfName(bytes[index]) { index += 1 }
        let name = String(decoding: bytes[start..<index], as: UTF8.self)
        guard name.utf8.count <= Self.longestName else { throw Failure(reason: "a name is too long") }
        guard Self.startsName(name) else { throw Failure(reason: "a name is missing") }
        return name
    }

    private mutating func readValue() throws(Failure) -> String {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'") else {
            throw Failure(reason: "an attribute's value is not quoted")
        }
        let quote = bytes[index]
        index += 1
        let start = index
        while index < bytes.count, bytes[index] != quote {
            guard bytes[index] != UInt8(ascii: "<") else {
                throw Failure(reason: "an attribute's value holds a bracket")
            }
            index += 1
        }
        guard index < bytes.count else { throw Failure(reason: "it ends too early") }
        defer { index += 1 }
        return try unescaped(bytes[start..<index])
    }

    private mutating func readText() throws(Failure) -> String {
        let start = index
        while index < bytes.count, bytes[index] != UInt8(ascii: "<") {
            guard !startsHere("]]>") else { throw Failure(reason: "text ends what did not begin") }
            index += 1
        }
        return try unescaped(bytes[start..<index])
    }

    private mutating func readCharacterData() throws(Failure) -> String {
        let start = index + 9
        index = try end(of: "]]>", from: start)
        return String(decoding: bytes[start..<index - 3], as: UTF8.self)
    }

    /// The five entities of XML, and characters by their numbers.
    private func unescaped(_ raw: ArraySlice<UInt8>) throws(Failure) -> String {
        guard raw.contains(UInt8(ascii: "&")) else { return String(decoding: raw, as: UTF8.self) }
        var text: [UInt8] = []
        var rest = raw
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "&") else {
                text.append(byte)
                continue
            }
            guard let end = rest.prefix(12).firstIndex(of: UInt8(ascii: ";")),
                let scalar = Self.scalar(of: rest[..<end])
            else { throw Failure(reason: "an entity is unknown") }
            text += Array(String(Character(scalar)).utf8)
            rest = rest[(end + 1)...]
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func scalar(of entity: ArraySlice<UInt8>) -> Unicode.Scalar? {
        let name = String(decoding: entity, as: UTF8.self)
        switch name {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard name.hasPrefix("#") else { return nil }
        let digits = name.hasPrefix("#x") ? name.dropFirst(2) : name.dropFirst()
        guard digits.utf8.allSatisfy({ $0.hexadecimalDigit != nil }),
            let number = UInt32(digits, radix: name.hasPrefix("#x") ? 16 : 10),
            let scalar = Unicode.Scalar(number), scalar.isXMLCharacter
        else { return nil }
        return scalar
    }

    // MARK: What is skipped

    private mutating func skipDeclaration() throws(Failure) {
        let start = index
        index = try end(of: "?>", from: index)
        let text = String(decoding: bytes[start..<index], as: UTF8.self).lowercased()
        guard let encoding = text.firstRange(of: "encoding") else { return }
        let value = text[encoding.upperBound...].drop { " \t\r\n='\"".contains($0) }
            .prefix { !"'\" \t\r\n?".contains($0) }
        guard value == "utf-8" || value == "us-ascii" else { throw Failure(reason: "it is not UTF-8") }
    }

    private mutating func skipInstruction() throws(Failure) {
        let start = index
        index = try end(of: "?>", from: index + 2)
        guard String(decoding: bytes[start + 2..<index - 2].prefix(3), as: UTF8.self).lowercased() != "xml" else {
            throw Failure(reason: "its declaration does not stand at its beginning")
        }
    }

    private mutating func skipComment() throws(Failure) {
        let start = index + 4
        index = try end(of: "--", from: start)
        guard takes(">") else { throw Failure(reason: "a comment holds two hyphens") }
    }

    /// The index behind the next such mark.
    private func end(of mark: String, from start: Int) throws(Failure) -> Int {
        let mark = Array(mark.utf8)
        var place = start
        while place + mark.count <= bytes.count {
            if bytes[place..<place + mark.count].elementsEqual(mark) { return place + mark.count }
            place += 1
        }
        throw Failure(reason: "it ends too early")
    }

    private mutating func skipSpace() -> Bool {
        let start = index
        while index < bytes.count, Self.isSpace(bytes[index]) { index += 1 }
        return index > start
    }

    private func startsHere(_ mark: StaticString) -> Bool {
        let count = mark.utf8CodeUnitCount
        guard index + count <= bytes.count else { return false }
        return UnsafeBufferPointer(start: mark.utf8Start, count: count).elementsEqual(bytes[index..<index + count])
    }

    private mutating func takes(_ mark: StaticString) -> Bool {
        guard startsHere(mark) else { return false }
        index += mark.utf8CodeUnitCount
        return true
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: ":"), 0x80...:
            true
        default: false
        }
    }

    private static func startsName(_ name: String) -> Bool {
        guard let first = name.utf8.first else { return false }
        return isOfName(first) && !"-.0123456789:".utf8.contains(first)
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
