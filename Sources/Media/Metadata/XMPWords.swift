import XML

/// What a vault says of a photo, to be written into a packet beside it (ISO 16684-1).
package struct XMPWords: Sendable, Equatable {
    /// Nil where the photo itself tells it, or nobody does: a time of the file alone is none of the shutter.
    package var takenAt: CaptureTime?
    /// Nil where the photo itself tells it.
    package var place: Place?
    package var caption: String?
    package var isFavourite = false
    package var isArchived = false
    package var albums: [String] = []
    package var crop: XMPCrop?

    package init() {}

    /// The packet beside a photo, as it was brought or none, with these words in it. Whatever else it says stays as it is;
    /// of what it says otherwise, these words take the place, and what they are silent of stays. With the same words once
    /// more it is the same.
    /// - Returns: in UTF-8; nil where there is nothing to say, and for what is no packet.
    package func written(into packet: [UInt8]? = nil) -> [UInt8]? {
        let skeleton = Array(Self.skeleton.utf8)
        let whole = XMPScanner.utf8(packet ?? skeleton)
        guard var text = XMPText(whole) else { return nil }
        text.removeOwn()
        let others = XMPSidecar(text.bytes)
        let removed = properties(otherThan: others)
        text.remove(removed)
        let own = description(beside: others, text, rdf: text.rdfPrefix)
        guard !own.isEmpty else {
            let isBare = text.bytes == skeleton
            return isBare ? nil : text.bytes == whole ? packet : text.bytes
        }
        text.insert(own)
        return text.bytes == whole ? packet : text.bytes
    }

    /// Whether something can be written into it.
    package static func isPacket(_ bytes: [UInt8]) -> Bool { XMPText(XMPScanner.utf8(bytes)) != nil }

    private static let skeleton = """
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/">
         <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
         </rdf:RDF>
        </x:xmpmeta>
        <?xpacket end="w"?>

        """

    // MARK: What is to be said

    private var wordedCaption: String? { caption.flatMap { Array($0.utf8).text } }

    private func saysDate(beside others: XMPSidecar?) -> Bool {
        guard let takenAt else { return false }
        guard takenAt.source != .person, let said = others?.takenAt else { return true }
        return Self.date(said) != Self.date(takenAt)
    }

    private func saysPlace(beside others: XMPSidecar?) -> Bool {
        guard let place else { return false }
        return others?.place.map { !$0.isSame(as: place) } ?? true
    }

    private func saysCaption(beside others: XMPSidecar?) -> Bool {
        wordedCaption != nil && wordedCaption != others?.caption
    }

    private func saysCrop(beside others: XMPSidecar?) -> Bool {
        crop.map { Self.attributes($0) != others?.crop.map(Self.attributes) } ?? false
    }

    private func properties(otherThan others: XMPSidecar?) -> Set<String> {
        var properties: Set<String> = []
        if saysDate(beside: others) {
            properties.formUnion(["exif:DateTimeOriginal", "photoshop:DateCreated", "xmpDM:shotDate"])
        }
        if saysPlace(beside: others) {
            properties.formUnion([
                "exif:GPSLatitude", "exif:GPSLongitude", "exif:GPSLatitudeRef", "exif:GPSLongitudeRef",
                "exif:GPSAltitude", "exif:GPSAltitudeRef",
            ])
        }
        if saysCaption(beside: others) { properties.insert("dc:description") }
        if saysCrop(beside: others) {
            properties.formUnion(Self.cropNames.union(["crs:HasCrop", "crs:AlreadyApplied"]))
        }
        return properties
    }

    // MARK: How it is said

    /// Empty where the packet says all of it already.
    private func description(beside others: XMPSidecar?, _ text: XMPText, rdf: String) -> String {
        var (attributes, elements): ([String], [String]) = ([], [])
        if isFavourite, others?.isFavourite != true {
            // The stars that somebody gave stay.
            attributes.append(others?.rating == nil ? "xmp:Rating=\"5\"" : "safelight:Favourite=\"True\"")
        }
        if isArchived, others?.isArchived != true { attributes.append("safelight:Archived=\"True\"") }
        if saysDate(beside: others), let takenAt {
            let date = Self.date(takenAt)
            attributes += ["exif:DateTimeOriginal=\"\(date)\"", "photoshop:DateCreated=\"\(date)\""]
            // It counts more than what the photo says, as it does in the vault.
            if takenAt.source == .person { attributes.append("safelight:DateBy=\"person\"") }
        }
        if saysPlace(beside: others), let place { attributes += Self.attributes(place) }
        if saysCrop(beside: others), let crop { attributes += Self.attributes(crop) }
        if saysCaption(beside: others), let caption = wordedCaption {
            elements.append(
                "<dc:description><\(rdf):Alt><\(rdf):li xml:lang=\"x-default\">\(XMLText.escaped(caption))</\(rdf):li></\(rdf):Alt></dc:description>"
            )
        }
        elements += lists(beside: others, text, rdf: rdf)
        guard !attributes.isEmpty || !elements.isEmpty else { return "" }
        let inner = elements.map { "\n   \($0)" }.joined()
        return """
            <\(rdf):Description \(rdf):about=""
                xmlns:xmp="http://ns.adobe.com/xap/1.0/"
                xmlns:exif="http://ns.adobe.com/exif/1.0/"
                xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
                xmlns:dc="http://purl.org/dc/elements/1.1/"
                xmlns:digiKam="http://www.digikam.org/ns/1.0/"
                xmlns:crs="http://ns.adobe.com/camera-raw-settings/1.0/"
                xmlns:safelight="\(XMPNames.own)"
                \((["safelight:Version=\"1\""] + attributes).joined(separator: "\n    "))>\(inner)
              </\(rdf):Description>
            """
    }

    /// Keywords are what other programs have for albums. Where somebody has some already, theirs stay alone: a packet has one
    /// list of them.
    private func lists(beside others: XMPSidecar?, _ text: XMPText, rdf: String) -> [String] {
        guard !albums.isEmpty, others?.albums != albums else { return [] }
        let entries = albums.map { "<\(rdf):li>\(XMLText.escaped($0))</\(rdf):li>" }.joined()
        var lists = ["<safelight:Albums><\(rdf):Bag>\(entries)</\(rdf):Bag></safelight:Albums>"]
        if !text.has("dc:subject") { lists.append("<dc:subject><\(rdf):Bag>\(entries)</\(rdf):Bag></dc:subject>") }
        if !text.has("digiKam:TagsList") {
            lists.append("<digiKam:TagsList><\(rdf):Seq>\(entries)</\(rdf):Seq></digiKam:TagsList>")
        }
        return lists
    }

    private static func attributes(_ place: Place) -> [String] {
        var attributes = [
            "exif:GPSLatitude=\"\(degrees(place.latitude, "N", "S"))\"",
            "exif:GPSLongitude=\"\(degrees(place.longitude, "E", "W"))\"",
        ]
        if let altitude = place.altitude {
            attributes.append("exif:GPSAltitude=\"\(Int((abs(altitude) * 100).rounded()))/100\"")
            attributes.append("exif:GPSAltitudeRef=\"\(altitude < 0 ? 1 : 0)\"")
        }
        return attributes
    }

    private static let cropNames: Set = [
        "crs:CropLeft", "crs:CropTop", "crs:CropRight", "crs:CropBottom", "crs:CropAngle",
    ]

    /// With more digits than a vault keeps, so that what is turned back is what was turned.
    private static func attributes(_ crop: XMPCrop) -> [String] {
        let numbers = [
            ("Left", crop.left), ("Top", crop.top), ("Right", crop.right), ("Bottom", crop.bottom),
            ("Angle", crop.angle),
        ]
        return ["crs:HasCrop=\"True\""]
            + numbers.map { name, number in
                let units = Int64((abs(number) * 1_000_000_000).rounded())
                let (whole, rest) = units.quotientAndRemainder(dividingBy: 1_000_000_000)
                let sign = number < 0 && units > 0 ? "-" : ""
                return "crs:Crop\(name)=\"\(sign)\(whole).\(padded(rest, 9))\""
            }
    }

    /// ISO 8601, as much of it as is known. A zone that was guessed is none: who reads it guesses again.
    private static func date(_ time: CaptureTime) -> String {
        var time = time
        if time.isZoneGuessed { time.offsetMinutes = nil }
        let (days, rest) = time.wallClockMilliseconds.dividedDown(by: 86_400_000)
        let date = CalendarDate(daysSinceEpoch: Int(days))
        let year = padded(Int64(date.year), 4)
        let month = padded(Int64(date.month), 2)
        let day = padded(Int64(date.day), 2)
        switch time.precision {
        case .year: return year
        case .month: return "\(year)-\(month)"
        case .day: return "\(year)-\(month)-\(day)"
        case .moment: break
        }
        let seconds = rest / 1000
        let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }.joined(separator: ":")
        let fraction = rest % 1000 == 0 ? "" : "." + padded(rest % 1000, 3)
        let text = "\(year)-\(month)-\(day)T\(clock)\(fraction)"
        guard let minutes = time.offsetMinutes else { return time.isInstant ? text + "Z" : text }
        let zone = [abs(minutes) / 60, abs(minutes) % 60].map { padded(Int64($0), 2) }.joined(separator: ":")
        return text + (minutes < 0 ? "-" : "+") + zone
    }

    /// `47,22.5000000N`: a unit of the last digit is less than a millimetre, so that a place comes back as it was.
    private static func degrees(_ value: Double, _ positive: String, _ negative: String) -> String {
        let units = Int64((abs(value) * 60 * 10_000_000).rounded())
        let (whole, rest) = units.quotientAndRemainder(dividingBy: 600_000_000)
        return
            "\(whole),\(rest / 10_000_000).\(padded(rest % 10_000_000, 7))\(value < 0 ? negative : positive)"
    }

    private static func padded(_ number: Int64, _ digits: Int) -> String {
        String(repeating: "0", count: max(0, digits - "\(number)".count)) + "\(number)"
    }
}

extension Place {
    /// As far as a vault keeps it: about a centimetre.
    fileprivate func isSame(as other: Place) -> Bool {
        let isAsHigh =
            switch (altitude, other.altitude) {
            case (nil, nil): true
            case (let one?, let other?): abs(one - other) < 0.011
            default: false
            }
        return abs(latitude - other.latitude) < 2e-7 && abs(longitude - other.longitude) < 2e-7 && isAsHigh
    }
}
