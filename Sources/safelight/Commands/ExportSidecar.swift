import Glibc
import Media
import Vault
import XML

/// What a vault says of one photo, as an XMP file (ISO 16684-1) that exiftool, digiKam and this program's own import read:
/// date, place, caption, a heart as five stars, albums as keywords.
struct ExportSidecar {
    let text: String

    /// Nil where there is nothing to say that the photo does not say itself.
    init?(_ photo: Photo, albums: [String]) {
        let details = photo.details
        let date = details.takenAt.flatMap { $0.source.isOfFile ? nil : Self.date($0) }
        guard date != nil || details.keeping.caption != nil || details.keeping.isFavourite || !albums.isEmpty else {
            return nil
        }
        var attributes: [String] = []
        if details.keeping.isFavourite { attributes.append("xmp:Rating=\"5\"") }
        if let date { attributes += ["exif:DateTimeOriginal=\"\(date)\"", "photoshop:DateCreated=\"\(date)\""] }
        if let place = details.facts.place {
            attributes.append("exif:GPSLatitude=\"\(Self.degrees(place.latitude, "N", "S"))\"")
            attributes.append("exif:GPSLongitude=\"\(Self.degrees(place.longitude, "E", "W"))\"")
        }
        var elements: [String] = []
        if let caption = details.keeping.caption {
            elements.append(
                "<dc:description><rdf:Alt><rdf:li xml:lang=\"x-default\">\(XMLText.escaped(caption))</rdf:li></rdf:Alt></dc:description>"
            )
        }
        if !albums.isEmpty {
            let entries = albums.map { "<rdf:li>\(XMLText.escaped($0))</rdf:li>" }.joined()
            elements.append("<dc:subject><rdf:Bag>\(entries)</rdf:Bag></dc:subject>")
            elements.append("<digiKam:TagsList><rdf:Seq>\(entries)</rdf:Seq></digiKam:TagsList>")
        }
        text = """
            <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
            <x:xmpmeta xmlns:x="adobe:ns:meta/">
             <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
              <rdf:Description rdf:about=""
                xmlns:xmp="http://ns.adobe.com/xap/1.0/"
                xmlns:exif="http://ns.adobe.com/exif/1.0/"
                xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
                xmlns:dc="http://purl.org/dc/elements/1.1/"
                xmlns:digiKam="http://www.digikam.org/ns/1.0/"
                \(attributes.joined(separator: "\n    "))>
               \(elements.joined(separator: "\n   "))
              </rdf:Description>
             </rdf:RDF>
            </x:xmpmeta>
            <?xpacket end="w"?>

            """
    }

    /// - Returns: false where another file has its name: nothing is replaced.
    func write(beside file: String, in folder: String) throws -> Bool {
        let path = "\(folder)/\(file).xmp"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            guard errno == EEXIST else { throw ExportFolder.failure("write", path) }
            return try PlainFile.holds(text, at: path)
        }
        defer { close(descriptor) }
        do {
            try AlbumLinks.write(text, to: descriptor, path)
        } catch {
            unlink(path)
            throw error
        }
        return true
    }

    /// ISO 8601, as much of it as is known.
    private static func date(_ time: CaptureTime) -> String {
        let wall = time.wallClockMilliseconds
        let rest = wall.remainder(of: 86_400_000)
        let date = CalendarDate(daysSinceEpoch: Int((wall - rest) / 86_400_000))
        let seconds = rest / 1000
        let year = String(repeating: "0", count: max(0, 4 - "\(date.year)".count)) + "\(date.year)"
        switch time.precision {
        case .year: return year
        case .month: return "\(year)-\(two(date.month))"
        case .day: return "\(year)-\(two(date.month))-\(two(date.day))"
        case .moment: break
        }
        let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { two(Int($0)) }.joined(separator: ":")
        let text = "\(year)-\(two(date.month))-\(two(date.day))T\(clock)"
        guard let minutes = time.offsetMinutes else { return time.isInstant ? text + "Z" : text }
        return text + "\(minutes < 0 ? "-" : "+")\(two(abs(minutes) / 60)):\(two(abs(minutes) % 60))"
    }

    /// `47,22.5000N`
    private static func degrees(_ value: Double, _ positive: String, _ negative: String) -> String {
        let units = Int((abs(value) * 60 * 1_000_000).rounded())
        let (whole, rest) = (units / 60_000_000, units % 60_000_000)
        let fraction = String(rest % 1_000_000)
        let padded = String(repeating: "0", count: 6 - fraction.count) + fraction
        return "\(whole),\(rest / 1_000_000).\(padded)\(value < 0 ? negative : positive)"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Int64 {
    /// Never negative.
    fileprivate func remainder(of divisor: Int64) -> Int64 { (self % divisor + divisor) % divisor }
}
