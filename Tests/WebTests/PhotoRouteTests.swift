import HTTPTypes
import Testing

@testable import Web

@Suite struct PhotoRouteTests {
    private static let jpeg: [UInt8] = [0xff, 0xd8, 0xff, 0xe0] + (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
    private static let basic = "Basic OnNldmVuIHdvb2RlbiBsYW1wcw=="

    @Test("A photo comes back byte for byte, whole and in ranges")
    func original() async throws {
        let jpeg = Self.jpeg
        try await WebHost.run { host in
            try await host.client { browser in
                try await browser.createVault()
                let saved = try await browser.send(
                    .put, "/api/photos/%E7%85%A7%20%22.jpg?modified=951782400250", bytes: jpeg)
                #expect(saved.status == 201)
                #expect(try saved.string("name") == "照 \".jpg")
                #expect(try saved.string("size") == "\(jpeg.count)")
                #expect(try saved.string("type") == "image/jpeg")
                #expect(try saved.string("modifiedAt") == "2000-02-29T00:00:00.250Z")
                let uri = "/api/photos/\(try saved.string("id"))"
                #expect(try await browser.send(.get, uri).string("name") == "照 \".jpg")

                let whole = try await browser.send(.get, uri + "/original")
                #expect(whole.status == 200 && whole.bytes == jpeg)
                #expect(whole.headers[.contentType] == "image/jpeg")
                #expect(whole.headers[.contentSecurityPolicy] == "sandbox; default-src 'none'")
                #expect(whole.headers[.contentDisposition]?.hasPrefix("inline; ") == true)
                #expect(whole.headers[.contentDisposition]?.hasSuffix("filename*=UTF-8''%E7%85%A7%20%22.jpg") == true)
                let download = try await browser.send(.head, uri + "/original?download")
                #expect(download.headers[.contentDisposition]?.hasPrefix("attachment; ") == true)
                #expect(download.headers[.contentLength] == "\(jpeg.count)" && download.bytes.isEmpty)

                let part = try await browser.send(.get, uri + "/original", headers: [.range: "bytes=65530-131080"])
                #expect(part.status == 206 && part.bytes == Array(jpeg[65530...131080]))
                #expect(part.headers[.contentRange] == "bytes 65530-131080/\(jpeg.count)")
                let tail = try await browser.send(.get, uri + "/original", headers: [.range: "bytes=-5"])
                #expect(tail.bytes == Array(jpeg.suffix(5)))
                let beyond = try await browser.send(.get, uri + "/original", headers: [.range: "bytes=\(jpeg.count)-"])
                #expect(beyond.status == 416 && beyond.headers[.contentRange] == "bytes */\(jpeg.count)")
                let changed = try await browser.send(
                    .get, uri + "/original", headers: [.range: "bytes=0-1", .ifRange: "\"other\""])
                #expect(changed.status == 200)
                #expect(try await browser.send(.get, "/api/photos/unknown/original").status == 404)
            }
        }
    }

    @Test("A request that brings more than its right may is refused in words, and nothing is changed")
    func tooMuch() async throws {
        try await WebHost.run { host in
            try await host.client { browser in
                try await browser.createVault()
                let id = try await browser.upload("x.jpg", [1])
                let values = String(repeating: ",0", count: 66_000)
                let answer = try await browser.send(
                    .post, "/api/photos/delete", headers: [.contentType: "application/json"],
                    body: "{\"ids\":[\"\(id)\"],\"others\":[0\(values)]}")
                #expect(answer.status == 413)
                #expect(try answer.string("code") == "too-much")
                let deep = try await browser.send(
                    .post, "/api/photos/delete", headers: [.contentType: "application/json"],
                    body: String(repeating: "[", count: 60_000))
                #expect(deep.status == 400)
                #expect(try deep.string("code") == "malformed-json")
                #expect(try await browser.send(.get, "/api/photos/\(id)").status == 200)
            }
        }
    }

    @Test("A page that somebody stored as a photo is never shown by the browser")
    func hostileType() async throws {
        try await WebHost.run { host in
            try await host.client { browser in
                try await browser.createVault()
                for body in ["<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "<!DOCTYPE html><script>1</script>"] {
                    let id = try await browser.upload("x.jpg", Array(body.utf8))
                    let answer = try await browser.send(.get, "/api/photos/\(id)/original")
                    #expect(answer.headers[.contentDisposition]?.hasPrefix("attachment; ") == true)
                    #expect(answer.headers[.contentSecurityPolicy] == "sandbox; default-src 'none'")
                    #expect(answer.text == body)
                }
            }
        }
    }

    @Test("Every name that is UTF-8 is kept as it is, also one that is an address of ours")
    func names() async throws {
        let names = [
            "delete", "restore", "a.jpg", "..", "../x", "a/b", "C:\\x", "NUL.jpg", "-rf", ".htaccess", "<img onerror>",
            "e\u{301}", "\u{e9}", "\u{202e}gpj", "👩‍👩‍👧", "100%25", "a+b", "a;b", "a?b#c",
            String(repeating: "n", count: 1024),
        ]
        try await WebHost.run { host in
            try await host.client { browser in
                try await browser.createVault()
                for name in names {
                    let id = try await browser.upload(name)
                    let kept = try await browser.send(.get, "/api/photos/\(id)").string("name")
                    #expect(Array(kept.utf8) == Array(name.utf8))
                }
                let list = try await browser.send(.get, "/api/photos").json(PhotoList.self)
                #expect(list.names.map { Array($0.utf8) } == names.reversed().map { Array($0.utf8) })
                #expect(list.cursor == nil)
                let tooLong = "/api/photos/" + String(repeating: "n", count: 1025)
                #expect(try await browser.send(.put, tooLong, bytes: [1]).status == 400)
                #expect(try await browser.send(.put, "/api/photos/%ff", bytes: [1]).status == 400)
                #expect(try await browser.send(.put, "/api/photos/%4", bytes: [1]).status == 400)
            }
        }
    }

    @Test("A raw body is named by the query, else by Content-Disposition, else by what it is")
    func rawNames() async throws {
        try await WebHost.run { host in
            try await host.client { browser in
                try await browser.createVault()
                let disposition: HTTPFields = [.contentDisposition: "attachment; filename=\"d.jpg\""]
                for (uri, headers, name) in [
                    ("/api/photos?name=q%20%2B%26.jpg", disposition, "q +&.jpg"), ("/api/photos", disposition, "d.jpg"),
                    ("/api/photos", [:], "File "),
                ] {
                    let answer = try await browser.send(.post, uri, headers: headers, body: "photo \(name)")
                    #expect(answer.status == 201)
                    let given = try #require(try answer.json(PhotoList.self).names.first)
                    #expect(given == name || (name == "File " && given.hasPrefix(name)))
                }
                #expect(try await browser.send(.post, "/api/photos?modified=soon", body: "x").status == 400)
                #expect(try await browser.send(.post, "/api/photos?name=%ff", body: "x").status == 400)
            }
        }
    }

    @Test("The password alone, by Basic, uploads, lists and downloads, but changes nothing else")
    func basic() async throws {
        let headers: HTTPFields = [.authorization: Self.basic]
        try await WebHost.run { host in
            try await host.client { try await $0.createVault() }
            try await host.client { browser in
                let saved = try await browser.send(.put, "/api/photos/a.jpg", headers: headers, body: "bytes")
                #expect(saved.status == 201 && saved.headers[.setCookie] == nil)
                #expect(
                    try await browser.send(.get, "/api/photos", headers: headers).json(PhotoList.self).names == [
                        "a.jpg"
                    ])
                let uri = "/api/photos/\(try saved.string("id"))"
                #expect(try await browser.send(.get, uri + "/original", headers: headers).text == "bytes")
                #expect(try await browser.send(.delete, uri, headers: headers).status == 401)
                let wrong: HTTPFields = [.authorization: "Basic Ondyb25n"]
                #expect(try await browser.send(.get, "/api/photos", headers: wrong).status == 401)
            }
        }
    }

