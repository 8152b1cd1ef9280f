import Foundation
import Testing

@testable import Listener

@Suite("Where a request ends", .timeLimit(.minutes(10)))
struct FramingTests {
    private static let chunked = "5\r\nphoto\r\n0\r\n\r\n"

    @Test(
        "A coding that is not chunked alone is refused, and nothing behind it is answered",
        arguments: ["", " ", "gzip", "gzip, chunked", "chunked, chunked", "identity", "chunked, "])
    func coding(_ coding: String) async throws {
        try await TestDoor.open { door in
            let request = "PUT /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: \(coding)\r\n\r\n" + Self.chunked
            let answer = try await RawClient.exchange(
                with: door.address, request + "GET /b HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
            #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2, "\(answer)")
        }
    }

    @Test("HTTP/1.0 knows no coding")
    func old() async throws {
        try await TestDoor.open { door in
            let request = "PUT /a HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" + Self.chunked
            let answer = try await RawClient.exchange(with: door.address, request)
            #expect(answer.hasPrefix("HTTP/1.1 400 ") || answer.hasPrefix("HTTP/1.0 400 "), "\(answer)")
        }
    }

    @Test("chunked, however it is spelled, is a body", arguments: ["chunked", "CHUNKED", "  chunked"])
    func known(_ coding: String) async throws {
        try await TestDoor.open { door in
            let request = "PUT /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\nTransfer-Encoding: \(coding)\r\n\r\n"
            let answer = try await RawClient.exchange(with: door.address, request + Self.chunked)
            #expect(answer.bodies == ["/a 5"])
        }
    }
}
