import Testing

@testable import XML

private typealias XMLName = XMLPullParser.Name

extension XMLName {
    fileprivate static func dav(_ local: String) -> Self { Self("DAV:", local) }
}

@Suite struct XMLParserTests {
    private func parse(_ text: String) throws -> XMLElement { try XMLElement(document: Array(text.utf8)) }

    @Test("Names are known by what their prefixes stand for, where they stand")
    func namespaces() throws {
        let root = try parse(
            "<?xml version='1.0' encoding=\"UTF-8\"?>\r\n<a:x xmlns:a='DAV:' xmlns='n'><y/><b:z xmlns:b='m' b:q='1' r='2'/>"
                + "<a:w xmlns:a='other'/><a:w/><v xmlns=''/></a:x> <!-- end -->\n")
        #expect(root.name == .dav("x"))
        #expect(
            root.elements.map(\.name) == [
                XMLName("n", "y"), XMLName("m", "z"), XMLName("other", "w"), .dav("w"), XMLName("", "v"),
            ])
        #expect(root.elements[1].attributes.map(\.name) == [XMLName("m", "q"), XMLName("", "r")])
    }

    @Test("Text is what it stands for, and comes back as XML that says the same")
    func text() throws {
        let root = try parse("<a>1 &lt;&amp;&gt;&quot;&apos; &#65;&#x1F600;<![CDATA[<&]]]>é<!-- no --><?no no?>2</a>")
        #expect(root.text == "1 <&>\"' A😀<&]é2")
        let again = try parse("<a>\(root.inner)</a>")
        #expect(again.text == root.text)
        let nested = try parse("<p xmlns='DAV:'><foo xmlns='bar' xmlns:q='w' q:a='&lt;1'>x<c xmlns=''/></foo></p>")
        let copy = try parse("<p>\(nested.inner)</p>")
        #expect(copy.elements.first?.name == XMLName("bar", "foo"))
        #expect(copy.elements.first?.attributes.first?.value == "<1")
        #expect(copy.elements.first?.elements.first?.name == XMLName("", "c"))
    }

    @Test(
        "What is no plain document is refused",
        arguments: [
            "", " ", "x", "<a>", "<a></b>", "<a/><b/>", "<a/>x", "x<a/>", "<a", "<a x>", "<a x=1/>", "<a x='1' x='2'/>",
            "<a x='<'/>", "<a x='1'y='2'/>", "<a>&b;</a>", "<a>&</a>", "<a>&#0;</a>", "<a>&#xD800;</a>",
            "<a>&#x110000;</a>",
            "<a>&#;</a>", "<a>&#x;</a>", "<a>&#+65;</a>", "<a>&lt</a>", "<a>]]></a>", "<a><![CDATA[</a>",
            "<a><!-- -- --></a>",
            "<a><!--</a>", "<b:a/>", "<a b:c='1'/>", "<a xmlns:b=''/>", "<a xmlns:xmlns='x'/>", "<a xmlns:xml='x'/>",
            "<:a/>", "<a:b:c xmlns:a='x'/>", "<1/>", "<-a/>", "< a/>", "<a/ >", "</a>", "<a></a", "<a><![CDATA[]]>",
            "<!DOCTYPE a><a/>", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<a><!DOCTYPE b></a>", "<![CDATA[x]]><a/>",
            "<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>", "<?xml version='1.0' encoding='utf-16'?><a/>",
            "<a/><?xml version='1.0'?>", " <?xml version='1.0'?><a/>", "<a>\u{1}</a>", "<a>\u{ffff}</a>",
            "<a x:b='1' y:b='2' xmlns:x='n' xmlns:y='n'/>", "<?xml", "<?x", "<a><?x</a>", "<a x='1",
        ])
    func refused(text: String) {
        #expect(throws: XMLPullParser.Failure.self) { try parse(text) }
    }

    @Test("Bodies, depths, attributes and names have an end")
    func limits() throws {
        let depth = XMLPullParser.mostDepth
        _ = try parse(String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth))
        #expect(throws: XMLPullParser.Failure.self) {
            try parse(String(repeating: "<a>", count: depth + 1) + String(repeating: "</a>", count: depth + 1))
        }
        let attributes = (0...XMLPullParser.mostAttributes).map { " a\($0)=''" }.joined()
        #expect(throws: XMLPullParser.Failure.self) { try parse("<a\(attributes)/>") }
        #expect(throws: XMLPullParser.Failure.self) { try parse("<\(String(repeating: "a", count: 257))/>") }
        let filling = String(repeating: " ", count: XMLPullParser.mostBytes - 7)
        _ = try parse("<a>\(filling)</a>")
        #expect(throws: XMLPullParser.Failure.self) { try parse("<a>\(filling) </a>") }
        #expect(throws: XMLPullParser.Failure.self) { try XMLElement(document: [0x3c, 0x61, 0xff, 0x2f, 0x3e]) }
    }

    @Test("However a document is cut or changed, it is read or refused")
    func changed() throws {
        let document = Array(
            """
            <?xml version="1.0"?><D:propertyupdate xmlns:D="DAV:" xmlns:Z="urn:z"><D:set><D:prop><Z:a q='1'>&lt;x&#65;<![CDATA[y]]></Z:a>\
            <!-- c --></D:prop></D:set><?p i?><D:remove><D:prop><Z:b/></D:prop></D:remove></D:propertyupdate>
            """.utf8)
        for end in document.indices {
            #expect(throws: XMLPullParser.Failure.self) { try XMLElement(document: Array(document[..<end])) }
        }
        var (read, random) = (0, SystemRandomNumberGenerator())
        for _ in 0..<5_000 {
            var changed = document
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: changed.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: changed[place] = UInt8.random(in: 0...255, using: &random)
                case 1: changed.remove(at: place)
                default: changed.insert(changed[Int.random(in: changed.indices, using: &random)], at: place)
                }
            }
            if let element = try? XMLElement(document: changed) {
                read += 1
                // What was read can be written and read again.
                _ = try parse("<a>\(element.inner)</a>")
            }
        }
        #expect(read > 0)
    }
}
