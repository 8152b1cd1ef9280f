import Bytes
import NIOCore
import Testing

@testable import Web

/// What a form says once its slices are put together.
private struct Form: Equatable {
    var parts: [MultipartPart] = []
    var bodies: [[UInt8]] = []
    var endedPartCount = 0
}

@Suite struct MultipartParserTests {
    private let boundary = "----WebKitFormBoundaryx7Gk"

    private func parse(_ pieces: [[UInt8]], boundary: String? = nil, limits: MultipartLimits = .init()) throws -> Form {
        let type = "multipart/form-data; boundary=\"\(boundary ?? self.boundary)\""
        var parser = MultipartParser(
            boundary: try MultipartBoundary(contentType: type), limits: limits, from: Allowance(.vault))
        var form = Form()
        for piece in pieces {
            parser.push(ByteBuffer(bytes: piece))
            while let event = try parser.next() {
                switch event {
                case .partBegin(let part):
                    form.parts.append(part)
                    form.bodies.append([])
                case .body(let slice):
                    #expect(slice.readableBytes > 0)
                    form.bodies[form.bodies.count - 1] += slice.readableBytesView
                case .partEnd:
                    form.endedPartCount += 1
                }
            }
        }
        try parser.finish()
        #expect(form.endedPartCount == form.parts.count)
        return form
    }

    private func body(_ parts: [(header: String, body: [UInt8])], preamble: String = "", epilogue: String = "\r\n")
        -> [UInt8]
    {
        var bytes = Array(preamble.utf8)
        for (index, part) in parts.enumerated() {
            bytes += Array("\(index == 0 ? "" : "\r\n")--\(boundary)\r\n\(part.header)\r\n\r\n".utf8) + part.body
        }
        return bytes + Array("\r\n--\(boundary)--\(epilogue)".utf8)
    }

    private func file(_ name: String) -> String {
        "Content-Disposition: form-data; name=\"photos\"; filename=\"\(name)\"\r\nContent-Type: image/jpeg"
    }

    /// Bodies with every near miss of the boundary that a photo could hold.
    private var realisticForms: [(bytes: [UInt8], form: Form)] {
        let nearMisses = Array("\r\n--\(boundary.dropLast())\r\r\n-\r\n--\r\n\n\r\r\r\n--\(boundary.dropLast(2))".utf8)
        let bodies: [[UInt8]] = [[], [0x0d], Array("\r\n".utf8), nearMisses, Array("\r\n--".utf8), [0xff, 0xd8, 0, 1]]
        let parts = bodies.enumerated().map { (header: file("\($0.offset).jpg"), body: $0.element) }
        let expected = Form(
            parts: bodies.indices.map {
                MultipartPart(name: "photos", filename: "\($0).jpg", contentType: "image/jpeg")
            },
            bodies: bodies, endedPartCount: bodies.count)
        let password = [(header: "Content-Disposition: form-data; name=\"password\"", body: Array("pässword".utf8))]
        return [
            (body(parts), expected),
            (
                body(parts, preamble: "This is\r\na preamble --\(boundary)\r\n", epilogue: "\r\nmore --\(boundary)"),
                expected
            ),
            (
                body(password, epilogue: ""),
                Form(parts: [MultipartPart(name: "password")], bodies: [password[0].body], endedPartCount: 1)
            ),
        ]
    }

    @Test("A form reads the same wherever it is cut in two")
    func everySplit() throws {
        for (bytes, expected) in realisticForms {
            for cut in 0...bytes.count {
                #expect(try parse([Array(bytes[..<cut]), Array(bytes[cut...])]) == expected, "cut at \(cut)")
            }
        }
    }

    @Test("A form reads the same in pieces of any equal size", arguments: 1...80)
    func equalPieces(size: Int) throws {
        for (bytes, expected) in realisticForms {
            let pieces = stride(from: 0, to: bytes.count, by: size).map {
                Array(bytes[$0..<min($0 + size, bytes.count)])
            }
            #expect(try parse(pieces) == expected)
        }
    }

    @Test("A form reads the same cut in three around each boundary")
    func threePieces() throws {
        let (bytes, expected) = realisticForms[0]
        for first in 0..<bytes.count where bytes[first] == 0x0d {
            for length in 1...(boundary.count + 4) where first + length <= bytes.count {
                let middle = first + length
                let pieces = [Array(bytes[..<first]), Array(bytes[first..<middle]), Array(bytes[middle...])]
                #expect(try parse(pieces) == expected)
            }
        }
    }

