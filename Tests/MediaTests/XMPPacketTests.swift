import Testing

@testable import Media

@Suite("XMP, however it is written")
struct XMPPacketTests {
    private static let names = """
        xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" \
        xmlns:tiff="http://ns.adobe.com/tiff/1.0/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" \
        xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/" xmlns:dc="http://purl.org/dc/elements/1.1/" \
        xmlns:stRef="http://ns.adobe.com/xap/1.0/sType/ResourceRef#"
        """
    private static let date = "2001-02-03T04:05:06"

    private static func packet(_ inside: String = "", attributes: String = "") -> String {
        """
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \
        xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" \(names)\(attributes)>\(inside)\
        </rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>
        """
    }

    private func dates(_ packet: String) -> [Int64] { XMPPacket(Array(packet.utf8)).takenAt.map(\.milliseconds) }

    private func expect(_ packet: String, at place: SourceLocation = #_sourceLocation) {
        #expect(dates(packet) == [CivilTime(Self.date)?.wallClockMilliseconds], sourceLocation: place)
    }

    @Test(
        "attributes are read with any blanks and quotation marks",
        arguments: [
            "exif:DateTimeOriginal=\"\(date)\"", "exif:DateTimeOriginal='\(date)'", "exif:DateTimeOriginal = '\(date)'",
            "exif:DateTimeOriginal\n=\n\"\(date)\"", "\texif:DateTimeOriginal\t=\t\" \(date)\n\"",
            "exif:DateTimeOriginal='' photoshop:DateCreated='\(date)'",
            "exif:DateTimeOriginal='2001&#45;02-03T04:05&#x3a;06'",
            "tiff:Make='a > b' exif:DateTimeOriginal='\(date)'",
        ])
    func attributes(text: String) { expect(Self.packet(attributes: " " + text)) }

    @Test(
        "elements are read in every form that RDF has",
        arguments: [
            "<exif:DateTimeOriginal>\(date)</exif:DateTimeOriginal>",
            "<exif:DateTimeOriginal >\(date)</exif:DateTimeOriginal >",
            "<exif:DateTimeOriginal>\n  \(date)\n</exif:DateTimeOriginal>",
            "<exif:DateTimeOriginal rdf:datatype='http://www.w3.org/2001/XMLSchema#dateTime'>\(date)</exif:DateTimeOriginal>",
            "<exif:DateTimeOriginal rdf:resource='\(date)'/>",
            "<exif:DateTimeOriginal rdf:value = '\(date)' xmp:a='b'/>",
            "<exif:DateTimeOriginal rdf:parseType='Resource'><xmp:a>1990</xmp:a><rdf:value>\(date)</rdf:value></exif:DateTimeOriginal>",
            "<exif:DateTimeOriginal><rdf:Description rdf:value='\(date)'/></exif:DateTimeOriginal>",
            "<exif:DateTimeOriginal><rdf:Description><rdf:value>\(date)</rdf:value><xmp:a>1990</xmp:a></rdf:Description></exif:DateTimeOriginal>",
            "<exif:DateTimeOriginal><rdf:Seq><rdf:li>\(date)</rdf:li><rdf:li>1990</rdf:li></rdf:Seq></exif:DateTimeOriginal>",
            "<exif:DateTimeOriginal><![CDATA[\(date)]]></exif:DateTimeOriginal>",
            "<exif:DateTimeOriginal>2001-02-<!-- 1 -->03T04<?a b?>:05:<![CDATA[06]]></exif:DateTimeOriginal>",
            "<E:DateTimeOriginal xmlns:E='http://ns.adobe.com/exif/1.0/'>\(date)</E:DateTimeOriginal>",
            "<DateTimeOriginal xmlns='http://ns.adobe.com/exif/1.0/'>\(date)</DateTimeOriginal>",
            "<exif:DateTimeOriginal/><exif:DateTimeOriginal>\(date)</exif:DateTimeOriginal>",
        ])
    func elements(text: String) { expect(Self.packet(text)) }

