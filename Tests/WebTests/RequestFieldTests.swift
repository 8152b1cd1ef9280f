import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import Records
@testable import Web

@Suite("What is read of a request")
struct RequestFieldTests {
    private func request(_ path: String = "/", _ fields: HTTPFields = [:]) -> Request {
        Request(
            head: HTTPRequest(method: .put, scheme: "http", authority: "localhost", path: path, headerFields: fields),
            body: RequestBody(buffer: ByteBuffer()))
    }

    @Test("A field is as the whole of them says, also where it was given more than once")
    func fields() {
        var fields: HTTPFields = [.contentType: "text/plain", .accept: ""]
        fields.append(HTTPField(name: .origin, value: "http://localhost"))
        fields.append(HTTPField(name: .origin, value: "http://evil.example"))
        fields.append(HTTPField(name: .contentLength, value: "3"))
        fields.append(HTTPField(name: .contentLength, value: "3"))
        let request = request("/", fields)
        for name in [.contentType, .accept, .origin, .contentLength, .secFetchSite] as [HTTPField.Name] {
            #expect(request.field(name) == request.headers[name])
        }
        #expect(request.field(.origin) == "http://localhost, http://evil.example")
        #expect(request.declaredByteCount == nil)
    }

    @Test("Of words for pieces, long names and more fields than any library has are not looked at")
    func pieces() {
        func says(_ fields: [(String, String)]) -> Bool {
            var words = PieceWords()
            for (name, value) in fields { words.add(name, value) }
            return words.sayPiece
        }
        #expect(says([("chunkNumber", "2")]) && says([("chunkMetadata", #"{"TotalCount": 3}"#)]))
        #expect(!says([("chunk" + String(repeating: "k", count: 60), "2")]))
        let members = "{" + String(repeating: "a:1,", count: 250) + "}"
        #expect(!says([(String(repeating: "metadata", count: 3000), members)]))
        #expect(!says(Array(repeating: ("resume", "no"), count: 64) + [("chunkNumber", "2")]))
    }

    @Test(
        "The last component of a path is what stands before the slashes at its end",
        arguments: [
            ("/api/photos/a%20b.jpg", "a b.jpg"), ("/api/photos/a.jpg/", "a.jpg"), ("/api/photos/a.jpg//", "a.jpg"),
            ("/api/photos/%E7%85%A7.jpg?batch=1", "照.jpg"), ("/a", "a"), ("/%2F", "/"),
        ])
    func lastComponent(path: String, name: String) throws {
        #expect(try request(path).lastPathComponent() == name)
    }

    @Test("A path without a component, or with one that is no text, is refused", arguments: ["/", "//", "", "/%ff"])
    func noComponent(path: String) {
        #expect(throws: WebError.self) { try request(path).lastPathComponent() }
    }

    @Test(
        "The date of an answer is that of its second",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (0.9999, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (1, "Thu, 01 Jan 1970 00:00:01 GMT"), (0.5, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (-0.5, "Wed, 31 Dec 1969 23:59:59 GMT"),
        ])
    func date(seconds: Double, text: String) {
        // Twice, for the second time it is not made anew.
        for _ in 0..<2 { #expect(DateField.text(at: Date(timeIntervalSince1970: seconds)) == text) }
    }
}
