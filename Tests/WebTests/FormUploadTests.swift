import FoundationEssentials
import HTTPTypes
import Testing

@testable import Web

@Suite struct FormUploadTests {
    private static let form: HTTPFields = [.contentType: "multipart/form-data; boundary=B"]

    private func body(_ parts: [(disposition: String, body: String)]) -> String {
        parts.map { "--B\r\nContent-Disposition: form-data; \($0.disposition)\r\n\r\n\($0.body)\r\n" }.joined()
            + "--B--\r\n"
    }

    private func file(_ name: String, _ content: String) -> (disposition: String, body: String) {
        ("name=\"photos\"; filename=\"\(name)\"", content)
    }

    @Test("Every file of a form is saved, in order")
    func several() async throws {
        let body = body([file("a.jpg", "one"), ("name=\"note\"", "x"), file("b.jpg", "two"), file("", "")])
        try await WebHost.run { host in
            try await host.client { browser in
                try await browser.createVault()
                let answer = try await browser.send(.post, "/api/photos", headers: Self.form, body: body)
                #expect(answer.status == 201)
                let photos = try answer.json(PhotoList.self)
                #expect(photos.names == ["a.jpg", "b.jpg"])
                let id = try #require(photos.photos[1].id)
                #expect(try await browser.send(.get, "/api/photos/\(id)/original").text == "two")
            }
        }
    }

    @Test("Each file of a form counts as the request that it would be by itself")
    func turns() async throws {
        let files = (1...5).map { file("\($0).jpg", "photo \($0)") }
        try await WebHost.run { host in
            try await host.client { browser in
                try await browser.createVault()
                let answer = try await browser.send(
                    .post, "/api/photos", headers: Self.form, body: body(files + [("name=\"note\"", "x")]))
                #expect(answer.status == 201)
                #expect(browser.turns.count == files.count - 1)
            }
        }
    }

    @Test("A file that cannot be kept does not keep the others out")
    func partial() async throws {
        let long = String(repeating: "n", count: 2000)
        let body = body([
            file("a.jpg", "one"), file(long, "two"), file("big.jpg", String(repeating: "x", count: 1001)),
            file("b.jpg", "three"),
        ])
        try await WebHost.run(fileByteCount: 1000) { host in
            try await host.client { browser in
                try await browser.createVault()
                let answer = try await browser.send(.post, "/api/photos", headers: Self.form, body: body)
                #expect(answer.status == 207)
                let photos = try answer.json(PhotoList.self).photos
                #expect(photos.map(\.name) == ["a.jpg", long, "big.jpg", "b.jpg"])
                #expect(photos.map(\.error) == [nil, "name-invalid", "file-too-large", nil])
                #expect(try await browser.send(.get, "/api/photos").json(PhotoList.self).names == ["b.jpg", "a.jpg"])
            }
        }
    }

    @Test("A photo is kept also where its part says nothing of it, or calls it a text; values of fields are not")
    func unsaid() async throws {
        let jpeg: [UInt8] = [0xff, 0xd8, 0xff, 0xe0]
        let raw: [UInt8] = [0x46, 0x4f, 0x56, 0x62, 0, 1, 0xfe]
        let heads = ["", "Content-Type: image/jpeg\r\n", "Content-Disposition: attachment\r\n"]
        var form: [UInt8] = []
        for (head, content) in heads.map({ ($0, jpeg) }) + [
            ("Content-Disposition: form-data; name=\"p\"\r\nContent-Type: text/plain\r\n", jpeg),
            ("Content-Disposition: form-data; name=\"part_1\"\r\n", raw),
            ("Content-Disposition: form-data; name=\"note\"\r\n", Array("schön".utf8)),
            ("Content-Disposition: form-data; name=\"json\"\r\nContent-Type: application/json\r\n", Array("{}".utf8)),
        ] { form += Array("--B\r\n\(head)\r\n".utf8) + content + Array("\r\n".utf8) }
        try await WebHost.run { [form] in
            try await $0.client { browser in
                try await browser.createVault()
                let answer = try await browser.send(
                    .post, "/api/photos", headers: Self.form, bytes: form + Array("--B--\r\n".utf8))
                #expect(answer.status == 201)
                #expect(try answer.json(PhotoList.self).names.count == 5)
            }
        }
    }

    @Test("Names of aiohttp's forms are read, and the same ones of others stay")
    func percentNames() async throws {
        try await WebHost.run { host in
            try await host.client { browser in
                try await browser.createVault()
                for (agent, name) in [
                    ("Python/3.11 aiohttp/3.9", "Über \"uns\" 1%.jpg"),
                    ("Mozilla/5.0", "%C3%9Cber%20\"uns\"%201%25.jpg"),
                ] {
                    var headers = Self.form
                    headers[.userAgent] = agent
                    let form = body([file("%C3%9Cber%20%22uns%22%201%25.jpg", agent)])
                    let answer = try await browser.send(.post, "/api/photos", headers: headers, body: form)
                    #expect(try answer.json(PhotoList.self).names == [name])
                }
            }
        }
    }

