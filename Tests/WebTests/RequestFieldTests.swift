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

    @Test("Texts of a header that take the square of their length are refused, and names as long as any are not")
    func comparable() async throws {
        let metadata = try #require(HTTPField.Name("Upload-Metadata"))
        let marks = { String(repeating: "\u{301}\u{316}", count: $0) }
        try await WebHost.run { host in
            try await host.client { browser in
                for (count, status) in [(1024, 200), (1025, 400), (8000, 400)] {
                    let answer = try await browser.exchange(.get, "/api/hello", headers: [metadata: marks(count)])
                    #expect(answer.status == status, "\(count)")
                }
            }
        }
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
