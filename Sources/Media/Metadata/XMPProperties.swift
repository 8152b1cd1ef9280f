/// The properties of a packet that are wanted, by their customary names: `exif:DateTimeOriginal`.
///
/// A property belongs to the picture only where it stands in a node right below `rdf:RDF`, as an attribute or an element.
/// What lies deeper tells of others: of the pictures that it was made from (`xmpMM:Pantry`, `xmpMM:Ingredients`,
/// `xmpMM:DerivedFrom`) and of what was done to it (`xmpMM:History`).
struct XMPProperties {
    private static let mostBytes = 1 << 20
    private static let mostDepth = 64
    private static let mostBindings = 128
    private static let mostEntries = 16
    /// Of a text of several lines; of all others `longestValue`.
    private static let longestText = 8000
    private static let longestValue = 256
    private static let texts: Set<String> = ["dc:title", "dc:description"]

    private static let wanted: Set<String> = texts.union([
        "xmp:CreateDate", "xmp:ModifyDate", "xmp:Rating", "xmp:Label", "exif:DateTimeOriginal",
        "exif:DateTimeDigitized",
        "exif:GPSTimeStamp", "exif:GPSLatitude", "exif:GPSLongitude", "tiff:Make", "tiff:Model", "tiff:Orientation",
        "exifEX:LensModel", "aux:Lens", "photoshop:DateCreated", "xmpDM:shotDate", "hdrgm:Version",
        "GCamera:MotionPhoto", "GCamera:MicroVideo", "GCamera:MicroVideoOffset",
    ])

    /// By what they stand for, the customary prefixes: a packet may give any other to them, or forget to say it.
    private static let prefixes = [
        "http://ns.adobe.com/xap/1.0/": "xmp", "http://ns.adobe.com/tiff/1.0/": "tiff",
        "http://ns.adobe.com/exif/1.0/": "exif", "http://cipa.jp/exif/1.0/": "exifEX",
        "http://ns.adobe.com/exif/1.0/aux/": "aux", "http://ns.adobe.com/photoshop/1.0/": "photoshop",
        "http://ns.adobe.com/xmp/1.0/DynamicMedia/": "xmpDM", "http://purl.org/dc/elements/1.1/": "dc",
        "http://ns.google.com/photos/1.0/container/": "Container", "http://ns.adobe.com/hdr-gain-map/1.0/": "hdrgm",
        "http://ns.google.com/photos/1.0/container/item/": "Item", "http://ns.google.com/photos/1.0/camera/": "GCamera",
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf", "adobe:ns:meta/": "x",
        "http://www.w3.org/XML/1998/namespace": "xml",
    ]

    private enum Role {
        /// Above all nodes.
        case container
        case node
        case property(String)
        /// Of a property: a list, or the node that its value has.
        case inside
        /// The value itself, an entry of a list or `rdf:value`; of the language that stands for all.
        case value(isDefault: Bool)
        case directory
        case entry
        case field(String)
        case ignored
    }

    private struct Open {
        let name: Range<Int>
        let role: Role
        /// How many bindings of prefixes there were before it.
        let bindings: Int
    }

    private(set) var values: [String: String] = [:]
    /// Of Google's `Container:Directory`, in their order.
    private(set) var entries: [[String: String]] = []
    /// Whether anything in it says that it is XMP.
    private(set) var isPacket = false

    private let bytes: [UInt8]
    private var open: [Open] = []
    private var bindings: [(prefix: Range<Int>, customary: String?)] = []
    private var skippedDepth = 0
    /// Of the property that is open: what stands in it directly, and what stands in its values, the best first.
    private var direct: [UInt8] = []
    private var candidates: [String] = []
    private var hasDefault = false
    private var part: [UInt8] = []

    init(_ packet: [UInt8]) {
        var scanner = XMPScanner(XMPScanner.utf8([UInt8](packet.prefix(Self.mostBytes))))
        bytes = scanner.bytes
        while let piece = scanner.next() {
            switch piece {
            case .start(let name, let attributes, let isEmpty):
                start(name, attributes)
                if isEmpty { end(name) }
            case .end(let name): end(name)
            case .text(let range): take(range, isResolved: false)
            case .characterData(let range): take(range, isResolved: true)
            }
        }
    }

    // MARK: Marks

    private mutating func start(_ name: Range<Int>, _ attributes: [XMPScanner.Attribute]) {
        guard open.count < Self.mostDepth else {
            skippedDepth += 1
            return
        }
        let bindingCount = bindings.count
        for attribute in attributes { bind(attribute) }
        let role = role(of: name, attributes)
        open.append(Open(name: name, role: role, bindings: bindingCount))
        switch role {
        case .node: for attribute in attributes { note(customary(attribute: attribute.name), value(attribute)) }
        case .property:
            (direct, candidates, hasDefault) = ([], [], false)
            takeCandidates(attributes)
        case .inside, .value: takeCandidates(attributes)
        case .entry:
            for attribute in attributes {
                guard let field = customary(attribute: attribute.name), field.hasPrefix("Item:") else { continue }
                noteField(field, value(attribute))
            }
        case .field: part = []
        case .container, .directory, .ignored: break
        }
    }

