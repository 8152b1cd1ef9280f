/// By which customary name a mark of a packet goes, whatever prefix its writer gave to the namespace, or forgot to say.
struct XMPNames {
    private static let mostBindings = 128
    private static let longestNamespace = 256

    /// What an export of this program says of a photo, for which no other namespace has a name.
    static let own = "urn:safelight:photo/"

    private static let prefixes = [
        "http://ns.adobe.com/xap/1.0/": "xmp", "http://ns.adobe.com/tiff/1.0/": "tiff",
        "http://ns.adobe.com/exif/1.0/": "exif", "http://cipa.jp/exif/1.0/": "exifEX",
        "http://ns.adobe.com/exif/1.0/aux/": "aux", "http://ns.adobe.com/photoshop/1.0/": "photoshop",
        "http://ns.adobe.com/xmp/1.0/DynamicMedia/": "xmpDM", "http://purl.org/dc/elements/1.1/": "dc",
        "http://ns.google.com/photos/1.0/container/": "Container", "http://ns.adobe.com/hdr-gain-map/1.0/": "hdrgm",
        "http://ns.google.com/photos/1.0/container/item/": "Item", "http://ns.google.com/photos/1.0/camera/": "GCamera",
        "http://ns.google.com/photos/1.0/panorama/": "GPano", "http://www.digikam.org/ns/1.0/": "digiKam",
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf", "adobe:ns:meta/": "x",
        "http://www.w3.org/XML/1998/namespace": "xml", "http://ns.adobe.com/camera-raw-settings/1.0/": "crs",
        own: "safelight",
    ]

    private let bytes: [UInt8]
    private var bindings: [(prefix: Range<Int>, customary: String?)] = []

    /// Of the packet in which the ranges of all marks lie.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// How many prefixes are bound at the moment.
    var count: Int { bindings.count }

    /// Takes what the attributes of one mark bind, until `forget`.
    mutating func bind(_ attributes: [XMPScanner.Attribute]) {
        for attribute in attributes where bytes[attribute.name].starts(with: "xmlns".utf8) {
            guard bindings.count < Self.mostBindings else { return }
            let isPrefixed = bytes.has(":", at: attribute.name.lowerBound + 5) && attribute.name.count > 6
            guard isPrefixed || attribute.name.count == 5 else { continue }
            let prefix = attribute.name.lowerBound + (isPrefixed ? 6 : 5)..<attribute.name.upperBound
            let isSane = attribute.value.count <= Self.longestNamespace
            let namespace = isSane ? XMPScanner.resolved(bytes[attribute.value]).text : nil
            bindings.append((prefix, Self.prefixes[namespace ?? ""]))
        }
    }

    mutating func forget(to count: Int) { bindings.removeLast(max(0, bindings.count - count)) }

    /// With the customary prefix; nil for what stands in no namespace that is known.
    func customary(_ name: Range<Int>) -> String? {
        let colon = bytes[name].firstIndex(of: UInt8(ascii: ":"))
        let prefix = bytes[name.lowerBound..<(colon ?? name.lowerBound)]
        if let bound = bindings.last(where: { bytes[$0.prefix] == prefix }) {
            return bound.customary.map { "\($0):\(local(name))" }
        }
        return colon == nil ? nil : String(decoding: bytes[name], as: UTF8.self)
    }

    /// Attributes without a prefix are in no namespace.
    func customary(attribute name: Range<Int>) -> String? {
        bytes[name].contains(UInt8(ascii: ":")) ? customary(name) : nil
    }

    func local(_ name: Range<Int>) -> String {
        let start = bytes[name].firstIndex(of: UInt8(ascii: ":")).map { $0 + 1 } ?? name.lowerBound
        return String(decoding: bytes[start..<name.upperBound], as: UTF8.self)
    }
}
