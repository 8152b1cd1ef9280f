/// What an XMP file beside a picture says of it.
package struct XMPSidecar: Sendable, Equatable {
    package let takenAt: CaptureTime?
    package let place: Place?
    /// Stars, 0…5; -1 for what was thrown out.
    package let rating: Int?
    package let label: String?
    package let title: String?
    package let description: String?

    private static let longestText = 8_000

    /// Nil for what is no XMP.
    package init?(_ bytes: [UInt8]) {
        let text = bytes.prefix(4096)
        guard Self.find("x:xmpmeta", in: text) != nil || Self.find("rdf:RDF", in: text) != nil else { return nil }
        let packet = XMPPacket(bytes)
        takenAt = packet.takenAt.first
        place = packet.place
        rating = packet.value("xmp:Rating").flatMap { Int($0) }
        label = packet.value("xmp:Label")
        title = Self.alternative("dc:title", in: bytes)
        description = Self.alternative("dc:description", in: bytes)
    }

    /// The first of the languages that a text has, or the text itself.
    private static func alternative(_ name: String, in bytes: [UInt8]) -> String? {
        guard let start = find("<\(name)", in: bytes[...]), let end = find("</\(name)", in: bytes[start...]) else {
            return nil
        }
        var element = bytes[start..<end]
        if let entry = find("<rdf:li", in: element) { element = element[entry...] }
        guard let open = element.firstIndex(of: UInt8(ascii: ">")) else { return nil }
        let text = element[(open + 1)...].prefix { $0 != UInt8(ascii: "<") }.prefix(longestText)
        guard let found = String(validating: text, as: UTF8.self) else { return nil }
        return found.isEmpty ? nil : unescaped(found)
    }

    /// The five names that XML has, and numbers in either base; what is none of these stays as it is.
    private static func unescaped(_ text: String) -> String {
        let named: [Substring: Unicode.Scalar] = ["lt": "<", "gt": ">", "quot": "\"", "apos": "'", "amp": "&"]
        var (found, rest) = (String.UnicodeScalarView(), text[...])
        while let mark = rest.firstIndex(of: "&") {
            found += rest[..<mark].unicodeScalars
            rest = rest[mark...]
            let body = rest.dropFirst().prefix(8).prefix { $0 != ";" }
            let number =
                body.hasPrefix("#x")
                ? UInt32(body.dropFirst(2), radix: 16) : body.hasPrefix("#") ? UInt32(body.dropFirst()) : nil
            if let scalar = named[body] ?? number.flatMap(Unicode.Scalar.init),
                rest.dropFirst(body.count + 1).first == ";"
            {
                found.append(scalar)
                rest = rest.dropFirst(body.count + 2)
            } else {
                found.append("&")
                rest = rest.dropFirst()
            }
        }
        return String(found + rest.unicodeScalars)
    }

    private static func find(_ text: String, in bytes: ArraySlice<UInt8>) -> Int? {
        let wanted = Array(text.utf8)
        guard bytes.count >= wanted.count else { return nil }
        return (bytes.startIndex...(bytes.endIndex - wanted.count)).first {
            bytes[$0] == wanted[0] && bytes[$0..<($0 + wanted.count)].elementsEqual(wanted)
        }
    }
}