    @Test("Photos that come without a name are kept, and other fields are not")
    func nameless() async throws {
        let jpeg = "\u{7f}ELF"
        var form = body([
            file("a.jpg", "one"), file("", "two"), file("  ", "three"), ("name=\"note\"", "GIF ends"),
            ("name=\"x\"", "GIF89a"),
            file("", ""),
        ])
        form = String(form.dropLast("--B--\r\n".count))
        form += "--B\r\nContent-Disposition: form-data; name=\"p\"\r\nContent-Type: image/jpeg\r\n\r\n\(jpeg)\r\n"
        form += "--B\r\nContent-Disposition: form-data; name=\"t\"\r\nContent-Type: text/plain\r\n\r\nno\r\n--B--\r\n"
        try await WebHost.run { host in
            try await host.client { browser in
                try await browser.createVault()
                let answer = try await browser.send(.post, "/api/photos", headers: Self.form, body: form)
                #expect(answer.status == 201)
                let names = try answer.json(PhotoList.self).names
                #expect(names.count == 5 && names[0] == "a.jpg")
                #expect(names[1].hasPrefix("File ") && names[2].hasPrefix("File "))
                #expect(names[3].hasPrefix("Photo ") && names[3].hasSuffix(".gif"))
                #expect(names[4].hasPrefix("Photo ") && names[4].hasSuffix(".jpg"))
            }
        }
    }

