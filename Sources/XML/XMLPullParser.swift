package import Bytes

/// Reads XML 1.0 with namespaces, event by event, from bytes that lie in memory: what a client of WebDAV sends, and what
/// an object store answers.
///
/// Strict where others are kind, because what is odd in such a body is an attack or a defect: no document type, so no
/// entities but the five of XML itself, nothing external, nothing that grows; UTF-8 alone; hard limits for depth,
/// attributes, names and namespaces. What it reads is taken from the allowance of whoever sent it.
package struct XMLPullParser {
    /// The first thing that is wrong.
    package struct Failure: Error, Equatable {
        package let reason: String
        /// What of the allowance does not suffice, where nothing else is wrong.
        package var spent: Allowance.Resource?
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

    /// Of a document whose reader says nothing else.
    package static let mostBytes = 64 * 1024
    /// Elements and attributes of such a document: ten times what the longest of a program has, and read in two milliseconds.
    package static let mostNames = 2048
    static let mostDepth = 32
    static let mostAttributes = 64
    /// Prefixes that stand for something at the same place, so that looking one up stays short.
    static let mostBindings = 64
    /// Of a name with its prefix, and of a namespace, in bytes.
    static let longestName = 256
    /// What an element or an attribute takes in memory beside its text, at least.
    private static let bytesPerName = 192
    private static let namespaceOfXML = "http://www.w3.org/XML/1998/namespace"

    private struct Open {
        let rawName: String
        /// How many bindings of prefixes there were before it.
        let bindings: Int
    }

    private let allowance: Allowance
    private var scanner: XMLScanner
    private var open: [Open] = []
    private var bindings: [(prefix: String, namespace: String)] = [("xml", namespaceOfXML), ("", "")]
    private var hasRoot = false
    /// An element without content has begun, and ends with the next event.
    private var endsNext = false
    private var namesLeft: Int

    /// - Throws: for more than `limit` bytes, for another encoding than UTF-8, and for characters that XML forbids.
    package init(
        _ bytes: [UInt8], atMost limit: Int = mostBytes, names: Int = mostNames, from allowance: Allowance
    ) throws(Failure) {
        self.allowance = allowance
        namesLeft = names
        scanner = try XMLScanner(bytes, atMost: limit)
        // Texts and values are no longer than the document.
        try take(.memory, bytes.count)
    }

    /// Nil behind the root element's end, and what follows that.
    package mutating func next() throws(Failure) -> Event? {
        if endsNext {
            endsNext = false
            close()
            return .end
        }
        while let piece = try scanner.next() {
            switch piece {
            case .text(let text) where open.isEmpty:
                guard text.utf8.allSatisfy(XMLScanner.isSpace) else {
                    throw Failure(reason: "text stands outside its root")
                }
            case .text(let text): return .text(text)
            case .characterData(let text):
                guard !open.isEmpty else { throw Failure(reason: "text stands outside its root") }
                return .text(text)
            case .startTag: return try readStart()
            case .endTag:
                try readEnd()
                return .end
            }
        }
        guard open.isEmpty, hasRoot else { throw Failure(reason: "it ends too early") }
        return nil
    }

    private func take(_ resource: Allowance.Resource, _ count: Int) throws(Failure) {
        do { try allowance.take(resource, count) } catch {
            throw Failure(reason: "it holds more than may be read", spent: error.resource)
        }
    }

    private mutating func takeName() throws(Failure) {
        guard namesLeft > 0 else { throw Failure(reason: "it has too many elements and attributes") }
        namesLeft -= 1
        try take(.names, 1)
        try take(.memory, Self.bytesPerName)
    }

    // MARK: Elements

    private mutating func readStart() throws(Failure) -> Event {
        guard !open.isEmpty || !hasRoot else { throw Failure(reason: "it has two roots") }
        guard open.count < Self.mostDepth else { throw Failure(reason: "its elements lie too deep") }
        try takeName()
        let rawName = try scanner.readName()
        var raw: [(name: String, value: String)] = []
        var rawNames: Set<String> = []
        while true {
            let hadSpace = scanner.skipSpace()
            if scanner.takes(">") { break }
            if scanner.takes("/>") {
                endsNext = true
                break
            }
            guard hadSpace else { throw Failure(reason: "blanks are missing between attributes") }
            guard raw.count < Self.mostAttributes else { throw Failure(reason: "an element has too many attributes") }
            try takeName()
            let name = try scanner.readName()
            _ = scanner.skipSpace()
            guard scanner.takes("=") else { throw Failure(reason: "an attribute has no value") }
            _ = scanner.skipSpace()
            guard rawNames.insert(name).inserted else { throw Failure(reason: "an attribute stands twice") }
            raw.append((name, try scanner.readValue()))
        }
        open.append(Open(rawName: rawName, bindings: bindings.count))
        hasRoot = true
        for (name, value) in raw { try bind(name, value) }
        var attributes: [Attribute] = []
        // Two prefixes may stand for one namespace; a name without one is in none.
        var inNamespaces: Set<Name> = []
        for (name, value) in raw where name != "xmlns" && !name.hasPrefix("xmlns:") {
            let full = try resolve(name, isAttribute: true)
            guard full.namespace.isEmpty || inNamespaces.insert(full).inserted else {
                throw Failure(reason: "an attribute stands twice")
            }
            attributes.append(Attribute(name: full, value: value))
        }
        return .start(try resolve(rawName, isAttribute: false), attributes)
    }

    private mutating func readEnd() throws(Failure) {
        let name = try scanner.readName()
        _ = scanner.skipSpace()
        guard scanner.takes(">"), let last = open.last, last.rawName == name else {
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
        guard name == "xmlns" || name.hasPrefix("xmlns:") else { return }
        guard value.utf8.count <= Self.longestName else { throw Failure(reason: "a namespace is too long") }
        guard bindings.count < Self.mostBindings else { throw Failure(reason: "it has too many namespaces") }
        if name == "xmlns" { return bindings.append(("", value)) }
        let prefix = String(name.dropFirst(6))
        guard !value.isEmpty, prefix != "xmlns", (prefix == "xml") == (value == Self.namespaceOfXML) else {
            throw Failure(reason: "a prefix stands for nothing")
        }
        bindings.append((prefix, value))
    }

    private func resolve(_ rawName: String, isAttribute: Bool) throws(Failure) -> Name {
        guard let colon = rawName.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            return Name(isAttribute ? "" : bindings.last { $0.prefix.isEmpty }?.namespace ?? "", rawName)
        }
        let prefix = rawName[..<colon]
        let local = rawName[rawName.utf8.index(after: colon)...]
        guard !prefix.isEmpty, !local.utf8.contains(UInt8(ascii: ":")), XMLScanner.startsName(local) else {
            throw Failure(reason: "a name has two colons")
        }
        guard let binding = bindings.last(where: { $0.prefix == prefix }) else {
            throw Failure(reason: "a prefix stands for nothing")
        }
        return Name(binding.namespace, String(local))
    }
}
