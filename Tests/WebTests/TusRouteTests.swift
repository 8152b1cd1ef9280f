import FoundationEssentials
import HTTPTypes
import Listener
import ListenerSupport
import TestSupport
import Testing

@testable import Web

@Suite struct TusRouteTests {
    private static let basic = "Authorization: Basic OnNldmVuIHdvb2RlbiBsYW1wcw=="
    private static let tus: HTTPFields = [.tusResumable: "1.0.0"]

    private static func creation(_ byteCount: Int, _ more: HTTPFields = [:]) -> HTTPFields {
        fields(more, [.uploadLength: "\(byteCount)", .uploadMetadata: "filename YS5qcGc=,cid b25l"])
    }

    private static func part(_ offset: Int, _ more: HTTPFields = [:]) -> HTTPFields {
        fields(more, [.uploadOffset: "\(offset)", .contentType: TusProtocol.contentTypes[0]])
    }

    private static func fields(_ more: HTTPFields, _ own: HTTPFields) -> HTTPFields {
        var all = tus
        for field in own { all[field.name] = field.value }
        for field in more { all[field.name] = field.value }
        return all
    }

    @Test("OPTIONS tells anybody what is offered")
    func options() async throws {
        try await WebHost.run(fileByteCount: 5000) { host in
            try await host.client { browser in
                for uri in ["/api/uploads", "/api/uploads/x"] {
                    let answer = try await browser.send(.options, uri)
                    #expect(answer.status == 204)
                    #expect(answer.headers[.tusVersion] == "1.0.0" && answer.headers[.tusResumable] == "1.0.0")
                    #expect(answer.headers[.tusMaxSize] == "5000")
                    #expect(answer.headers[.tusChecksumAlgorithm] == "sha256,sha1")
                    #expect(
                        answer.headers[.tusExtension] == "creation,creation-with-upload,checksum,expiration,termination"
                    )
                }
            }
        }
    }

    @Test(
        "Another version is refused before anything is looked at",
        arguments: [
            (HTTPRequest.Method.post, "/api/uploads"), (.head, "/api/uploads/x"), (.patch, "/api/uploads/x"),
            (.delete, "/api/uploads/x"),
        ])
    func version(method: HTTPRequest.Method, uri: String) async throws {
        try await WebHost.run { host in
            try await host.client { browser in
                for headers: HTTPFields in [[:], [.tusResumable: "0.2.2"], [.tusResumable: "1.0.0, 1.0.0"]] {
                    let answer = try await browser.send(method, uri, headers: headers)
                    #expect(answer.status == 412 && answer.headers[.tusVersion] == "1.0.0")
                }
            }
        }
    }

    @Test("Every answer about uploads names the version, whatever it says")
    func versionOnErrors() async throws {
        try await WebHost.run { host in
            try await host.client { browser in
                for (method, uri, headers, status) in [
                    (HTTPRequest.Method.head, "/api/uploads/x", tusFields, 401), (.get, "/api/uploads", [:], 405),
                    (.put, "/api/uploads/x", [:], 405), (.get, "/api/uploads/x/y", [:], 404),
                    (.delete, "/api/uploads/x", [.secFetchSite: "cross-site"], 403),
                ] {
                    let answer = try await browser.send(method, uri, headers: headers)
                    #expect(answer.status == status && answer.headers[.tusResumable] == "1.0.0")
                }
                #expect(try await browser.send(.get, "/api/hello").headers[.tusResumable] == nil)
            }
        }
    }

    private var tusFields: HTTPFields { Self.tus }

    @Test("A refused HEAD has no body that could pass for the next answer")
    func refusedHead() async throws {
        try await WebHost.run { host in
            try await host.client { try await $0.createVault() }
            try await host.listening { port in
                let head = "HTTP/1.1\r\nHost: localhost\r\n"
                let answer = try await RawConnection.exchange(
                    port: port,
                    [
                        "HEAD /api/uploads/x \(head)Tus-Resumable: 1.0.0\r\n\(Self.basic)\r\n\r\n",
                        "GET /health/live \(head)Connection: close\r\n\r\n",
                    ])
                let answers = answer.split(separator: "HTTP/1.1 ").map(String.init)
                #expect(answers.count == 2)
                #expect(answers.first?.hasPrefix("404 ") == true && answers.first?.hasSuffix("\r\n\r\n") == true)
                #expect(answers.last?.hasPrefix("200 ") == true)
            }
        }
    }

    @Test("POST that says by X-HTTP-Method-Override that it means PATCH or DELETE is taken for it, and no other")
    func methodOverride() async throws {
        try await WebHost.run { host in
            try await host.client { browser in
                try await browser.createVault()
                let created = try await browser.send(.post, "/api/uploads", headers: Self.creation(3))
                let uri = try #require(created.headers[.location])
                var headers = Self.part(0)
                #expect(try await browser.send(.post, uri, headers: headers, bytes: [1, 2]).status == 405)
                headers[.methodOverride] = "PATCH"
                let sent = try await browser.send(.post, uri, headers: headers, bytes: [1, 2])
                #expect(sent.status == 204 && sent.headers[.uploadOffset] == "2")
                headers[.methodOverride] = "DELETE"
                #expect(try await browser.send(.post, uri, headers: headers).status == 204)
                #expect(try await browser.send(.head, uri, headers: headers).status == 404)
            }
        }
    }

    @Test("Bytes that come in several requests become one photo")
    func photo() async throws {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        try await WebHost.run { host in
            try await host.client { browser in
                try await browser.createVault()
                let created = try await browser.send(.post, "/api/uploads", headers: Self.creation(bytes.count))
                #expect(created.status == 201 && created.headers[.uploadOffset] == "0")
                let uri = try #require(created.headers[.location])
                let first = try await browser.send(
                    .patch, uri, headers: Self.part(0), bytes: Array(bytes[..<30_000]))
                #expect(first.status == 204 && first.headers[.uploadOffset] == "30000")
                #expect(first.headers[.uploadExpires]?.hasSuffix(" GMT") == true)
                let again = try await browser.send(
                    .patch, uri, headers: Self.part(0), bytes: Array(bytes[..<30_000]))
                #expect(again.status == 409 && again.headers[.uploadOffset] == "30000")
                let last = try await browser.send(
                    .patch, uri, headers: Self.part(30_000), bytes: Array(bytes[30_000...]))
                #expect(last.status == 204 && last.headers[.uploadExpires] == nil)
                let id = try #require(last.headers[.safelightPhoto])
                #expect(try await browser.send(.get, "/api/photos/\(id)/original").bytes == bytes)
                #expect(try await browser.send(.get, "/api/photos/\(id)").string("name") == "a.jpg")
            }
        }
    }

    @Test("A creation that is sent again, with its bytes, goes on behind those that the first one brought")
    func resent() async throws {
        let bytes = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
        let body: HTTPFields = [.contentType: TusProtocol.contentTypes[0]]
        try await WebHost.run { host in
            try await host.client { browser in
                try await browser.createVault()
                for (count, offset) in [(20_000, 20_000), (10_000, 20_000), (50_000, 50_000), (50_000, 50_000)] {
                    let answer = try await browser.send(
                        .post, "/api/uploads", headers: Self.creation(bytes.count, body), bytes: Array(bytes[..<count]))
                    #expect(answer.status == 201 && answer.headers[.uploadOffset] == "\(offset)")
                }
                let list = try await browser.send(.get, "/api/photos").json(PhotoList.self)
                #expect(list.names == ["a.jpg"])
                let id = try #require(list.photos.first?.id)
                #expect(try await browser.send(.get, "/api/photos/\(id)/original").bytes == bytes)
            }
        }
    }

    @Test("A client that asks before it sends is told at once that its bytes are there")
    func expectation() async throws {
        var limits = ListenerLimits.unhurried
        // It does not send what it asked about, and waits for the host to close.
        limits.refusedBodyLinger = .milliseconds(50)
        try await WebHost.run { host in
            try await host.client { browser in
                try await browser.createVault()
                let body: HTTPFields = [.contentType: TusProtocol.contentTypes[0]]
                _ = try await browser.send(.post, "/api/uploads", headers: Self.creation(5, body), body: "photo")
            }
            try await host.listening(limits: limits) { port in
                let answer = try await RawConnection.exchange(
                    port: port,
                    [
                        "POST /api/uploads HTTP/1.1\r\nHost: localhost\r\n\(Self.basic)\r\nTus-Resumable: 1.0.0\r\n"
                            + "Upload-Length: 5\r\nUpload-Metadata: filename YS5qcGc=,cid b25l\r\n"
                            + "Content-Type: \(TusProtocol.contentTypes[0])\r\nContent-Length: 5\r\n"
                            + "Expect: 100-continue\r\n\r\n"
                    ])
                #expect(answer.hasPrefix("HTTP/1.1 201 "))
                #expect(answer.contains("Upload-Offset: 5\r\n"))
            }
        }
    }

    @Test("What arrived of a body that breaks off stays")
    func cutOff() async throws {
        try await WebHost.run { host in
            let uri = try await host.client { browser in
                try await browser.createVault()
                return try await browser.send(.post, "/api/uploads", headers: Self.creation(1000)).headers[.location]
            }
            let path = try #require(uri)
            try await host.listening { port in
                let head =
                    "\(path) HTTP/1.1\r\nHost: localhost\r\n\(Self.basic)\r\nTus-Resumable: 1.0.0\r\n"
                    + "Content-Type: \(TusProtocol.contentTypes[0])\r\n"
                let cut = try await RawConnection.exchange(
                    port: port, ["PATCH \(head)Upload-Offset: 0\r\nContent-Length: 1000\r\n\r\npartial"],
                    ending: .finishes)
                #expect(!cut.hasPrefix("HTTP/1.1 2"))
                let asked = try await RawConnection.exchange(
                    port: port, ["HEAD \(head)Connection: close\r\n\r\n"])
                #expect(asked.contains("Upload-Offset: 7\r\n"))
            }
        }
    }

    @Test(
        "Questions about content that cannot be read are refused",
        arguments: [
            "", "{}", "[{}]", "[1]", "[{\"size\":1}]", "[{\"size\":-1,\"sha256\":\"D\"}]",
            "[{\"size\":1,\"first\":\"D\"}]",
            "[{\"size\":1,\"sha256\":\"D\",\"tree\":\"D\"}]", "[{\"size\":1,\"sha256\":\"zz\"}]",
            "[{\"size\":1,\"sha256\":\"D0\"}]",
        ])
    func malformedQuestions(json: String) async throws {
        let digest = String(repeating: "0a", count: 32)
        let body = json.split(separator: "D", omittingEmptySubsequences: false).joined(separator: digest)
        try await WebHost.run { host in
            try await host.client { browser in
                #expect(try await browser.send(.post, "/api/uploads/check", body: body).status == 401)
                try await browser.createVault()
                let answer = try await browser.send(.post, "/api/uploads/check", body: body)
                #expect(answer.status == 400)
                #expect(try answer.string("code") == "malformed-json")
            }
        }
    }
}