    @Test(
        "A request that brings a piece of a file keeps nothing",
        arguments: [
            ("/api/photos?name=a.jpg", ["Content-Range": "bytes 5-9/10"]),
            ("/api/photos/a.jpg", ["Upload-Complete": "?0"]),
            ("/api/photos/a.jpg", ["Upload-Incomplete": "?1"]), ("/api/photos/a.jpg", ["Upload-Offset": "5"]),
            ("/api/photos/a.jpg", ["Content-Type": "multipart/byteranges; boundary=B"]),
            ("/api/photos/a.jpg?partNumber=1&uploadId=x", [:]), ("/api/photos?name=a&resumableTotalChunks=2", [:]),
            ("/api/photos/a.jpg?chunk_index=0", [:]), ("/api/photos/a.jpg?offset=100", [:]),
            ("/api/photos/a.jpg?start=100&end=102", [:]), ("/api/photos?name=a.jpg&pos=7", [:]),
            ("/api/photos/a.jpg", ["X-Chunk-Number": "1"]), ("/api/photos/a.jpg", ["OC-Chunked": "1"]),
            ("/api/photos/a.jpg", ["X-Update-Range": "append"]), ("/api/photos/a.jpg", ["Range": "bytes=100-199"]),
            ("/api/photos/a.jpg", ["Upload-Complete": "false"]), ("/api/photos/a.jpg", ["Upload-Concat": "partial"]),
            ("/api/photos/a.jpg", ["Upload-Length": "4"]), ("/api/photos?name=a.jpg", ["OC-Total-Length": "999"]),
            ("/api/photos/a.jpg", ["Content-Type": "application/partial-upload"]),
            ("/api/photos/a.jpg", ["X-Range": "bytes 100-199/300"]), ("/api/photos/a.jpg", ["X-Part": "2"]),
            ("/api/photos/a.jpg", ["X-Ms-Range": "bytes=512-1023"]), ("/api/photos/a.jpg", ["X-Offset": "5"]),
            ("/api/photos/a.jpg", ["Upload-Range": "5-9/10"]), ("/api/photos?name=a.jpg&part=2/5", [:]),
            ("/api/photos?name=a.jpg&piece=1of3", [:]), ("/api/photos/a.jpg", ["X-Partial": "true"]),
        ] as [(String, [String: String])])
    func pieceOfFile(path: String, fields: [String: String]) async throws {
        var headers: HTTPFields = [:]
        for (name, value) in fields { headers[try #require(HTTPField.Name(name))] = value }
        try await WebHost.run { host in
            try await host.client { browser in
                try await browser.createVault()
                let method: HTTPRequest.Method = path.hasPrefix("/api/photos?") ? .post : .put
                let answer = try await browser.send(method, path, headers: headers, bytes: [1, 2, 3])
                #expect(answer.status == 400)
                #expect(try answer.string("code") == "part-of-file")
                #expect(try await browser.send(.get, "/api/photos").json(PhotoList.self).names == [])
            }
        }
    }

    @Test("A form whose field says that its file comes in pieces keeps nothing, and one of a single piece is kept")
    func chunkedForm() async throws {
        try await WebHost.run { host in
            try await host.client { browser in
                try await browser.createVault()
                for field in [
                    ("dzTotalChunkCount", "2"), ("chunkIndex", "0"), ("qqpartbyteoffset", "5"), ("part_number", "1"),
                    ("chunkMetadata", "{\"Index\":0,\"TotalCount\":3}"), ("metadata", "{\"totalChunks\":3}"),
                ] {
                    for isBehind in [false, true] {
                        let parts = [("name=\"\(field.0)\"", field.1), file("a.jpg", "one")]
                        let pieces = body(isBehind ? parts.reversed() : parts)
                        let answer = try await browser.send(.post, "/api/photos", headers: Self.form, body: pieces)
                        #expect(answer.status == 400, "\(field)")
                    }
                }
                #expect(try await browser.send(.get, "/api/photos").json(PhotoList.self).names == [])
                let whole = body([
                    ("name=\"flowChunkNumber\"", "1"), ("name=\"flowTotalChunks\"", "1"), file("a.jpg", "one"),
                    ("name=\"timezoneOffset\"", "-120"), ("name=\"metadata\"", "{\"part\":\"left\",\"exifOffset\":26}"),
                ])
                #expect(try await browser.send(.post, "/api/photos", headers: Self.form, body: whole).status == 201)
                #expect(try await browser.send(.get, "/api/photos").json(PhotoList.self).names == ["a.jpg"])
            }
        }
    }

    @Test("A part of a form that has another length than its head says keeps nothing", arguments: [2, 3, 4])
    func partLength(said: Int) async throws {
        let part =
            "--B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.jpg\"\r\n"
            + "Content-Length: \(said)\r\n\r\none\r\n"
        try await WebHost.run { host in
            try await host.client { browser in
                try await browser.createVault()
                let form = Array((part + "--B--\r\n").utf8)
                let answer = try await browser.send(.post, "/api/photos", headers: Self.form, bytes: form)
                #expect(answer.status == (said == 3 ? 201 : 400))
                let names = try await browser.send(.get, "/api/photos").json(PhotoList.self).names
                #expect(names == (said == 3 ? ["a.jpg"] : []))
            }
        }
    }

    @Test(
        "A body that is not what its own head announces, or not the file's bytes, keeps nothing",
        arguments: [
            (["Content-MD5": "1B2M2Y8AsgTpgAmY7PhCfg=="], 460), (["Digest": "SHA=2jmj7l5rSw0yVb/vlWAYkK/YBwk="], 460),
            (["Repr-Digest": "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"], 460),
            (["Content-Type": "multipart/form-data; boundary=B"], 400), (["Content-Transfer-Encoding": "base64"], 415),
            (["X-Amz-Content-Sha256": "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"], 415),
            (["X-Checksum-Sha256": "0000000000000000000000000000000000000000000000000000000000000000"], 460),
            (["X-Checksum-Md5": "0"], 400),
            (["X-Amz-Checksum-Sha1": "2jmj7l5rSw0yVb/vlWAYkK/YBwk="], 460),
            (["X-Amz-Content-Sha256": "1111111111111111111111111111111111111111111111111111111111111111"], 460),
            (["X-Checksum-Sha1": "7037807198c22a7d2b0807371d763779a84fdfcf"], 201),
            (["X-Amz-Content-Sha256": "UNSIGNED-PAYLOAD", "X-Amz-Checksum-Crc32": "AAAAAA=="], 201),
            (["X-Amz-Content-Sha256": "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81"], 201),
            (["Content-MD5": "Uonfc331cyb83SJZevsfrA=="], 201), (["X-File-Size": "3", "Range": "bytes=0-"], 201),
        ] as [([String: String], Int)])
    func announced(fields: [String: String], status: Int) async throws {
        var headers: HTTPFields = [:]
        for (name, value) in fields { headers[try #require(HTTPField.Name(name))] = value }
        try await WebHost.run { host in
            try await host.client { browser in
                try await browser.createVault()
                let answer = try await browser.send(.put, "/api/photos/a.jpg", headers: headers, bytes: [1, 2, 3])
                #expect(answer.status == status)
                let names = try await browser.send(.get, "/api/photos").json(PhotoList.self).names
                #expect(names == (status == 201 ? ["a.jpg"] : []))
            }
        }
    }

    @Test("A form that breaks off keeps what was complete, and says so")
    func broken() async throws {
        let whole = body([file("a.jpg", "one"), file("b.jpg", "two")])
        let broken = String(whole.dropLast("\r\n--B--\r\n".count))
        try await WebHost.run { host in
            try await host.client { browser in
                try await browser.createVault()
                let answer = try await browser.send(.post, "/api/photos", headers: Self.form, body: broken)
                #expect(answer.status == 400)
                #expect(try answer.string("code") == "body-ended-early")
                #expect(try await browser.send(.get, "/api/photos").json(PhotoList.self).names == ["a.jpg"])
                let empty = try await browser.send(.post, "/api/photos", headers: Self.form, body: "--B--\r\n")
                #expect(empty.status == 400)
                let other: HTTPFields = [.contentType: "multipart/mixed; boundary=B"]
                #expect(try await browser.send(.post, "/api/photos", headers: other, body: whole).status == 415)
            }
        }
    }

    @Test("Of a form with too many parts those before are kept, and it says so")
    func tooMany() async throws {
        var limits = WebLimits()
        limits.multipart.partCount = 2
        let body = body([file("a.jpg", "one"), file("b.jpg", "two"), file("c.jpg", "three")])
        try await WebHost.run(limits: limits) { host in
            try await host.client { browser in
                try await browser.createVault()
                let answer = try await browser.send(.post, "/api/photos", headers: Self.form, body: body)
                #expect(answer.status == 413)
                #expect(try answer.string("code") == "too-many-parts")
                #expect(try await browser.send(.get, "/api/photos").json(PhotoList.self).names == ["b.jpg", "a.jpg"])
            }
        }
    }

    @Test("Files of a form take no more memory than there is for their answer, however long their names are")
    func longNames() async throws {
        let long = String(repeating: "n", count: 15_000)
        let body = body([file("a.jpg", "one")] + (0..<50).map { _ in file(long, "two") })
        try await WebHost.run(listByteCount: 400_000) { host in
            try await host.client { browser in
                try await browser.createVault()
                for _ in 0..<2 {
                    let answer = try await browser.send(.post, "/api/photos", headers: Self.form, body: body)
                    #expect(answer.status == 207)
                    let photos = try answer.json(PhotoList.self).photos
                    #expect(photos.count < 10 && photos.last?.error == "busy")
                }
                // The same content may still stand there twice, until it was read back.
                let names = try await browser.send(.get, "/api/photos").json(PhotoList.self).names
                #expect(Set(names) == ["a.jpg"])
            }
        }
    }

    @Test("A form that ends whole but shorter than was announced has a torn file somewhere: none stays in the list")
    func shrank() async throws {
        let whole = body([file("a.jpg", "one"), file("torn.jpg", "tw"), file("c.jpg", "three")])
        let credentials = Data(":\(WebHost.password)".utf8).base64EncodedString()
        let head = """
            POST /api/photos HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic \(credentials)\r\n\
            Content-Type: multipart/form-data; boundary=B\r\nContent-Length: \(whole.utf8.count + 7)\r\n\r\n
            """
        try await WebHost.run { host in
            try await host.client { try await $0.createVault() }
            try await host.listening { port in
                try await RawConnection.exchange(port: port, [head + whole], ending: .finishes)
            }
            try await host.client { browser in
                _ = try await browser.send(
                    .post, "/api/session", body: "{\"password\":\"\(WebHost.password)\"}")
                #expect(try await browser.send(.get, "/api/photos").json(PhotoList.self).names == [])
                #expect(try await browser.send(.get, "/api/trash").json(PhotoList.self).names == ["torn.jpg", "a.jpg"])
            }
        }
    }

    @Test("A form without JavaScript brings its password along and gets a page")
    func plainForm() async throws {
        let password = (disposition: "name=\"password\"", body: WebHost.password)
        let good = body([password, file("<i>&.jpg", "one")])
        let wrong = body([("name=\"password\"", "wrong password"), file("c.jpg", "two")])
        let late = body([file("c.jpg", "two"), password])
        let none = body([file("c.jpg", "two")])
        try await WebHost.run { host in
            try await host.client { try await $0.createVault() }
            try await host.client { browser in
                let saved = try await browser.send(.post, "/api/photos", headers: Self.form, body: good)
                #expect(saved.status == 201)
                #expect(saved.headers[.contentType] == "text/html; charset=utf-8")
                #expect(saved.text.contains("&lt;i&gt;&amp;.jpg") && !saved.text.contains("<i>"))
                #expect(saved.headers[.setCookie] == nil)
                let refused = try await browser.send(.post, "/api/photos", headers: Self.form, body: wrong)
                #expect(refused.status == 401)
                #expect(refused.headers[.contentType] == "text/html; charset=utf-8")
                #expect(try await browser.send(.post, "/api/photos", headers: Self.form, body: late).status == 401)
                #expect(try await browser.send(.post, "/api/photos", headers: Self.form, body: none).status == 401)
                try await browser.createVault()
                let open = "{\"password\":\"\(WebHost.password)\"}"
                _ = try await browser.send(.post, "/api/session", body: open)
                #expect(try await browser.send(.get, "/api/photos").json(PhotoList.self).names == ["<i>&.jpg"])
            }
        }
    }
}