    @Test(
        "what is left out, or tells of other pictures, is no date of this one",
        arguments: [
            "<!-- <exif:DateTimeOriginal>1990-01-02T03:04:05</exif:DateTimeOriginal> -->",
            "<?a <exif:DateTimeOriginal>1990-01-02T03:04:05</exif:DateTimeOriginal> ?>",
            "<dc:source><![CDATA[<exif:DateTimeOriginal>1990-01-02T03:04:05</exif:DateTimeOriginal>]]></dc:source>",
            "<xmpMM:Pantry><rdf:Bag><rdf:li rdf:parseType='Resource'><exif:DateTimeOriginal>1990-01-02T03:04:05</exif:DateTimeOriginal></rdf:li></rdf:Bag></xmpMM:Pantry>",
            "<xmpMM:Pantry><rdf:Bag><rdf:li><rdf:Description exif:DateTimeOriginal='1990-01-02T03:04:05'/></rdf:li></rdf:Bag></xmpMM:Pantry>",
            "<xmpMM:Ingredients><rdf:Bag><rdf:li exif:DateTimeOriginal='1990-01-02T03:04:05'/></rdf:Bag></xmpMM:Ingredients>",
            "<xmpMM:DerivedFrom exif:DateTimeOriginal='1990-01-02T03:04:05' stRef:documentID='a'/>",
            "<xmpMM:History><rdf:Seq><rdf:li exif:DateTimeOriginal='1990-01-02T03:04:05'/></rdf:Seq></xmpMM:History>",
            "<exif:DateTimeOriginal xmlns:exif='http://example.org/'>1990-01-02T03:04:05</exif:DateTimeOriginal>",
            "<exif:DateTimeOriginalOther>1990-01-02T03:04:05</exif:DateTimeOriginalOther>",
            "<dc:source exif:DateTimeOriginal='1990-01-02T03:04:05'/>",
        ])
    func foreign(text: String) {
        expect(Self.packet(text + "<exif:DateTimeOriginal>\(Self.date)</exif:DateTimeOriginal>"))
        #expect(dates(Self.packet(text)).isEmpty)
    }

    @Test("an ingredient's stars are not those of the picture")
    func rating() {
        let pantry =
            "<xmpMM:Pantry><rdf:Bag><rdf:li rdf:parseType='Resource'><xmp:Rating>5</xmp:Rating></rdf:li></rdf:Bag></xmpMM:Pantry>"
        #expect(XMPSidecar(Array(Self.packet(pantry).utf8))?.rating == nil)
        #expect(XMPSidecar(Array(Self.packet(pantry + "<xmp:Rating>3</xmp:Rating>").utf8))?.rating == 3)
    }

    @Test(
        "a place is read in every spelling of its degrees",
        arguments: [
            "exif:GPSLatitude='55,54.6790S' exif:GPSLongitude='36,57.8087E'",
            "exif:GPSLatitude='55,54,40.74S' exif:GPSLongitude='36,57,48.52E'",
            "exif:GPSLatitude='55.911317' exif:GPSLatitudeRef='S' exif:GPSLongitude='36.963478' exif:GPSLongitudeRef='E'",
            "exif:GPSLatitude='-55.911317' exif:GPSLongitude='36.963478'",
            "exif:GPSLatitude='-55.911317' exif:GPSLatitudeRef='South' exif:GPSLongitude='+36.963478'",
            "exif:GPSLatitude='55.911317S' exif:GPSLongitude='36.963478 E'",
            "exif:GPSLatitude='S 55.911317' exif:GPSLongitude='E 36.963478'",
            "exif:GPSLatitude='55/1 54/1 4074/100' exif:GPSLatitudeRef='S' exif:GPSLongitude='36/1 57/1 4852/100' exif:GPSLongitudeRef='E'",
            "exif:GPSLatitude='55/1,54/1,4074/100' exif:GPSLatitudeRef='s' exif:GPSLongitude='36/1,57/1,4852/100'",
            "exif:GPSLatitude='55,54.6790' exif:GPSLatitudeRef='S' exif:GPSLongitude='36,57.8087'",
            "exif:GPSLatitude='55 deg 54&apos; 40.74&quot; S' exif:GPSLongitude='36° 57′ 48.52″ E'",
        ])
    func places(attributes: String) throws {
        let place = try #require(XMPPacket(Array(Self.packet(attributes: " " + attributes).utf8)).place)
        #expect(abs(place.latitude + 55.911317) < 1e-4 && abs(place.longitude - 36.963478) < 1e-4)
    }

    @Test(
        "and none is made of other words",
        arguments: ["55,54,40,1S", "about 55", "55/0", "", "55,-54S", "5e1", "91", "55,54.1X", "55-54-40S", "55,61.5N"])
    func noPlace(latitude: String) {
        let packet = Self.packet(attributes: " exif:GPSLatitude='\(latitude)' exif:GPSLongitude='8,30.0E'")
        #expect(XMPPacket(Array(packet.utf8)).place == nil)
    }

    @Test("a height is told with its place, and may lie below the sea")
    func heights() {
        for (written, height) in [
            ("exif:GPSAltitude='4081/10'", 408.1), ("exif:GPSAltitude='408.1' exif:GPSAltitudeRef='0'", 408.1),
            ("exif:GPSAltitude='4300/10' exif:GPSAltitudeRef='1'", -430), ("exif:GPSAltitude='-430'", -430),
        ] {
            let packet = Self.packet(attributes: " exif:GPSLatitude='47.5' exif:GPSLongitude='8.5' \(written)")
            #expect(XMPPacket(Array(packet.utf8)).place?.altitude == height, "\(written)")
        }
    }

