import NIOCore
import Testing

@testable import Web

@Suite struct SecretFieldsTests {
    private func string(_ name: String, in json: String) throws -> [UInt8]? {
        var body = ByteBuffer(string: json)
        let fields = try SecretFields(body: &body)
        return try fields.withString(name) { $0.map(Array.init) }
    }

    @Test("Strings are unescaped to UTF-8")
    func strings() throws {
        let json = #" { "password" : "a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é😀" , "keep":true,"code":null } "#
        #expect(try string("password", in: json) == Array("a\"\\/\u{8}\u{c}\n\r\t\u{e9}😀é😀".utf8))
        #expect(try string("code", in: json) == nil)
        #expect(try string("missing", in: json) == nil)
        #expect(try string("password", in: "{\"password\":\"\"}") == [])
    }

    @Test("Booleans are read")
    func booleans() throws {
        var body = ByteBuffer(string: #"{"keep":true,"migrate":false,"code":null,"password":"x"}"#)
        let fields = try SecretFields(body: &body)
        #expect(try fields.boolean("keep") == true)
        #expect(try fields.boolean("migrate") == false)
        #expect(try fields.boolean("code") == nil)
        #expect(throws: WebError.self) { try fields.boolean("password") }
        #expect(throws: WebError.self) { try fields.withString("keep") { _ in } }
    }

    @Test("An empty object is one")
    func empty() throws {
        #expect(try string("password", in: "{}") == nil)
    }

    @Test(
        "Anything else is refused",
        arguments: [
            "", "[]", "null", "\"x\"", "{", "{\"a\"}", "{\"a\":}", "{\"a\":\"x\"", "{\"a\":\"x\",}", "{a:\"x\"}",
            "{\"a\":1}", "{\"a\":[]}", "{\"a\":{}}", "{\"a\":tru}", "{\"a\":\"x\"}x", "{\"a\":\"x\"}{}",
            "{\"a\":\"x\",\"a\":\"y\"}", "{\"a\":\"x\",\"\\u0061\":\"y\"}", "{\"a\":\"x\" \"b\":\"y\"}",
            "{\"a\":\"\n\"}", "{\"a\":\"\u{0}\"}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12\"}", "{\"a\":\"\\ud800\"}",
            "{\"a\":\"\\ud800\\u0041\"}", "{\"a\":\"\\udc00\"}", "{\"a\":\"\\ud800x\"}", "{\"a\":'x'}", "\u{feff}{}",
        ])
    func malformed(json: String) {
        var body = ByteBuffer(string: json)
        #expect(throws: WebError.self) { _ = try SecretFields(body: &body) }
    }

    @Test("A body beyond the limit is refused")
    func limit() throws {
        let json = "{\"password\":\"\(String(repeating: "x", count: 4096 - 15))\"}"
        #expect(json.utf8.count == 4096)
        #expect(try string("password", in: json)?.count == 4081)
        #expect(throws: WebError.bodyTooLarge(limit: 4096)) { try string("password", in: json + " ") }
    }

    @Test("The body is overwritten where it lies, also when it is refused")
    func wiped() {
        for json in ["{\"password\":\"correct horse\"}", "{\"password\":\"correct horse\"} tail"] {
            let original = ByteBuffer(string: "before" + json + "after")
            var body = original.getSlice(at: 6, length: json.utf8.count) ?? ByteBuffer()
            _ = try? SecretFields(body: &body)
            let expected = Array("before".utf8) + [UInt8](repeating: 0, count: json.utf8.count) + Array("after".utf8)
            #expect(Array(original.readableBytesView) == expected)
        }
    }
}

@Suite struct BasicCredentialsTests {
    private func password(_ field: String) -> String? {
        guard let credentials = BasicCredentials(authorization: field) else { return nil }
        return credentials.withPassword { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "The password is what follows the first colon",
        arguments: [
            ("Basic OnBhc3N3b3Jk", "password"), ("basic dXNlcjpwYXNzd29yZA==", "password"),
            ("Basic dTphOmI=", "a:b"), ("Basic Og==", ""), ("Basic OsOp", "é"), ("Basic dTphOmI", "a:b"),
        ])
    func passwords(field: String, expected: String) {
        #expect(password(field) == expected)
    }

    @Test(
        "Other schemes and broken base64 give nothing",
        arguments: [
            "", "Basic", "Basic ", "Bearer OnBhc3N3b3Jk", "Basic cGFzc3dvcmQ=", "Basic On Bhc3", "Basic O===",
            "Basic Og=A", "Basic On-_", "Basic O",
        ])
    func malformed(field: String) {
        #expect(password(field) == nil)
    }
}
