import FoundationEssentials
import Testing

@testable import Records
@testable import Web

@Suite struct TusHeaderTests {
    @Test(
        "A count of bytes is digits alone, within 64 bits",
        arguments: [
            ("0", 0), ("007", 7), ("18446744073709551615", UInt64.max), ("", nil), ("18446744073709551616", nil),
            ("+5", nil), ("-5", nil), ("5 ", nil), ("5, 5", nil), ("0x5", nil), ("٥", nil), ("1e3", nil),
        ] as [(String, UInt64?)])
    func byteCounts(text: String, count: UInt64?) {
        #expect(TusProtocol.byteCount(text) == count)
    }

    @Test("Metadata is read key by key, and keys of other programs are left alone")
    func metadata() throws {
        let metadata = try TusMetadata(
            field: "filename 54WnLmpwZw==,filetype aW1hZ2UvanBlZw==, lastModified OTUxNzgyNDAwMjUw,cid YWJj,batch Yg==,"
                + "is_confidential,relpath YS9i")
        #expect(metadata.filename == "照.jpg")
        #expect(metadata.type == "image/jpeg")
        #expect(metadata.lastModified == Date(timeIntervalSince1970: 951_782_400.25))
        #expect(metadata.clientID == "abc")
        #expect(metadata.batch == "b")
    }

    @Test("An empty field holds no metadata", arguments: ["", " ", "   "])
    func noMetadata(field: String) throws {
        #expect(try TusMetadata(field: field).filename == nil)
    }

    @Test("A key without a value says nothing")
    func emptyValue() throws {
        for field in ["filename", "filename ", "filename ,lastModified,filetype "] {
            #expect(try TusMetadata(field: field) == TusMetadata(field: ""))
        }
    }

    @Test("What a client describes oddly is left out, and does not keep its photo out")
    func oddDescriptions() throws {
        let odd = try TusMetadata(
            field: "name SU1HXzkuanBn,lastModified dW5kZWZpbmVk,"
                + "filetype \(Data(repeating: 0x61, count: 256).base64EncodedString())")
        #expect(odd.filename == "IMG_9.jpg" && odd.lastModified == nil && odd.type == nil)
        #expect(try TusMetadata(field: "filename w7w_Pi5qcGc").filename == "ü?>.jpg")
        #expect(try TusMetadata(field: "filename /A==").filename == "ü")
        let fraction = Data("1700000000000.25".utf8).base64EncodedString()
        let moment = try #require(try TusMetadata(field: "lastModified \(fraction)").lastModified)
        #expect(abs(moment.timeIntervalSince1970 - 1_700_000_000) < 0.001)
    }

    @Test(
        "Pairs that cannot be read are left out, and do not keep a photo out",
        arguments: [
            "filename YS5qcGc=,", ",filename YS5qcGc=", "filename YS5qcGc=,filename Yg==", "filename a.jpg",
            "filename\ta.jpg",
            "filename YS5qcGc=,caption Grüße aus,naïve YQ==", "filename YS5qcGc=;x,name YS5qcGc=",
            "x YQ== Yg==,name a.jpg",
        ])
    func unreadablePairs(field: String) throws {
        let name = try #require(try TusMetadata(field: field).filename)
        #expect(name.hasPrefix("a.jpg") || name == "YS5qcGc=;x")
    }

    @Test(
        "What decides where a photo goes is read rightly or refused",
        arguments: [
            "cid YQ==,cid Yg==", "batch YQ== Yg==", "album !", "album /A==",
            "cid \(Data(repeating: 0x61, count: 257).base64EncodedString())",
            "batch \(Data(repeating: 0x61, count: 257).base64EncodedString())",
        ])
    func malformedMetadata(field: String) {
        #expect(throws: WebError.self) { try TusMetadata(field: field) }
    }

    @Test("A checksum is SHA-256 or SHA-1, and as long as it must be")
    func checksums() throws {
        let sha1 = [UInt8](repeating: 0xab, count: 20)
        let sha256 = [UInt8](repeating: 0xcd, count: 32)
        let base64 = Data(sha1).base64EncodedString()
        #expect(try ExpectedDigest(uploadChecksum: "sha1 \(base64)") == .sha1(sha1))
        #expect(try ExpectedDigest(uploadChecksum: "sha256 \(Data(sha256).base64EncodedString())") == .sha256(sha256))
        for field in [
            "", "sha1", "sha1 ", " sha1 \(base64)", "sha1 q6s=", "sha256 \(base64)", "sha1 \(base64) x",
            "md5 1B2M2Y8AsgTpgAmY7PhCfg==", "sha1 not base64!", "SHA1 \(base64)", "sha1 \(base64), sha1 \(base64)",
        ] {
            #expect(throws: WebError.self, "\(field)") { try ExpectedDigest(uploadChecksum: field) }
        }
    }

    @Test("Whatever bytes stand in the fields, they are read or refused")
    func randomFields() {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("filename cid,sha1=/+AQ \u{0}é".unicodeScalars)
        for _ in 0..<5000 {
            var field = ""
            for _ in 0..<Int.random(in: 0..<40, using: &random) {
                field.unicodeScalars.append(alphabet[Int.random(in: 0..<alphabet.count, using: &random)])
            }
            _ = try? TusMetadata(field: field)
            _ = try? ExpectedDigest(uploadChecksum: field)
            _ = TusProtocol.byteCount(field)
        }
    }
}
