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
        document bytes: [UInt8], atMost limit: Int = XMLPullParser.mostBytes
    ) throws(XMLPullParser.Failure) {
        var parser = try XMLPullParser(bytes, atMost: limit)
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
    package var inner: String {
        content.map { part in
            switch part {
            case .text(let text): XMLText.escaped(text)
            case .element(let element): element.outer
            }
        }.joined()
    }

    private var outer: String {
        var prefixes: [String] = []
        var start = name.local
        if !name.namespace.isEmpty {
            start += " xmlns=\"\(XMLText.escaped(name.namespace))\""
        } else {
            start += " xmlns=\"\""
        }
        for attribute in attributes {
            if attribute.name.namespace.isEmpty {
                start += " \(attribute.name.local)"
            } else if attribute.name.namespace == "http://www.w3.org/XML/1998/namespace" {
                start += " xml:\(attribute.name.local)"
            } else {
                prefixes.append("a\(prefixes.count)")
                start += " xmlns:a\(prefixes.count - 1)=\"\(XMLText.escaped(attribute.name.namespace))\""
                start += " a\(prefixes.count - 1):\(attribute.name.local)"
            }
            start += "=\"\(XMLText.escaped(attribute.value))\""
        }
        return content.isEmpty ? "<\(start)/>" : "<\(start)>\(inner)</\(name.local)>"
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