    @Test("Deleted photos can be restored, or emptied for good")
    func trash() async throws {
        try await WebHost.run { host in
            try await host.client { browser in
                try await browser.createVault()
                let ids = [
                    try await browser.upload("a", [1]), try await browser.upload("b", [2]),
                    try await browser.upload("c", [3]),
                ]
                let list = "{\"ids\":[\"\(ids[0])\",\"\(ids[1])\"]}"
                #expect(try await browser.send(.post, "/api/photos/delete", body: list).string("count") == "2")
                #expect(try await browser.send(.delete, "/api/photos/\(ids[2])").string("count") == "1")
                #expect(try await browser.send(.delete, "/api/photos/\(ids[2])").status == 404)
                let trash = try await browser.send(.get, "/api/trash").json(PhotoList.self)
                #expect(Set(trash.names) == ["a", "b", "c"] && trash.photos.allSatisfy { $0.deletedAt != nil })
                let one = "{\"ids\":[\"\(ids[1])\"]}"
                #expect(try await browser.send(.post, "/api/photos/restore", body: one).string("count") == "1")
                #expect(try await browser.send(.delete, "/api/trash").string("count") == "2")
                #expect(try await browser.send(.get, "/api/photos").json(PhotoList.self).names == ["b"])
                for body in ["", "[]", "{\"ids\":1}", "{\"ids\":[1]}"] {
                    #expect(try await browser.send(.post, "/api/photos/delete", body: body).status == 400)
                }
            }
        }
    }

