import FoundationEssentials
import HTTPTypes
import Testing

@testable import Certificates
@testable import Web

@Suite struct CertificateRouteTests {
    @Test(
        "The certificate is told to everybody, and whether it protects this very connection",
        arguments: [Place.lan, .secureLAN])
    func facts(place: Place) async throws {
        try await WebHost.run { host in
            let answer = try await host.browser(at: place).send(.get, "/api/certificate")
            #expect(answer.status == 200 && answer.headers[.cacheControl] == "no-store")
            let payload = try answer.json(Payload.self)
            #expect(payload.kind == "authority" && payload.name == "Safelight on darkroom")
            #expect(payload.fingerprint == WebHost.authority.fingerprint.hex)
            #expect(payload.words == WebHost.authority.fingerprint.words)
            #expect(payload.notAfter == "2033-05-18T03:33:20Z" && payload.secure == place.isSecure)
        }
    }

    @Test("The authority's certificate comes in both forms, as a file")
    func files() async throws {
        try await WebHost.run { host in
            let der = try await host.browser(at: .lan).send(.get, "/safelight-authority.crt")
            #expect(der.bytes == WebHost.authority.der && der.headers[.contentType] == "application/x-x509-ca-cert")
            #expect(
                der.headers[.contentDisposition]?.hasPrefix("attachment; filename=\"safelight-authority.crt\"") == true)
            let pem = try await host.browser(at: .lan).send(.get, "/safelight-authority.pem")
            #expect(try pem.text == WebHost.authority.pem && pem.headers[.contentType] == "application/x-pem-file")
        }
    }

    @Test("An iPhone gets it as a profile, named by its fingerprint, so that a second one replaces the first")
    func profile() async throws {
        try await WebHost.run { host in
            let answer = try await host.browser(at: .lan).send(.get, "/safelight-authority.mobileconfig")
            #expect(answer.headers[.contentType] == "application/x-apple-aspen-config")
            let text = answer.text
            #expect(text.contains("<string>com.apple.security.root</string>"))
            #expect(text.contains("<data>\(Data(WebHost.authority.der).base64EncodedString())</data>"))
            let uuid = /<string>([0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12})</
            let uuids = text.matches(of: uuid)
            #expect(Set(uuids.map(\.output.1)).count == 2)
            #expect(text == AuthorityProfile(facts: WebHost.authority).text)
        }
    }

    @Test("A name cannot break out of the profile")
    func profileName() {
        let facts = CertificateFacts(
            kind: .authority, name: "a</string><key>&", der: [1], fingerprint: WebHost.authority.fingerprint,
            notAfter: WebHost.authority.notAfter)
        #expect(AuthorityProfile(facts: facts).text.contains("<string>a&lt;/string&gt;&lt;key&gt;&amp;</string>"))
    }

    @Test("While there is no certificate, and for one that nobody installs, it says so")
    func none() async throws {
        let files = ["crt", "pem", "mobileconfig"].map { "/safelight-authority.\($0)" }
        try await WebHost.run(certificate: nil) { host in
            for uri in files + ["/api/certificate"] {
                let answer = try await host.browser(at: .lan).send(.get, uri)
                #expect(answer.status == 404)
                #expect(try answer.string("code") == "no-certificate")
            }
        }
        let own = CertificateFacts(
            kind: .own, name: "photos.example", der: [1], fingerprint: WebHost.authority.fingerprint,
            notAfter: WebHost.authority.notAfter)
        try await WebHost.run(certificate: own) { host in
            for uri in files { #expect(try await host.browser(at: .secureLAN).send(.get, uri).status == 404) }
            let answer = try await host.browser(at: .secureLAN).send(.get, "/api/certificate")
            #expect(try answer.string("kind") == "own")
        }
    }

    @Test("The probe of the landing page is answered over TLS alone, for pages of any origin")
    func probe() async throws {
        try await WebHost.run { host in
            let foreign: HTTPFields = [.origin: Place.lan.origin, .secFetchSite: "cross-site"]
            let secure = try await host.browser(at: .secureLAN).send(.get, "/connect/secure", headers: foreign)
            #expect(secure.status == 204 && secure.bytes.isEmpty)
            #expect(secure.headers[.crossOriginResourcePolicy] == "cross-origin")
            for place in [Place.lan, .host] {
                #expect(try await host.browser(at: place).send(.get, "/connect/secure").status == 426)
            }
        }
    }

    private struct Payload: Decodable {
        let kind, name, fingerprint, notAfter: String
        let words: [String]
        let secure: Bool
    }
}

@Suite struct AddressRouteTests {
    private static let qr = "/api/qr.svg?address="

    @Test("Addresses are told to an open vault and at the host itself, and to nobody else")
    func whoMay() async throws {
        try await WebHost.run { host in
            let phone = host.browser(at: .secureLAN)
            for uri in ["/api/addresses", Self.qr + WebHost.addresses[0]] {
                #expect(try await phone.send(.get, uri).status == 401)
                #expect(try await host.browser().send(.get, uri).status == 200)
            }
            try await phone.createVault()
            let answer = try await phone.send(.get, "/api/addresses").json(Payload.self)
            #expect(answer.addresses == WebHost.addresses && answer.reached)
        }
    }

    @Test("A QR code is drawn for the host's own addresses alone")
    func code() async throws {
        try await WebHost.run { host in
            let browser = host.browser()
            let drawn = try await browser.send(.get, Self.qr + "http%3A%2F%2Fdarkroom.local%3A8080%2F")
            #expect(drawn.status == 200 && drawn.headers[.contentType] == "image/svg+xml")
            #expect(drawn.text.hasPrefix("<svg ") && drawn.headers[.xContentTypeOptions] == "nosniff")
            for address in [
                "http://evil.example/", "http://darkroom.local:8080", WebHost.addresses[0] + "%23x", "", "%ff",
            ] {
                #expect(try await browser.send(.get, Self.qr + address).status == 400, "\(address)")
            }
            #expect(try await browser.send(.get, "/api/qr.svg").status == 400)
        }
    }

    private struct Payload: Decodable {
        let addresses: [String]
        let reached: Bool
    }
}
