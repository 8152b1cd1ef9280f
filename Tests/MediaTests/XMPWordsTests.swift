import TestSupport
import Testing

@testable import Media

@Suite("What a vault says is written into a packet")
struct XMPWordsTests {
    private static let now: Int64 = 1_795_514_400_000
    private static let others = """
        <?xpacket begin="" id="a"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><r:RDF \
        xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <!-- dc:description="none" --><r:Description r:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Label="Red"
          xmlns:E="http://ns.adobe.com/exif/1.0/" E:DateTimeOriginal="1999-01-02T03:04:05" xmlns:crs="urn:crs" crs:Tint="&lt;5">
         <dc:description xmlns:dc="http://purl.org/dc/elements/1.1/"><r:Alt><r:li xml:lang="de">alt</r:li></r:Alt></dc:description>
         <crs:Curve><r:Seq><r:li>0, 0</r:li></r:Seq></crs:Curve></r:Description></r:RDF></x:xmpmeta><?xpacket end="r"?>
        """
    private static let empty = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>"

    private func text(_ packet: [UInt8]?) -> String { String(decoding: packet ?? [], as: UTF8.self) }

    private func sidecar(_ packet: [UInt8]?) throws -> XMPSidecar {
        let bytes = try #require(packet)
        return try #require(XMPSidecar(bytes, now: Self.now))
    }

    // MARK: At random

    private func words(_ random: inout SeededGenerator) -> XMPWords {
        var words = XMPWords()
        let captions = ["am Tiber", " mit Rand ", "<&>\"']]>", "zwei\nZeilen\tund é 😀", "", "-->"]
        words.caption = Bool.random(using: &random) ? captions.randomElement(using: &random) : nil
        words.isFavourite = .random(using: &random)
        words.isArchived = .random(using: &random)
        let albums = ["Oma & <Opa>", "Rom / Paris: 2019?", "a.b", "夏"]
        words.albums = albums.filter { _ in Bool.random(using: &random) }
        if Bool.random(using: &random) { words.place = place(&random) }
        if Bool.random(using: &random) { words.takenAt = time(&random) }
        if Bool.random(using: &random) {
            let left = Double(Int.random(in: 0...500_000, using: &random)) / 1e6
            words.crop = XMPCrop(
                left: left, top: 0.125, right: left + 0.3, bottom: 1, angle: Bool.random(using: &random) ? -2.5 : 0)
        }
        return words
    }

    private func place(_ random: inout SeededGenerator) -> Place? {
        let latitude = Double(Int.random(in: -900_000_000...900_000_000, using: &random)) / 1e7
        let longitude = Double(Int.random(in: -1_800_000_000...1_800_000_000, using: &random)) / 1e7
        let isHigh = Bool.random(using: &random)
        let altitude = Double(Int.random(in: -43_000...900_000, using: &random)) / 100
        return Place(latitude: latitude, longitude: longitude, altitude: isHigh ? altitude : nil)
    }

    private func time(_ random: inout SeededGenerator) -> CaptureTime {
        let precision = CaptureTime.Precision.allCases.randomElement(using: &random) ?? .moment
        let date = CalendarDate(
            year: .random(in: 1900...2025, using: &random), month: precision == .year ? 1 : 7,
            day: precision.rawValue < 2 ? 14 : 1)
        let day = Int64(date.daysSinceEpoch) * 86_400_000
        let source: CaptureTime.Source = Bool.random(using: &random) ? .person : .sidecar
        guard precision == .moment else {
            return CaptureTime(milliseconds: day + 43_200_000, isInstant: false, source: source, precision: precision)
        }
        let offset = [nil, 0, 120, -210, 345].randomElement(using: &random) ?? nil
        let clock = Int64.random(in: 0..<86_400_000, using: &random)
        return CaptureTime(
            milliseconds: day + clock - Int64(offset ?? 0) * 60_000, offsetMinutes: offset, isInstant: offset != nil,
            source: source)
    }