    @Test("A form cut off anywhere before its closing boundary is refused")
    func truncation() throws {
        let (bytes, _) = realisticForms[2]
        for end in 0..<bytes.count {
            #expect(throws: WebError.bodyEndedEarly) { try parse([Array(bytes[..<end])]) }
        }
    }

    @Test("Body bytes are handed out without a copy")
    func slicesShareMemory() throws {
        let content = [UInt8](repeating: 7, count: 100_000)
        let piece = ByteBuffer(bytes: body([(header: file("a.jpg"), body: content)]))
        let type = "multipart/form-data; boundary=\(boundary)"
        var parser = MultipartParser(boundary: try MultipartBoundary(contentType: type), from: Allowance(.vault))
        parser.push(piece)
        var isSlice = false
        while let event = try parser.next() {
            guard case .body(let slice) = event else { continue }
            piece.withUnsafeReadableBytes { whole in
                slice.withUnsafeReadableBytes { part in
                    guard let start = part.baseAddress, let all = whole.baseAddress else { return }
                    isSlice = start >= all && start + part.count <= all + whole.count && part.count == content.count
                }
            }
        }
        #expect(isSlice)
    }

    @Test(
        "What can be read in two ways is refused",
        arguments: [
            "--B\nContent-Disposition: form-data; name=\"a\"\n\nx\n--B--\n",
            "--B\r\nContent-Disposition: form-data; name=\"a\"\n\r\nx\r\n--B--",
            "--B\r\nContent-Disposition: form-data; name=\"a\"\r\r\n\r\nx\r\n--B--",
            "--B\r\nContent-Disposition: form-data;\r\n name=\"a\"\r\n\r\nx\r\n--B--",
            "--B\r\nContent-Disposition: form-data; name=\"a\u{0}\"\r\n\r\nx\r\n--B--",
            "--B\r\nContent-Disposition: form-data; name=\"a\"; name=\"b\"\r\n\r\nx\r\n--B--",
            "--B\r\nContent-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b\r\n\r\nx\r\n--B--",
            "--B\r\nContent-Disposition : form-data; name=\"a\"\r\n\r\nx\r\n--B--",
            "--B\r\nContent-Disposition: form-data; name=\"a\r\n\r\nx\r\n--B--",
            "--Bx\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--B--",
            "--B -\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--B--",
            "--B-x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--B--",
        ])
    func ambiguity(text: String) {
        for size in [1, 7, 1000] {
            let bytes = Array(text.utf8)
            let pieces = stride(from: 0, to: bytes.count, by: size).map {
                Array(bytes[$0..<min($0 + size, bytes.count)])
            }
            let error = #expect(throws: WebError.self) { try parse(pieces, boundary: "B") }
            guard case .malformedMultipart = error else {
                Issue.record("\(String(describing: error)) for \(text.debugDescription)")
                continue
            }
        }
    }

    @Test("A file without the name of a form's field is a file")
    func noFieldName() throws {
        let text = "--B\r\nContent-Disposition: attachment; filename=\"a\"\r\n\r\nx\r\n--B--"
        #expect(try parse([Array(text.utf8)], boundary: "B").parts == [MultipartPart(name: "", filename: "a")])
    }

