import CZlib
import HTTPTypes
import NIOCore
import Testing

@testable import Web

@Suite struct GzipEncodingTests {
    /// What zlib makes of it again.
    private func decode(_ bytes: [UInt8], byteCount: Int) -> [UInt8]? {
        var source = bytes
        var decoded = [UInt8](repeating: 0, count: byteCount)
        return source.withUnsafeMutableBufferPointer { source in
            decoded.withUnsafeMutableBufferPointer { target in
                var stream = z_stream()
                guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
                    return nil
                }
                defer { inflateEnd(&stream) }
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                return inflate(&stream, Z_FINISH) == Z_STREAM_END ? Array(target) : nil
            }
        }
    }

    @Test(
        "A coding is wanted by who names it, likes it at least as much as the bytes themselves, and does not refuse it")
    func wanted() {
        for field in [
            "gzip", "gzip, deflate, br, zstd", "x-gzip", "GZIP;q=0.2", "*", "br;q=1, *;q=0.5",
            "gzip;q=0.5, identity;q=0.5",
            "deflate , gzip ; q=1.000", "identity;q=0, gzip",
        ] {
            #expect(GzipEncoding.isWanted(by: field), "\(field)")
        }
        for field in [
            nil, "", "identity", "gzip;q=0", "gzip;q=0.000", "*;q=0", "gzip;q=0, *", "br", "gzip;q=0.5, identity",
            "gzip;q=2",
            "gzip;q=nan", "gzip;q=", "gzip;q", ",;=", "gzipped",
        ] {
            #expect(!GzipEncoding.isWanted(by: field), "\(field ?? "none")")
        }
    }

    @Test("What is packed is shorter, the same each time, and comes out as it was")
    func packs() throws {
        let words = Array(String(repeating: "one lamp and another; ", count: 400).utf8)
        let packed = try #require(GzipEncoding.encode(ByteBuffer(bytes: words)))
        #expect(packed.readableBytes < words.count / 10)
        #expect(GzipEncoding.encode(ByteBuffer(bytes: words)) == packed)
        #expect(decode(Array(packed.readableBytesView), byteCount: words.count) == words)
    }

    @Test("What would not become shorter is not packed")
    func refuses() {
        for bytes in [[], [1], Array("a { b: c }".utf8), (0..<4000).map { _ in UInt8.random(in: 0...255) }] {
            #expect(GzipEncoding.encode(ByteBuffer(bytes: bytes)) == nil)
        }
    }

    @Test("A file of the page comes packed or plain as the client likes it, each with a tag of its own")
    func served() async throws {
        try await WebHost.run { host in
            let browser = host.browser()
            let script = "/js/long.js"
            let plain = try await browser.send(.get, script)
            let packed = try await browser.send(.get, script, headers: [.acceptEncoding: "gzip, br"])
            #expect(plain.text == WebHost.www["js/long.js"] && plain.headers[.contentEncoding] == nil)
            #expect(packed.headers[.contentEncoding] == "gzip")
            #expect(decode(packed.bytes, byteCount: plain.bytes.count) == plain.bytes)
            #expect(packed.headers[.contentLength] == "\(packed.bytes.count)")
            #expect(packed.headers[.contentType] == plain.headers[.contentType])
            #expect(packed.headers[.entityTag] != plain.headers[.entityTag])
            for answer in [plain, packed] {
                #expect(answer.headers[.vary] == "Accept-Encoding")
                #expect(answer.headers[.cacheControl] == "no-cache")
            }
            for refusal in ["identity", "gzip;q=0", "br"] {
                let answer = try await browser.send(.get, script, headers: [.acceptEncoding: refusal])
                #expect(answer.bytes == plain.bytes && answer.headers[.contentEncoding] == nil)
            }
        }
    }

    @Test("HEAD says of each form what GET says, and a range is not looked at")
    func head() async throws {
        try await WebHost.run { host in
            let browser = host.browser()
            for coding in ["identity", "gzip"] {
                let whole = try await browser.send(.get, "/js/long.js", headers: [.acceptEncoding: coding])
                let head = try await browser.send(.head, "/js/long.js", headers: [.acceptEncoding: coding])
                let part = try await browser.send(
                    .get, "/js/long.js", headers: [.acceptEncoding: coding, .range: "bytes=0-9"])
                for name in [HTTPField.Name.contentLength, .contentEncoding, .contentType, .entityTag, .vary] {
                    #expect(head.headers[name] == whole.headers[name], "\(coding) \(name)")
                }
                #expect(head.status == 200 && head.bytes.isEmpty)
                #expect(part.status == 200 && part.bytes == whole.bytes)
            }
        }
    }

    @Test("Who has a file is told so for the form that it has, and is sent the other one")
    func conditional() async throws {
        try await WebHost.run { host in
            let browser = host.browser()
            for (coding, other) in [("identity", "gzip"), ("gzip", "identity")] {
                let answer = try await browser.send(.get, "/js/long.js", headers: [.acceptEncoding: coding])
                let tag = try #require(answer.headers[.entityTag])
                let again = try await browser.send(
                    .get, "/js/long.js", headers: [.acceptEncoding: coding, .ifNoneMatch: tag])
                #expect(again.status == 304 && again.bytes.isEmpty)
                #expect(again.headers[.entityTag] == tag && again.headers[.vary] == "Accept-Encoding")
                #expect(again.headers[.contentEncoding] == nil)
                let changed = try await browser.send(
                    .get, "/js/long.js", headers: [.acceptEncoding: other, .ifNoneMatch: tag])
                #expect(changed.status == 200 && !changed.bytes.isEmpty)
            }
        }
    }

    @Test("Answers of the interface, and files that are too short for it, are never packed")
    func unpacked() async throws {
        try await WebHost.run { host in
            let browser = host.browser()
            try await browser.createVault()
            for uri in ["/api/hello", "/api/session", "/api/photos", "/nothing", "/health", "/js/main.js"] {
                let answer = try await browser.send(.get, uri, headers: [.acceptEncoding: "gzip"])
                #expect(answer.headers[.contentEncoding] == nil && answer.headers[.vary] == nil, "\(uri)")
            }
        }
    }
}