    /// What a vault has of it once it was brought there.
    private func expect(_ found: XMPSidecar, _ words: XMPWords, _ seed: UInt64) {
        if let caption = words.caption.flatMap({ Array($0.utf8).text }) { #expect(found.caption == caption, "\(seed)") }
        #expect(found.isFavourite || !words.isFavourite, "\(seed)")
        #expect(found.isArchived == words.isArchived, "\(seed)")
        #expect(found.albums == words.albums, "\(seed)")
        #expect(abs((found.crop?.left ?? -9) - (words.crop?.left ?? -9)) < 1e-9, "\(seed)")
        #expect(found.crop?.angle == words.crop?.angle && found.crop?.bottom == words.crop?.bottom, "\(seed)")
        if let place = words.place {
            #expect(abs((found.place?.latitude ?? 999) - place.latitude) < 6e-8, "\(seed)")
            #expect(abs((found.place?.longitude ?? 999) - place.longitude) < 6e-8, "\(seed)")
            #expect(abs((found.place?.altitude ?? -9e9) - (place.altitude ?? -9e9)) < 0.006, "\(seed)")
        }
        guard let time = words.takenAt else { return }
        #expect(found.takenAt?.milliseconds == time.milliseconds, "\(seed)")
        #expect(found.takenAt?.offsetMinutes == time.offsetMinutes, "\(seed)")
        #expect(found.takenAt?.precision == time.precision, "\(seed)")
        #expect((found.takenAt?.source == .person) == (time.source == .person), "\(seed)")
    }

    @Test("read and written once more it is the same, byte for byte, whatever was said before")
    func fixedPoint() throws {
        let bases: [[UInt8]?] = [
            nil, Array(Self.others.utf8), Array(Self.empty.utf8), Self.others.utf16.flatMap { MadeFiles.little($0) },
        ]
        for seed in UInt64(1)...600 {
            var random = SeededGenerator(seed: seed)
            let (first, second) = (words(&random), words(&random))
            let base = bases.randomElement(using: &random) ?? nil
            guard let packet = first.written(into: base) else {
                #expect(first.isSilent && base == nil, "\(seed)")
                continue
            }
            #expect(first.written(into: packet) == packet, "\(seed)")
            expect(try sidecar(packet), first, seed)
            // Changed later, in another vault, into which it was brought.
            let changed = second.written(into: packet)
            guard let changed else {
                #expect(second.isSilent && base == nil, "\(seed)")
                continue
            }
            #expect(second.written(into: changed) == changed, "\(seed)")
            expect(try sidecar(changed), second, seed)
            for kept in ["Label=\"Red\"", "Tint=\"&lt;5\"", "<r:li>0, 0</r:li>"] where base == bases[1] {
                #expect(text(packet).contains(kept) && text(changed).contains(kept), "\(seed)")
            }
        }
    }

    // MARK: Of somebody's own

    @Test("only what it says otherwise is taken out of what somebody's program wrote")
    func merged() throws {
        var words = XMPWords()
        words.caption = "am Tiber"
        let packet = text(words.written(into: Array(Self.others.utf8)))
        #expect(packet.hasPrefix(Self.others.prefix { $0 != "!" }))
        #expect(packet.contains("E:DateTimeOriginal=\"1999-01-02T03:04:05\"") && !packet.contains(">alt<"))
        #expect(packet.contains("<!-- dc:description=\"none\" -->") && packet.contains("am Tiber"))
        words.caption = "alt"
        #expect(words.written(into: Array(Self.others.utf8)) == Array(Self.others.utf8))
        #expect(XMPWords().written(into: Array(Self.others.utf8)) == Array(Self.others.utf8))
    }

    @Test("what another program wrote into it stays, whatever is said later")
    func rewritten() throws {
        var words = XMPWords()
        words.albums = ["Oma"]
        let own = text(words.written())
        let theirs = own.replacing("safelight:Version", with: "darktable:Iso=\"100\" safelight:Version")
            .replacing("xmlns:xmp=", with: "xmlns:darktable=\"http://darktable.sf.net/\" xmlns:xmp=")
        let later = text(XMPWords().written(into: Array(theirs.utf8)))
        #expect(later.contains("darktable:Iso=\"100\"") && !later.contains("safelight:Albums"))
    }

    @Test("stars that somebody gave stay, and a heart is told beside them")
    func stars() throws {
        var words = XMPWords()
        words.isFavourite = true
        #expect(try sidecar(words.written()).rating == 5)
        let three = Self.others.replacing("xmp:Label=\"Red\"", with: "xmp:Rating=\"3\"")
        let found = try sidecar(words.written(into: Array(three.utf8)))
        #expect(found.rating == 3 && found.isFavourite)
    }

    @Test("a zone that was guessed is not written as one that is known")
    func guessedZone() {
        var words = XMPWords()
        words.takenAt = CaptureTime(
            milliseconds: 1_500_000_000_000, offsetMinutes: 120, isInstant: true, source: .sidecar)
        #expect(text(words.written()).contains("2017-07-14T04:40:00+02:00"))
        words.takenAt?.isZoneGuessed = true
        #expect(text(words.written()).contains("2017-07-14T02:40:00Z"))
    }

    @Test("what is no packet gets no words", arguments: ["", "<a/>", "Oma", "<rdf:RDF xmlns:rdf=''>", "<RDF></RDF>"])
    func noPacket(text: String) {
        var words = XMPWords()
        words.caption = "am Tiber"
        #expect(!XMPWords.isPacket(Array(text.utf8)) && words.written(into: Array(text.utf8)) == nil)
    }
}

extension XMPWords {
    fileprivate var isSilent: Bool {
        takenAt == nil && place == nil && (caption ?? "").allSatisfy(\.isWhitespace) && !isFavourite && albums.isEmpty
            && crop == nil
    }
}
