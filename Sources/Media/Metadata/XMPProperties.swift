/// The properties of a packet that are wanted, by their customary names: `exif:DateTimeOriginal`.
///
/// A property belongs to the picture only where it stands in a node right below `rdf:RDF`, as an attribute or an element.
/// What lies deeper tells of others: of the pictures that it was made from (`xmpMM:Pantry`, `xmpMM:Ingredients`,
/// `xmpMM:DerivedFrom`) and of what was done to it (`xmpMM:History`).
struct XMPProperties {
    private static let mostBytes = 1 << 20
    private static let mostDepth = 64
    private static let mostEntries = 16
    /// Of a list: a photo is in as many albums.
    private static let mostCandidates = 64
    /// Of a text of several lines; of all others `longestValue`.
    private static let longestText = 8000
    private static let longestValue = 256
    private static let texts: Set<String> = ["dc:title", "dc:description"]

    /// Of these every entry counts, of all others the first.
    private static let lists: Set<String> = ["safelight:Albums"]

    private static let wanted: Set<String> = texts.union(lists).union([
        "xmp:CreateDate", "xmp:ModifyDate", "xmp:Rating", "xmp:Label", "exif:DateTimeOriginal",
        "exif:DateTimeDigitized",
        "exif:GPSTimeStamp", "exif:GPSLatitude", "exif:GPSLongitude", "exif:GPSLatitudeRef", "exif:GPSLongitudeRef",
        "exif:GPSAltitude", "exif:GPSAltitudeRef", "tiff:Make", "tiff:Model", "tiff:Orientation",
        "exifEX:LensModel", "aux:Lens", "photoshop:DateCreated", "xmpDM:shotDate", "hdrgm:Version",
        "GPano:SourceImageCreateTime", "GPano:FirstPhotoDate", "GPano:LastPhotoDate",
        "safelight:Favourite", "safelight:Archived", "safelight:DateBy",
        "crs:HasCrop", "crs:CropLeft", "crs:CropTop", "crs:CropRight", "crs:CropBottom", "crs:CropAngle",
        "crs:AlreadyApplied",
        "GCamera:MotionPhoto", "GCamera:MicroVideo", "GCamera:MicroVideoOffset",
    ])

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
    private(set) var listed: [String: [String]] = [:]
    /// Of Google's `Container:Directory`, in their order.
    private(set) var entries: [[String: String]] = []
    /// Whether anything in it says that it is XMP.
    private(set) var isPacket = false

    private let bytes: [UInt8]
    private var open: [Open] = []
    private var names: XMPNames
    private var skippedDepth = 0
    /// Of the property that is open: what stands in it directly, and what stands in its values, the best first.
    private var direct: [UInt8] = []
    private var candidates: [String] = []
    private var hasDefault = false
    private var part: [UInt8] = []

    init(_ packet: [UInt8]) {
        var scanner = XMPScanner(XMPScanner.utf8([UInt8](packet.prefix(Self.mostBytes))))
        bytes = scanner.bytes
        names = XMPNames(bytes)
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
        let bindingCount = names.count
        names.bind(attributes)
        let role = role(of: name, attributes)
        open.append(Open(name: name, role: role, bindings: bindingCount))
        switch role {
        case .node: for attribute in attributes { note(names.customary(attribute: attribute.name), value(attribute)) }
        case .property:
            (direct, candidates, hasDefault) = ([], [], false)
            takeCandidates(attributes)
        case .inside, .value: takeCandidates(attributes)
        case .entry:
            for attribute in attributes {
                guard let field = names.customary(attribute: attribute.name), field.hasPrefix("Item:") else { continue }
                noteField(field, value(attribute))
            }
        case .field: part = []
        case .container, .directory, .ignored: break
        }
    }

    private mutating func role(of range: Range<Int>, _ attributes: [XMPScanner.Attribute]) -> Role {
        let name = names.customary(range)
        switch open.last?.role {
        case nil, .container, .node:
            // By these names alone: what they stand in was written in several ways.
            if ["RDF", "xmpmeta", "xapmeta"].contains(names.local(range)) {
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
            let language = attributes.first { names.customary(attribute: $0.name) == "xml:lang" }.flatMap(value)
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
            if Self.lists.contains(name), listed[name] == nil { listed[name] = candidates }
            for candidate in candidates { note(name, candidate) }
        case .value(let isDefault):
            takeCandidate(part.text, isDefault: isDefault)
            part = []
        case .field(let name):
            noteField(name, part.text)
            part = []
        default: break
        }
        names.forget(to: element.bindings)
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
            let name = names.customary(attribute: attribute.name)
            if name == "rdf:resource" || name == "rdf:value" { takeCandidate(value(attribute), isDefault: false) }
        }
    }

    private mutating func takeCandidate(_ text: String?, isDefault: Bool) {
        guard let text, candidates.count < Self.mostCandidates || isDefault && !hasDefault else { return }
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
}