    @Test("texts are what their references mean, and no other reference means anything")
    func references() {
        let packet = Self.packet(
            attributes: " tiff:Make='Foo &amp; Bar' tiff:Model=\"M &lt;1&gt; &#xe9;&#8364;&b; &#xD800; &#x110000; &\"")
        let found = XMPPacket(Array(packet.utf8))
        #expect(found.make == "Foo & Bar" && found.model == "M <1> é€&b; &#xD800; &#x110000; &")
        let growing =
            "<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b \"&a;&a;]>\">]>" + Self.packet(attributes: " tiff:Make='&b;'")
        #expect(XMPPacket(Array(growing.utf8)).make == "&b;")
    }

    @Test("a packet of two or four bytes a sign is read in either order, with its mark or without")
    func wide() {
        for text in [Self.packet(attributes: " exif:DateTimeOriginal='\(Self.date)' tiff:Make='Ä€😀'")] {
            for mark in ["", "\u{FEFF}"] {
                let units = Array((mark + text).utf16)
                let scalars = (mark + text).unicodeScalars.map(\.value)
                let packets = [
                    units.flatMap { MadeFiles.big($0) }, units.flatMap { MadeFiles.little($0) },
                    scalars.flatMap { MadeFiles.big($0) }, scalars.flatMap { MadeFiles.little($0) },
                    Array((mark + text).utf8),
                ]
                for (number, packet) in packets.enumerated() {
                    let found = XMPPacket(packet)
                    #expect(found.takenAt.count == 1 && found.make == "Ä€😀", "\(number)")
                }
            }
        }
    }

    @Test("of several languages the one for all is taken, else the first")
    func languages() {
        func title(_ entries: String) -> String? {
            XMPSidecar(Array(Self.packet("<dc:title><rdf:Alt>\(entries)</rdf:Alt></dc:title>").utf8))?.title
        }
        let german = "<rdf:li xml:lang='de'>Katze &amp; Hund</rdf:li>"
        #expect(title(german + "<rdf:li xml:lang='en'>Cat</rdf:li>") == "Katze & Hund")
        #expect(title(german + "<rdf:li xml:lang = \"x-default\">Cat</rdf:li>") == "Cat")
        #expect(XMPSidecar(Array(Self.packet(attributes: " dc:title='Cat'").utf8))?.title == "Cat")
        let long = String(repeating: "é", count: 9000)
        #expect(title("<rdf:li>\(long)</rdf:li>")?.count == 8000)
    }

    @Test("an impossible date of a sidecar does not hide the possible one behind it")
    func impossible() throws {
        let now = try #require(CivilTime("2026-11-27T12:00:00")?.wallClockMilliseconds)
        for date in ["1904-01-01T00:00:00", "2036-02-03T04:05:06", "0001-01-01T00:00:00", "2012"] {
            let packet = Self.packet(
                attributes: " exif:DateTimeOriginal='\(date)' xmp:CreateDate='2012-02-03T04:05:06'")
            let found = XMPSidecar(Array(packet.utf8), now: now)?.takenAt
            #expect(found?.milliseconds == CivilTime("2012-02-03T04:05:06")?.wallClockMilliseconds, "\(date)")
        }
        #expect(XMPSidecar(Array("exif:DateTimeOriginal='2012'".utf8)) == nil)
    }

    @Test("what is deep, wide, long, cut or closed in disorder costs little and hides nothing")
    func hostile() {
        let inside = "<exif:DateTimeOriginal>\(Self.date)</exif:DateTimeOriginal>"
        expect(Self.packet(String(repeating: "<a>", count: 50_000) + String(repeating: "</a>", count: 50_000) + inside))
        expect(Self.packet("<a><b></a></b></c>" + inside))
        expect(Self.packet("<a < b='c' =d e>" + "</a>" + inside))
        expect(Self.packet(String(repeating: "<a xmlns:b='c'/>", count: 20_000) + inside))
        expect(Self.packet(inside, attributes: (0..<5000).map { " a\($0)='b'" }.joined()))
        expect(Self.packet(inside) + "<a b='")
        expect(Self.packet(inside) + "<![CDATA[ <!--")
        let begun = Self.packet("<exif:DateTimeOriginal>2001-02-03")
        #expect(dates(String(begun.split(separator: "-03")[0])).isEmpty)
        let whole = Array(Self.packet(inside, attributes: " tiff:Make='&amp;'").utf8)
        for count in 0..<whole.count { _ = XMPPacket(Array(whole.prefix(count))).takenAt }
    }
}