    @Test("An archive holds the photos, and any part of it is the same each time")
    func archive() async throws {
        try await WebHost.run { host in
            try await host.client { browser in
                try await browser.createVault()
                let ids = [try await browser.upload("a.jpg", Self.jpeg), try await browser.upload("a.jpg", [7])]
                let body = "{\"ids\":[\"\(ids[0])\",\"\(ids[1])\"]}"
                let made = try await browser.send(.post, "/api/archive", body: body)
                #expect(made.status == 201)
                let url = try made.string("url")
                // A second time counts no second time.
                let more = try await browser.send(.post, url, body: "{\"ids\":[\"\(ids[1])\"]}")
                #expect(more.status == 200)
                #expect(try more.string("url") == url)
                let head = try await browser.send(.head, url)
                #expect(head.status == 200 && head.bytes.isEmpty)
                let archive = try await browser.send(.get, url)
                #expect(archive.headers[.contentType] == "application/zip")
                #expect(archive.headers[.contentLength] == "\(archive.bytes.count)")
                #expect(archive.bytes.starts(with: [0x50, 0x4b, 3, 4]))
                #expect(archive.text.contains("a (2).jpg"))
                #expect(archive.headers[.contentLength] == head.headers[.contentLength])
                #expect(try await browser.send(.get, url).bytes == archive.bytes)
                for first in [0, 20, 1000, 300_050, 300_060, archive.bytes.count - 30] {
                    let last = min(first + 299_999, archive.bytes.count - 1)
                    let range: HTTPFields = [
                        .range: "bytes=\(first)-\(last)", .ifRange: archive.headers[.entityTag] ?? "",
                    ]
                    let part = try await browser.send(.get, url, headers: range)
                    #expect(part.status == 206)
                    #expect(part.bytes == Array(archive.bytes[first...last]))
                }
                let strange = try await browser.send(.get, "/api/archive/other")
                #expect(strange.status == 410)
                #expect(try strange.string("code") == "archive-gone")
                _ = try await browser.send(.post, "/api/photos/delete", body: "{\"ids\":[\"\(ids[0])\"]}")
                #expect(try await browser.send(.get, url).bytes == archive.bytes)
                _ = try await browser.send(.delete, "/api/trash")
                // Parts of two archives must not be put together.
                #expect(try await browser.send(.get, url).status == 410)
            }
        }
    }
}
