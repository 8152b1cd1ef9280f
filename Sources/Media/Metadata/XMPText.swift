/// The text of a packet, of which parts are taken out and into which others are put: all else stays as somebody's program
/// wrote it, byte for byte.
struct XMPText {
    private(set) var bytes: [UInt8]
    /// What the packet calls RDF's namespace.
    let rdfPrefix: String

    /// In a node right below `rdf:RDF`: a property, as an attribute or an element with all that is in it.
    private struct Property {
        let name: String?
        let range: Range<Int>
    }

    private struct Node {
        var range: Range<Int>
        var properties: [Property]
    }

    private struct Layout {
        var nodes: [Node] = []
        /// The end mark of `rdf:RDF`, or all of a mark that is empty.
        var end: Range<Int>?
        var isEmpty = false
        var prefix = ""
    }

    /// Nil for what is no packet: that has no `rdf:RDF` with a prefix, or one that is never closed.
    init?(_ packet: [UInt8]) {
        let layout = Self.layout(of: packet)
        guard layout.end != nil, !layout.prefix.isEmpty else { return nil }
        bytes = packet
        rdfPrefix = layout.prefix
    }

    func has(_ name: String) -> Bool {
        Self.layout(of: bytes).nodes.contains { $0.properties.contains { $0.name == name } }
    }

    /// What an export of this program put there. A node into which somebody else's program wrote, too, is theirs by now: it
    /// loses only what nobody else writes.
    mutating func removeOwn() {
        var ranges: [Range<Int>] = []
        for node in Self.layout(of: bytes).nodes {
            let own = node.properties.filter { $0.name?.hasPrefix("safelight:") == true }
            guard !own.isEmpty else { continue }
            let isOwn = node.properties.allSatisfy { $0.name.map(Self.written.contains) ?? false }
            ranges += isOwn ? [node.range] : own.map(\.range)
        }
        remove(ranges)
    }

    /// All that an export writes.
    private static let written: Set<String> = [
        "safelight:Version", "safelight:Favourite", "safelight:Archived", "safelight:DateBy", "safelight:Albums",
        "xmp:Rating",
        "exif:DateTimeOriginal", "photoshop:DateCreated", "exif:GPSLatitude", "exif:GPSLongitude", "exif:GPSAltitude",
        "exif:GPSAltitudeRef", "dc:description", "dc:subject", "digiKam:TagsList",
        "crs:HasCrop", "crs:CropLeft", "crs:CropTop", "crs:CropRight", "crs:CropBottom", "crs:CropAngle",
    ]

    mutating func remove(_ names: Set<String>) {
        guard !names.isEmpty else { return }
        let properties = Self.layout(of: bytes).nodes.flatMap(\.properties)
        remove(properties.filter { $0.name.map(names.contains) ?? false }.map(\.range))
    }

    /// Puts a node behind all others.
    mutating func insert(_ node: String) {
        let layout = Self.layout(of: bytes)
        guard let end = layout.end else { return }
        guard !layout.isEmpty else {
            let opened = Array(bytes[end].dropLast(2)) + [UInt8(ascii: ">")]
            bytes.replaceSubrange(end, with: opened + Array("\n  \(node)\n </\(rdfPrefix):RDF>".utf8))
            return
        }
        bytes.insert(contentsOf: Array("\n  \(node)".utf8), at: Self.withBlanksBefore(end, bytes).lowerBound)
    }

    private mutating func remove(_ ranges: [Range<Int>]) {
        for range in ranges.sorted(by: { $0.lowerBound > $1.lowerBound }) {
            bytes.removeSubrange(Self.withBlanksBefore(range, bytes))
        }
    }

    private static func withBlanksBefore(_ range: Range<Int>, _ bytes: [UInt8]) -> Range<Int> {
        var start = range.lowerBound
        while start > 0, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[start - 1]) { start -= 1 }
        return start..<range.upperBound
    }

    // MARK: Where what stands

    private static func layout(of bytes: [UInt8]) -> Layout {
        var (scanner, names) = (XMPScanner(bytes), XMPNames(bytes))
        var (layout, rdfDepth): (Layout, Int?) = (Layout(), nil)
        var open: [(name: Range<Int>, bindings: Int)] = []
        func close(_ end: Range<Int>) {
            guard let rdfDepth, open.count > rdfDepth else { return }
            let depth = open.count - rdfDepth
            guard let node = layout.nodes.indices.last else { return }
            if depth == 1 {
                layout.nodes[node].range = layout.nodes[node].range.lowerBound..<end.upperBound
            } else if depth == 2, let last = layout.nodes[node].properties.indices.last {
                let property = layout.nodes[node].properties[last]
                layout.nodes[node].properties[last] = Property(
                    name: property.name, range: property.range.lowerBound..<end.upperBound)
            }
        }
        while let piece = scanner.next() {
            switch piece {
            case .start(let name, let attributes, let isEmpty):
                let range = name.lowerBound - 1..<scanner.index
                let bindings = names.count
                names.bind(attributes)
                if let rdfDepth {
                    let depth = open.count - rdfDepth
                    if depth == 0 {
                        layout.nodes.append(Node(range: range, properties: Self.properties(attributes, names, bytes)))
                    } else if depth == 1, let node = layout.nodes.indices.last {
                        layout.nodes[node].properties.append(Property(name: names.customary(name), range: range))
                    }
                } else if names.customary(name) == "rdf:RDF", bytes[name].contains(UInt8(ascii: ":")) {
                    layout.prefix = String(decoding: bytes[name].prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
                    if isEmpty { (layout.end, layout.isEmpty) = (range, true) } else { rdfDepth = open.count + 1 }
                }
                if isEmpty { names.forget(to: bindings) } else { open.append((name, bindings)) }
            case .end(let name):
                let range = name.lowerBound - 2..<scanner.index
                guard let last = open.last, bytes[last.name] == bytes[name] else { return Layout() }
                if let rdfDepth, open.count == rdfDepth {
                    layout.end = range
                    return layout
                }
                close(range)
                open.removeLast()
                names.forget(to: last.bindings)
            case .text, .characterData: break
            }
        }
        return layout
    }

    private static func properties(
        _ attributes: [XMPScanner.Attribute], _ names: XMPNames, _ bytes: [UInt8]
    ) -> [Property] {
        attributes.compactMap { attribute in
            let isBinding = bytes[attribute.name].starts(with: "xmlns".utf8)
            let name = names.customary(attribute: attribute.name)
            guard !isBinding, name?.hasPrefix("rdf:") != true else { return nil }
            return Property(name: name, range: attribute.name.lowerBound..<attribute.value.upperBound + 1)
        }
    }
}