    private mutating func role(of range: Range<Int>, _ attributes: [XMPScanner.Attribute]) -> Role {
        let name = customary(range)
        switch open.last?.role {
        case nil, .container, .node:
            // By these names alone: what they stand in was written in several ways.
            if ["RDF", "xmpmeta", "xapmeta"].contains(local(range)) {
                isPacket = true
                return .container
            }
            if let role = property(name) { return role }
            if case .node = open.last?.role { return .ignored }
            return .node
        case .property, .inside, .value: return ofValue(name, attributes)
        case .directory:
            guard name == "rdf:li" else { return name?.hasPrefix("rdf:") == true ? .directory : .ignored }
            guard entries.count < Self.mostEntries else { return .ignored }
            entries.append([:])
            return .entry
        case .entry:
            guard let name, name.hasPrefix("Item:") else { return .entry }
            return .field(name)
        case .field, .ignored: return .ignored
        }
    }

    private func property(_ name: String?) -> Role? {
        guard let name else { return nil }
        if name == "Container:Directory" { return .directory }
        return Self.wanted.contains(name) ? .property(name) : nil
    }

    private mutating func ofValue(_ name: String?, _ attributes: [XMPScanner.Attribute]) -> Role {
        switch name {
        case "rdf:li", "rdf:value":
            part = []
            let language = attributes.first { customary(attribute: $0.name) == "xml:lang" }.flatMap(value)
            return .value(isDefault: language == "x-default")
        case let name? where name.hasPrefix("rdf:"): return .inside
        default: return .ignored
        }
    }

    /// Marks that are closed in another order than they were opened close what lies in them, too.
    private mutating func end(_ name: Range<Int>) {
        guard skippedDepth == 0 else {
            skippedDepth -= 1
            return
        }
        guard let last = open.lastIndex(where: { bytes[$0.name] == bytes[name] }) else { return }
        while open.count > last { close(open.removeLast()) }
    }

    private mutating func close(_ element: Open) {
        switch element.role {
        case .property(let name):
            note(name, direct.text)
            for candidate in candidates { note(name, candidate) }
        case .value(let isDefault):
            takeCandidate(part.text, isDefault: isDefault)
            part = []
        case .field(let name):
            noteField(name, part.text)
            part = []
        default: break
        }
        bindings.removeLast(max(0, bindings.count - element.bindings))
    }

    // MARK: Values

    private mutating func take(_ range: Range<Int>, isResolved: Bool) {
        let most = Self.longestText * 4
        switch open.last?.role {
        case .property where direct.count < most:
            direct += isResolved ? bytes[range] : XMPScanner.resolved(bytes[range])[...]
        case .value where part.count < most, .field where part.count < most:
            part += isResolved ? bytes[range] : XMPScanner.resolved(bytes[range])[...]
        default: break
        }
    }

    /// As attributes, short values of elements stand there: `rdf:resource="…"`, `rdf:value="…"`.
    private mutating func takeCandidates(_ attributes: [XMPScanner.Attribute]) {
        for attribute in attributes {
            let name = customary(attribute: attribute.name)
            if name == "rdf:resource" || name == "rdf:value" { takeCandidate(value(attribute), isDefault: false) }
        }
    }

    private mutating func takeCandidate(_ text: String?, isDefault: Bool) {
        guard let text, candidates.count < Self.mostEntries || isDefault && !hasDefault else { return }
        if isDefault, !hasDefault {
            candidates.insert(text, at: 0)
            hasDefault = true
        } else {
            candidates.append(text)
        }
    }

    private func value(_ attribute: XMPScanner.Attribute) -> String? {
        guard attribute.value.count <= Self.longestText * 4 else { return nil }
        return XMPScanner.resolved(bytes[attribute.value]).text
    }

    /// The first that says something.
    private mutating func note(_ name: String?, _ text: String?) {
        guard let name, let text, Self.wanted.contains(name), values[name] == nil else { return }
        guard !Self.texts.contains(name) else {
            values[name] = String(text.prefix(Self.longestText))
            return
        }
        if text.utf8.count <= Self.longestValue { values[name] = text }
    }

    private mutating func noteField(_ name: String, _ text: String?) {
        guard let text, text.utf8.count <= Self.longestValue, let last = entries.indices.last,
            entries[last][name] == nil
        else { return }
        entries[last][name] = text
    }

    // MARK: Names

    private mutating func bind(_ attribute: XMPScanner.Attribute) {
        guard bytes[attribute.name].starts(with: "xmlns".utf8), bindings.count < Self.mostBindings else { return }
        let isPrefixed = bytes.has(":", at: attribute.name.lowerBound + 5) && attribute.name.count > 6
        guard isPrefixed || attribute.name.count == 5 else { return }
        let prefix = attribute.name.lowerBound + (isPrefixed ? 6 : 5)..<attribute.name.upperBound
        let namespace = value(attribute) ?? ""
        bindings.append((prefix, Self.prefixes[namespace]))
    }

    /// With the customary prefix; nil for what stands in no namespace that is known.
    private func customary(_ name: Range<Int>) -> String? {
        let colon = bytes[name].firstIndex(of: UInt8(ascii: ":"))
        let prefix = bytes[name.lowerBound..<(colon ?? name.lowerBound)]
        if let bound = bindings.last(where: { bytes[$0.prefix] == prefix }) {
            return bound.customary.map { "\($0):\(local(name))" }
        }
        return colon == nil ? nil : String(decoding: bytes[name], as: UTF8.self)
    }

    /// Attributes without a prefix are in no namespace.
    private func customary(attribute name: Range<Int>) -> String? {
        bytes[name].contains(UInt8(ascii: ":")) ? customary(name) : nil
    }

    private func local(_ name: Range<Int>) -> String {
        let start = bytes[name].firstIndex(of: UInt8(ascii: ":")).map { $0 + 1 } ?? name.lowerBound
        return String(decoding: bytes[start..<name.upperBound], as: UTF8.self)
    }
}
