import Foundation
import Signing
import SigningSupport
import Testing

@Suite("Certificates")
struct CertificateTests {
    private let authority: GoldenPair
    private let host: GoldenPair

    init() throws {
        authority = try GoldenPair("authority")
        host = try GoldenPair("host")
    }

    @Test("those of an earlier version are read as they were meant")
    func earlier() throws {
        let (authority, host) = (authority.certificate, host.certificate)
        #expect(authority.commonName == "Safelight on vm (B8536A05)" && host.commonName == "vm.local")
        #expect(authority.isAuthority && !host.isAuthority)
        #expect(host.isSigned(by: authority) && authority.isSigned(by: authority) && !authority.isSigned(by: host))
        #expect(host.issuer == authority.subject && host.subject != authority.subject)
        #expect(host.keyKind == .p256)
        #expect(host.notBefore == Date(timeIntervalSince1970: 1_795_942_836))
        #expect(host.notAfter == Date(timeIntervalSince1970: 1_830_243_635))
        #expect(
            try host.names() == [
                .domain("vm.local"), .domain("photos.example.org"), .domain("localhost"), .address([127, 0, 0, 1]),
                .address([UInt8](repeating: 0, count: 15) + [1]), .address([192, 0, 2, 2]),
                .address([0xFD] + [UInt8](repeating: 0, count: 14) + [2]),
            ])
        #expect(try host.permittedNames() == nil)
        #expect(try authority.names() == nil)
        #expect(
            try authority.permittedNames()?.prefix(4) == [
                .domain("vm.local"), .domain("photos.example.org"), .domain("localhost"),
                .address([10, 0, 0, 0, 255, 0, 0, 0]),
            ])
    }

    @Test("a new one says what one of an earlier version says, in the same order and the same bytes")
    func alike() throws {
        let (authorityKey, hostKey) = (try P256PrivateKey(der: authority.key), try P256PrivateKey(der: host.key))
        let permitted = try #require(try authority.certificate.permittedNames())
        let names = try #require(try host.certificate.names())
        let newAuthority = try X509Certificate(
            content(like: authority.certificate, .authority(permitted: permitted)), of: authorityKey)
        let newHost = try X509Certificate(
            content(like: host.certificate, .host(names)), of: hostKey, signedBy: (newAuthority, authorityKey))
        for (new, earlier) in [(newAuthority, authority.certificate), (newHost, host.certificate)] {
            #expect(try CertificateFields(new).extensions == CertificateFields(earlier).extensions)
            #expect(try CertificateFields(new).pathLength == CertificateFields(earlier).pathLength)
            #expect(withoutSignature(new) == withoutSignature(earlier))
        }
        #expect(newHost.isSigned(by: authority.certificate) && newHost.isOf(hostKey) && !newHost.isOf(authorityKey))
        let client = ClientJudgement(trusting: newAuthority, at: newHost.notBefore, name: "photos.example.org")
        #expect(try client.accepts(newHost) && client.accepts(host.certificate))
    }

    private func content(
        like certificate: X509Certificate, _ purpose: CertificateContent.Purpose
    ) throws -> CertificateContent {
        CertificateContent(
            serialNumber: try CertificateFields(certificate).serialNumber, organization: "Safelight",
            commonName: certificate.commonName, notBefore: certificate.notBefore, notAfter: certificate.notAfter,
            purpose: purpose)
    }

    /// What is signed: the first part of the three, with its header of four bytes.
    private func withoutSignature(_ certificate: X509Certificate) -> [UInt8] {
        let der = certificate.der
        return Array(der[4..<8 + (Int(der[6]) << 8 | Int(der[7]))])
    }

    @Test("one that ends beyond 2049 has its date", arguments: [2_524_607_999.0, 2_524_608_000, 4_102_444_799])
    func farDates(seconds: Double) throws {
        var content = try content(like: host.certificate, .host([.domain("a.local")]))
        content.notAfter = Date(timeIntervalSince1970: seconds)
        let certificate = try X509Certificate(content, of: try P256PrivateKey())
        #expect(certificate.notAfter == content.notAfter)
        #expect(certificate.isSigned(by: certificate))
    }

    @Test("cut off anywhere it is none; with one bit changed nobody has signed it, and nothing fails on it")
    func damaged() throws {
        let (certificate, authority) = (host.certificate, authority.certificate)
        for count in 0..<certificate.der.count {
            #expect(throws: SigningError.self) { try X509Certificate(der: Array(certificate.der.prefix(count))) }
        }
        #expect(throws: SigningError.self) { try X509Certificate(der: certificate.der + [0]) }
        var readCount = 0
        for place in certificate.der.indices {
            for bit in 0..<8 {
                var der = certificate.der
                der[place] ^= 1 << bit
                guard let changed = try? X509Certificate(der: der) else { continue }
                readCount += 1
                _ = (try? changed.names(), try? changed.permittedNames(), changed.isAuthority, changed.commonName)
                #expect(!changed.isSigned(by: authority), "\(place) \(bit)")
            }
        }
        #expect(readCount > 0)
    }
}

@Suite("Documents in text form")
struct PEMDocumentTests {
    @Test("a file of an earlier version is written as it was")
    func earlier() throws {
        for name in GoldenPair.names {
            let pair = try GoldenPair(name)
            let text = try PEMDocument(label: "PRIVATE KEY", der: pair.key).text() + pair.certificate.text()
            #expect(text == pair.text)
        }
    }

    @Test("what stands around and between documents is left out, and so are the line ends of other systems")
    func surroundings() throws {
        let pair = try GoldenPair("host")
        let lines = String(decoding: pair.text, as: UTF8.self)
        let text = "subject: a host\n" + lines.replacing("\n", with: "\r\n") + "\nend"
        #expect(try PEMDocument.all(in: Array(text.utf8)) == PEMDocument.all(in: pair.text))
    }

    @Test("a text without documents has none")
    func empty() throws {
        for text in ["", "\u{0}\u{0}", "no document", "-----BEGIN"] {
            #expect(try PEMDocument.all(in: Array(text.utf8)) == [])
        }
    }

    @Test("a text that ends within a document is cut off")
    func cutOff() throws {
        let pair = try GoldenPair("host")
        let begin = "-----BEGIN PRIVATE KEY-----\n".utf8.count
        let end = try #require(String(decoding: pair.text, as: UTF8.self).range(of: "-----END PRIVATE KEY-----"))
        let endOffset = String(decoding: pair.text, as: UTF8.self).utf8.distance(
            from: String(decoding: pair.text, as: UTF8.self).startIndex, to: end.lowerBound)
        for count in begin..<endOffset + 10 {
            #expect(throws: SigningError.self) { try PEMDocument.all(in: Array(pair.text.prefix(count))) }
        }
    }
}
