import Bytes
import HTTPTypes
import Testing

@testable import Web

/// Requests that pages of other sites cause, in every combination: none changes anything.
@Suite struct OriginTableTests {
    private struct Row {
        let method: HTTPRequest.Method
        let uri: String
        let body: String?
        let origin: String?
        let site: String?
        let hasCookie: Bool
    }

    private static let requests: [(HTTPRequest.Method, String, String?)] = [
        (.delete, "/api/session", nil), (.delete, "/api/sessions", nil), (.put, "/api/photos/b.jpg", "b"),
        (.post, "/api/photos?name=c.jpg", "c"), (.post, "/api/photos/delete", "{\"ids\":[\"ID\"]}"),
        (.delete, "/api/photos/ID", nil), (.delete, "/api/vault", "{\"password\":\"\(WebHost.password)\"}"),
        (.patch, "/api/session", "{}"),
    ]

    private static func foreignOrigins(of place: Place) -> [String?] {
        [
            nil, "null", "", "https://evil.example", (place.isSecure ? "http://" : "https://") + place.host,
            place.origin + "1", place.origin + ".evil.example", place.origin + "/",
            place.origin.replacing(":8080", with: ""), "https://evil.example@" + place.host, place.host,
        ]
    }

    private static func rows(at place: Place, photo: String) -> [Row] {
        var rows: [Row] = []
        for (method, uri, body) in requests {
            for origin in foreignOrigins(of: place) {
                for site in [nil, "cross-site", "same-site", "same-origin, none", ""] {
                    for hasCookie in [true, false] {
                        rows.append(
                            Row(
                                method: method, uri: uri.replacing("ID", with: photo),
                                body: body?.replacing("ID", with: photo), origin: origin, site: site,
                                hasCookie: hasCookie))
                    }
                }
            }
        }
        return rows
    }

    @Test(
        "No request of a foreign origin changes anything",
        arguments: [
            (Place.secureLAN, WebConfiguration.PlainHTTP.landing), (.lan, .landing), (.lan, .allow),
            (
                Place(remote: .ip(.ipv4(127, 0, 0, 1)), local: .ip(.ipv4(127, 0, 0, 1)), host: "127.0.0.1:8080"),
                .landing
            ),
        ])
    func foreign(place: Place, plainHTTP: WebConfiguration.PlainHTTP) async throws {
        try await WebHost.run(plainHTTP: plainHTTP) { host in
            // Where plain HTTP gives no session, one that is open over TLS is sent along.
            let isShut = place.remote == Place.lan.remote && !place.isSecure && plainHTTP == .landing
            let owner = host.browser(at: isShut ? .secureLAN : place)
            try await owner.createVault()
            let photo = try await owner.upload("a.jpg", [1])
            // Its digest comes later by itself, so only what a request could change is compared.
            let before = try await owner.send(.get, "/api/photos").json(PhotoList.self).photos
            let rows = Self.rows(at: place, photo: photo)
            #expect(rows.count >= 200)
            for row in rows {
                var headers: HTTPFields = [.contentType: "application/octet-stream"]
                headers[.origin] = row.origin
                headers[.secFetchSite] = row.site
                if row.hasCookie { headers[.cookie] = owner.cookieField }
                let answer = try await host.browser(at: place).exchange(
                    row.method, row.uri, headers: headers, bytes: row.body.map { Array($0.utf8) })
                let isBrowser = row.hasCookie || row.origin != nil || row.site != nil
                let expected = isShut ? [426] : isBrowser ? [403] : [401, 405]
                #expect(expected.contains(answer.status), "\(row)")
            }
            #expect(try await owner.send(.get, "/api/photos").json(PhotoList.self).photos == before)
            #expect(try await owner.send(.get, "/api/session").string("kind") == "vault")
        }
    }

    @Test("The page's own requests are carried out by either proof", arguments: [Place.secureLAN, .host])
    func own(place: Place) async throws {
        try await WebHost.run { host in
            let owner = host.browser(at: place)
            try await owner.createVault()
            for fields in [[.origin: place.origin], [.secFetchSite: "same-origin"], [.secFetchSite: "none"]]
                as [HTTPFields]
            {
                var headers = fields
                headers[.cookie] = owner.cookieField
                let answer = try await owner.exchange(.put, "/api/photos/a.jpg", headers: headers, bytes: [1])
                #expect(answer.status == 201, "\(fields)")
            }
        }
    }

    @Test("Reading from another site is answered, but to no other origin's eyes")
    func reading() async throws {
        try await WebHost.run { host in
            let owner = host.browser(at: .secureLAN)
            try await owner.createVault()
            let foreign: HTTPFields = [.origin: "https://evil.example", .secFetchSite: "cross-site"]
            for uri in ["/api/photos", "/api/certificate", "/api/addresses", "/api/qr.svg?address=x", "/"] {
                let answer = try await owner.send(.get, uri, headers: foreign)
                #expect(!answer.headers.contains { $0.name.canonicalName.hasPrefix("access-control-") })
                #expect(answer.headers[.crossOriginResourcePolicy] == "same-origin")
            }
        }
    }
}
