package import Bytes

/// An element with all that is in it, of a document that is small, see `XMLPullParser.mostBytes`.
package struct XMLElement: Sendable {
    package enum Content: Sendable {
        case element(XMLElement)
        case text(String)
    }

    package let name: XMLPullParser.Name
    package let attributes: [XMLPullParser.Attribute]
    package private(set) var content: [Content] = []

    package init(_ name: XMLPullParser.Name, _ attributes: [XMLPullParser.Attribute] = []) {
        self.name = name
        self.attributes = attributes
    }

    /// The whole document.
    package init(
        document bytes: [UInt8], atMost limit: Int = XMLPullParser.mostBytes, names: Int = XMLPullParser.mostNames,
        from allowance: Allowance
    ) throws(XMLPullParser.Failure) {
        var parser = try XMLPullParser(bytes, atMost: limit, names: names, from: allowance)
        var open: [XMLElement] = []
        var root: XMLElement?
        while let event = try parser.next() {
            switch event {
            case .start(let name, let attributes): open.append(XMLElement(name, attributes))
            case .text(let text): open[open.count - 1].content.append(.text(text))
            case .end:
                let done = open.removeLast()
                if open.isEmpty { root = done } else { open[open.count - 1].content.append(.element(done)) }
            }
        }
        guard let root else { throw XMLPullParser.Failure(reason: "it is empty") }
        self = root
    }

    package var elements: [XMLElement] {
        content.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    package func first(_ name: XMLPullParser.Name) -> XMLElement? { elements.first { $0.name == name } }

    /// What is written in it, without elements.
    package var text: String {
        content.map { if case .text(let text) = $0 { text } else { "" } }.joined()
    }

    /// Everything within it as XML that means the same anywhere.
    /// - Parameter limit: bytes of UTF-8 that it has at most.
    /// - Throws: `Spent` for more.
    package func inner(atMost limit: Int, from allowance: Allowance) throws(Allowance.Spent) -> String {
        var writer = XMLWriter(limit: limit)
        try writer.write(content, within: nil)
        try allowance.take(.memory, writer.text.utf8.count)
        return writer.text
    }
}

/// Writes elements again whose prefixes are gone. A namespace is declared where it differs from the one around it, so that
/// what comes out is about as long as what came in, and it has an end.
private struct XMLWriter {
    private static let namespaceOfXML = "http://www.w3.org/XML/1998/namespace"

    let limit: Int
    var text = ""

    init(limit: Int) { self.limit = limit }

    /// - Parameter namespace: what a name without a prefix stands for there; nil where that is unknown.
    mutating func write(_ content: [XMLElement.Content], within namespace: String?) throws(Allowance.Spent) {
        for part in content {
            switch part {
            case .text(let value): try append(escaped: value)
            case .element(let element): try write(element, within: namespace)
            }
        }
    }

    private mutating func write(_ element: XMLElement, within namespace: String?) throws(Allowance.Spent) {
        try append("<\(element.name.local)")
        if element.name.namespace != namespace { try declare("xmlns", element.name.namespace) }
        var prefixes: [String: String] = [:]
        for attribute in element.attributes {
            let name = attribute.name
            switch name.namespace {
            case "": try append(" \(name.local)")
            case Self.namespaceOfXML: try append(" xml:\(name.local)")
            default:
                let prefix = prefixes[name.namespace] ?? "a\(prefixes.count)"
                if prefixes.updateValue(prefix, forKey: name.namespace) == nil {
                    try declare("xmlns:\(prefix)", name.namespace)
                }
                try append(" \(prefix):\(name.local)")
            }
            try append("=\"")
            try append(escaped: attribute.value)
            try append("\"")
        }
        guard !element.content.isEmpty else { return try append("/>") }
        try append(">")
        try write(element.content, within: element.name.namespace)
        try append("</\(element.name.local)>")
    }

    private mutating func declare(_ name: String, _ namespace: String) throws(Allowance.Spent) {
        try append(" \(name)=\"")
        try append(escaped: namespace)
        try append("\"")
    }

    /// What is escaped is no shorter than what it was.
    private mutating func append(escaped value: String) throws(Allowance.Spent) {
        guard value.utf8.count <= limit - text.utf8.count else { throw Allowance.Spent(resource: .memory) }
        try append(XMLText.escaped(value))
    }

    private mutating func append(_ piece: String) throws(Allowance.Spent) {
        guard piece.utf8.count <= limit - text.utf8.count else { throw Allowance.Spent(resource: .memory) }
        text += piece
    }
}

/// Text within XML, and within HTML.
package enum XMLText {
    /// For content and for values between quotation marks of either kind, with its line ends as they are; what XML cannot
    /// hold becomes the mark for that.
    package static func escaped(_ text: String) -> String {
        guard
            text.utf8.contains(where: {
                $0 < 0x20 || $0 == 0x22 || $0 == 0x26 || $0 == 0x27 || $0 == 0x3c || $0 == 0x3e || $0 == 0xef
            })
        else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'", "\t", "\n", "\r": escaped += "&#\(scalar.value);"
            default: escaped.unicodeScalars.append(scalar.isXMLCharacter ? scalar : "\u{fffd}")
            }
        }
        return escaped
    }
}