    @Test("A part that is only a piece of a file, or compressed, is refused")
    func pieces() {
        let head = "--B\r\nContent-Disposition: form-data; name=a; filename=b\r\n"
        for (field, error) in [
            ("Content-Range: bytes 0-1/3", WebError.partOfFile),
            ("Content-Encoding: gzip", WebError.unsupportedContentEncoding),
            ("X-Chunk-Index: 1", WebError.partOfFile), ("Content-Type: message/partial", WebError.partOfFile),
            ("Content-Type: multipart/mixed; boundary=C", WebError.malformedMultipart("a part is a form of its own")),
        ] {
            #expect(throws: error) {
                try parse([Array("\(head)\(field)\r\n\r\nx\r\n--B--".utf8)], boundary: "B")
            }
        }
    }

    @Test("A part does not end where its boundary turns out to be none")
    func brokenBoundary() throws {
        var parser = MultipartParser(
            boundary: try MultipartBoundary(contentType: "multipart/form-data; boundary=B"), from: Allowance(.vault))
        parser.push(
            ByteBuffer(string: "--B\r\nContent-Disposition: form-data; name=f; filename=a\r\n\r\nphoto\r\n--Bx\r\n"))
        var hasEnded = false
        #expect(throws: WebError.self) {
            while let event = try parser.next() { if case .partEnd = event { hasEnded = true } }
        }
        #expect(!hasEnded)
    }

    @Test("Parts are taken from the allowance, and a form of more ends there")
    func allowance() throws {
        let most = Allowance.share(of: .nobody).names
        let parts = String(repeating: "--B\r\nContent-Disposition: form-data; name=f\r\n\r\nx\r\n", count: most + 1)
        var parser = MultipartParser(
            boundary: try MultipartBoundary(contentType: "multipart/form-data; boundary=B"), from: Allowance(.nobody))
        parser.push(ByteBuffer(string: parts))
        var count = 0
        #expect(throws: WebError.tooMuch) {
            while let event = try parser.next() { if case .partBegin = event { count += 1 } }
        }
        #expect(count == most)
    }

    @Test("An error stays")
    func stickyError() throws {
        var parser = MultipartParser(
            boundary: try MultipartBoundary(contentType: "multipart/form-data; boundary=B"), from: Allowance(.vault))
        parser.push(ByteBuffer(string: "--B\r\nContent-Disposition\r\n"))
        #expect(throws: WebError.self) { _ = try parser.next() }
        parser.push(ByteBuffer(string: "\r\n--B--"))
        #expect(throws: WebError.self) { _ = try parser.next() }
        #expect(throws: WebError.self) { try parser.finish() }
    }

    @Test("A compressed part is refused, a binary one is not")
    func transferEncoding() throws {
        let header = file("a.jpg") + "\r\nContent-Transfer-Encoding: "
        #expect(try parse([body([(header + "Binary", [1])])]).bodies == [[1]])
        #expect(throws: WebError.unsupportedContentEncoding) { try parse([body([(header + "base64", [1])])]) }
    }

    @Test("Parts, part headers and preambles have limits")
    func limits() throws {
        var limits = MultipartLimits()
        limits.partCount = 3
        limits.partHeaderByteCount = 200
        limits.preambleByteCount = 50
        let part = (header: file("a.jpg"), body: [UInt8(1)])
        #expect(try parse([body(Array(repeating: part, count: 3))], limits: limits).parts.count == 3)
        #expect(throws: WebError.self) { try parse([body(Array(repeating: part, count: 4))], limits: limits) }
        let longName = (header: file(String(repeating: "n", count: 200)), body: [UInt8(1)])
        #expect(throws: WebError.self) { try parse([body([longName])], limits: limits) }
        let preamble = String(repeating: "p", count: 51)
        #expect(throws: WebError.self) { try parse([body([part], preamble: preamble)], limits: limits) }
    }

    @Test("Time grows with the length alone, also for bytes that nearly match")
    func linearTime() throws {
        let nearMiss = Array("\r\n--\(boundary.dropLast())".utf8)
        let content = Array(repeatElement(nearMiss, count: 20_000).joined())
        #expect(try parse([body([(file("a.jpg"), content)])]).bodies == [content])
        let carriageReturns = [UInt8](repeating: 0x0d, count: 1_000_000)
        #expect(try parse([body([(file("a.jpg"), carriageReturns)])]).bodies == [carriageReturns])
        var limits = MultipartLimits()
        limits.partHeaderByteCount = 64 * 1024
        let header = "Content-Disposition: form-data; name=a" + String(repeating: "; x", count: 20_000)
        #expect(throws: WebError.self) { try parse([body([(header, [])])], limits: limits) }
    }

    @Test("Only boundaries of 1 to 70 allowed characters are taken")
    func boundaries() throws {
        for text in ["B", String(repeating: "b", count: 70), "a'b(c)+_,-./:=?d", "*****", "x@y", "a b&c"] {
            let form = "--\(text)\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n--\(text)--"
            #expect(try parse([Array(form.utf8)], boundary: text).bodies == [[0x78]])
        }
        for type in [
            "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"a \"",
            "multipart/form-data; boundary=\(String(repeating: "b", count: 71))",
            "multipart/form-data; boundary=a\u{e9}", "multipart/form-data; boundary=a; boundary=b",
        ] {
            #expect(throws: WebError.self) { try MultipartBoundary(contentType: type) }
        }
        #expect(throws: WebError.unsupportedMediaType) {
            try MultipartBoundary(contentType: "multipart/mixed; boundary=a")
        }
    }
}
