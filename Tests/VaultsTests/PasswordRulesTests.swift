import Testing

@testable import Vaults

@Suite("What a new password must be")
struct PasswordRulesTests {
    private func verdict(_ text: String, _ confirmation: String? = nil) -> VaultError? {
        do throws(VaultError) {
            try PasswordRules.check(password(text), confirmation: password(confirmation ?? text))
            return nil
        } catch {
            return error
        }
    }

    @Test("empty, differing and short ones are refused, each with its own error")
    func rules() throws {
        #expect(verdict("") == .passwordEmpty)
        #expect(verdict("violet tram", "violet Tram") == .passwordMismatch)
        #expect(verdict("kv7#pZ2") == .passwordTooShort)
        #expect(verdict("kv7#pZ2x") == nil)
    }

    @Test("length counts characters, not bytes")
    func characters() throws {
        #expect(verdict("ßüöäéøå") == .passwordTooShort)
        #expect(verdict("ßüöäéøåñ") == nil)
        #expect(verdict("山川日月星風雨雪") == nil)
    }

    @Test("1,024 bytes are taken, one more is not, and neither is what is no UTF-8")
    func bounds() throws {
        let longest = String(String(repeating: "correct horse battery ", count: 50).prefix(1024))
        #expect(verdict(longest) == nil)
        #expect(verdict(longest + "x") == .passwordTooLong)
        #expect(throws: VaultError.passwordNotUTF8) {
            try [0xC3, 0x28].withUnsafeBytes { bytes throws(VaultError) in try Password(utf8: bytes) }
        }
    }

    @Test(
        "what everybody tries first is refused",
        arguments: [
            "password", "password123", "Password1!", "p4ssw0rd!", "qwerty123", "12345678", "123456789012", "87654321",
            "11111111",
            "aaaaaaaaaa", "abababab", "abcdefgh", "1qaz2wsx", "iloveyou1", "sunshine!!", "letmein2024", "Safelight1",
            "qwertyuiop",
            "00000000", "19841984", "admin1234", "family2024", "zxcvbnm1",
        ])
    func common(text: String) throws {
        #expect(verdict(text) == .passwordTooCommon)
    }

    @Test(
        "phrases of several words and random ones pass",
        arguments: [
            "correct horse battery staple", "violet tram seven", "kv7#pZ2xQ!", "summer rain in paris",
            "mother ate my cookie",
            "Grüße aus Köln", "tR4m-v10let",
        ])
    func fine(text: String) throws {
        #expect(verdict(text) == nil)
    }
}
