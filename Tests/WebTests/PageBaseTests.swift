import Testing

@testable import Web

@Suite("A path below which a proxy shows the page")
struct PageBaseTests {
    @Test("is one of plain names, with or without a slash at its end", arguments: ["/photos", "/photos/"])
    func takesPaths(text: String) throws {
        #expect(try #require(PageBase(text)).path == "/photos")
    }

    @Test("is nothing else", arguments: ["", "/", "photos", "//photos", "/a//b", "/../a", "/a b", "/a?b", "/a%2Fb"])
    func refusesOthers(text: String) {
        #expect(PageBase(text) == nil)
    }

    @Test("stands before every address of a file, and before nothing else")
    func movesAddresses() throws {
        let base = try #require(PageBase("/photos"))
        #expect(base.moved(#"fetch("/api/hello")"#, namesRoot: false) == #"fetch("/photos/api/hello")"#)
        #expect(base.moved("`/api/photos/${id}`", namesRoot: false) == "`/photos/api/photos/${id}`")
        #expect(base.moved(#"<a href="/">"#, namesRoot: true) == #"<a href="/photos/">"#)
        for text in [#"type.split("/")[1]"#, "/iPhone|iPad/.test(a)", #"import "./a.js""#, #""image/jpeg""#, #""//a""#]
        {
            #expect(base.moved(text, namesRoot: false) == text)
        }
    }
}
