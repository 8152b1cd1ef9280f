import Bytes
import Testing

@testable import XML

private typealias XMLName = XMLPullParser.Name

extension XMLName {
    fileprivate static func dav(_ local: String) -> Self { Self("DAV:", local) }
}

@Suite struct XMLParserTests {
    private func parse(_ text: String) throws -> XMLElement { try parse(Array(text.utf8)) }

    private func parse(_ bytes: [UInt8]) throws -> XMLElement {
        try XMLElement(document: bytes, from: Allowance(.vault))
    }

    private func inner(of element: XMLElement, atMost limit: Int = 1 << 20) throws -> String {
        try element.inner(atMost: limit, from: Allowance(.vault))
    }

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
        let again = try parse("<a>\(inner(of: root))</a>")
        #expect(again.text == root.text)
        let nested = try parse("<p xmlns='DAV:'><foo xmlns='bar' xmlns:q='w' q:a='&lt;1'>x<c xmlns=''/></foo></p>")
        let copy = try parse("<p>\(inner(of: nested))</p>")
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
            "<a/><?xml version='1.0'?>", " <?xml version='1.0'?><a/>", "<a>\u{1}</a>", "<a>\u{fffe}</a>",
            "<a>\u{ffff}</a>",
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
        // To compare texts takes the square of the marks on one letter.
        let marks = String(repeating: "\u{301}", count: 20)
        _ = try parse("<a x='\(marks)'>\(marks)<b/>\(marks)&#x301;</a>")
        for text in [marks + marks, marks + String(repeating: "&#x301;", count: 20)] {
            #expect(throws: XMLPullParser.Failure.self) { try parse("<a>\(text)</a>") }
            #expect(throws: XMLPullParser.Failure.self) { try parse("<a x='\(text)'/>") }
        }
        let blanks = String(repeating: " ", count: 300)
        #expect(throws: XMLPullParser.Failure(reason: "its declaration is too long")) {
            try parse("<?xml version='1.0'\(blanks)?><a/>")
        }
        // The root and the attribute of one of them count, too.
        let names = XMLPullParser.mostNames - 2
        _ = try parse("<p>\(String(repeating: "<a/>", count: names - 1))<a b=''/></p>")
        #expect(throws: XMLPullParser.Failure(reason: "it has too many elements and attributes")) {
            try parse("<p>\(String(repeating: "<a/>", count: names))<a b=''/></p>")
        }
        let filling = String(repeating: " ", count: XMLPullParser.mostBytes - 7)
        _ = try parse("<a>\(filling)</a>")
        #expect(throws: XMLPullParser.Failure.self) { try parse("<a>\(filling) </a>") }
        #expect(throws: XMLPullParser.Failure.self) { try parse([0x3c, 0x61, 0xff, 0x2f, 0x3e]) }
    }

    @Test("What is written again is about as long as what was read, however long the namespace that all inherit")
    func inherited() throws {
        let namespace = String(repeating: "n", count: XMLPullParser.longestName)
        let text = "<p xmlns='\(namespace)'><o>\(String(repeating: "<a>x</a>", count: 2_000))</o></p>"
        let written = try inner(of: try parse(text))
        #expect(written.utf8.count < text.utf8.count + 100)
        let copy = try parse("<p xmlns='DAV:'>\(written)</p>")
        #expect(copy.elements.first?.elements.allSatisfy { $0.name == XMLName(namespace, "a") } == true)
        #expect(copy.elements.first?.elements.count == 2_000)
    }

    @Test("Writing ends at its limit, before what goes beyond is made")
    func writingEnds() throws {
        let namespace = String(repeating: "n", count: XMLPullParser.longestName)
        let siblings = try parse("<p xmlns='\(namespace)'>\(String(repeating: "<a/>", count: 2_000))</p>")
        let quotes = try parse("<p>\(String(repeating: "'", count: 3_000))</p>")
        let attributes = try parse("<p><a b=\"\(String(repeating: "'", count: 3_000))\"/></p>")
        for document in [siblings, quotes, attributes] {
            #expect(throws: Allowance.Spent(resource: .memory)) { try inner(of: document, atMost: 2048) }
        }
        #expect(
            try inner(of: try parse("<p>\(String(repeating: "x", count: 2048))</p>"), atMost: 2048).utf8.count == 2048)
        let allowance = Allowance(.nobody)
        #expect(throws: Allowance.Spent(resource: .memory)) { try siblings.inner(atMost: 2 << 20, from: allowance) }
    }

    @Test("Namespaces have an end, and so have those that hold at one place")
    func namespacesEnd() throws {
        let longest = String(repeating: "n", count: XMLPullParser.longestName)
        _ = try parse("<a xmlns='\(longest)' xmlns:b='\(longest)'/>")
        #expect(throws: XMLPullParser.Failure(reason: "a namespace is too long")) {
            try parse("<a xmlns='\(longest)n'/>")
        }
        #expect(throws: XMLPullParser.Failure(reason: "a namespace is too long")) {
            try parse("<a xmlns:b='\(longest)n'/>")
        }
        func nested(_ count: Int) -> String {
            (0..<count).map { "<a xmlns:a\($0)='n' xmlns:b\($0)='n' xmlns:c\($0)='n'>" }.joined()
                + String(repeating: "</a>", count: count)
        }
        _ = try parse(nested(20))
        #expect(throws: XMLPullParser.Failure(reason: "it has too many namespaces")) { try parse(nested(21)) }
        // What has ended does not count.
        _ = try parse("<p>\(String(repeating: nested(20), count: 5))</p>")
    }

    @Test("A reader takes what it reads from the allowance, and ends where that does")
    func allowance() throws {
        let most = Allowance.share(of: .nobody).names
        func document(_ count: Int) -> [UInt8] { Array("<p>\(String(repeating: "<a/>", count: count - 1))</p>".utf8) }
        let allowance = Allowance(.nobody)
        _ = try XMLElement(document: document(most), from: allowance)
        #expect(allowance.taken(.names) == most)
        #expect(allowance.taken(.memory) > document(most).count)
        let spent = XMLPullParser.Failure(reason: "it holds more than may be read", spent: .names)
        #expect(throws: spent) { try XMLElement(document: document(most + 1), from: Allowance(.nobody)) }
        let attributes = Array("<p\((0..<most).map { " a\($0)=''" }.joined())/>".utf8)
        #expect(throws: spent) { try XMLElement(document: attributes, from: Allowance(.nobody)) }
    }

    @Test("However a document is cut or changed, it is read or refused")
    func changed() throws {
        let document = Array(
            """
            <?xml version="1.0"?><D:propertyupdate xmlns:D="DAV:" xmlns:Z="urn:z"><D:set><D:prop><Z:a q='1'>&lt;x&#65;<![CDATA[y]]></Z:a>\
            <!-- c --></D:prop></D:set><?p i?><D:remove><D:prop><Z:b/></D:prop></D:remove></D:propertyupdate>
            """.utf8)
        for end in document.indices {
            #expect(throws: XMLPullParser.Failure.self) { try parse(Array(document[..<end])) }
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
            if let element = try? parse(changed) {
                read += 1
                // What was read can be written and read again.
                _ = try parse("<a>\(inner(of: element))</a>")
            }
        }
        #expect(read > 0)
    }
}
