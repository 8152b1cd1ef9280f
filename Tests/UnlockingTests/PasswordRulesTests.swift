import Foundation
import TestSupport
import Testing

@testable import Records
@testable import Unlocking

/// Passwords by what becomes of them, on the host and on the page alike.
private struct Samples: Decodable {
    let hostNames: [String]
    let short: [String]
    let common: [String]
    let accepted: [String]

    static let all = Result {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return try JSONDecoder().decode(Samples.self, from: Data(contentsOf: tests.appending(path: "passwords.json")))
    }
}

@Suite("What a new password must be")
struct PasswordRulesTests {
    private let samples: Samples
    private let rules: PasswordRules

    init() throws {
        samples = try Samples.all.get()
        rules = PasswordRules(
            common: try CommonPasswords(path: commonPasswordsPath), hostNames: samples.hostNames)
    }

    private func password(_ text: String) throws(VaultError) -> Password {
        let bytes = Array(text.utf8)
        return try bytes.span.withUnsafeBytes { bytes throws(VaultError) in try Password(utf8: bytes) }
    }

    private func verdict(_ text: String, _ confirmation: String? = nil) -> VaultError? {
        do throws(VaultError) {
            try rules.check(password(text), confirmation: password(confirmation ?? text))
            return nil
        } catch {
            return error
        }
    }

    @Test("empty, differing and short ones are refused, each with its own error")
    func kinds() {
        #expect(verdict("") == .passwordEmpty)
        #expect(verdict("violet tram", "violet Tram") == .passwordMismatch)
        #expect(verdict("kv7#pZ2xQ") == .passwordTooShort)
        #expect(verdict("kv7#pZ2xQ!") == nil)
    }

    @Test("length counts characters, not bytes, and a character that may be a word as two")
    func characters() {
        #expect(verdict("ßüöäéøåñç") == .passwordTooShort)
        #expect(verdict("ßüöäéøåñçê") == nil)
        #expect(verdict("山川日月") == .passwordTooShort)
        #expect(verdict("山川日月星") == nil)
    }

    @Test("1,024 bytes are taken, one more is not, and neither is what is no UTF-8")
    func bounds() throws {
        let longest = String(String(repeating: "correct horse battery ", count: 50).prefix(1024))
        #expect(verdict(longest) == nil)
        #expect(verdict(longest + "x") == .passwordTooLong)
        #expect(verdict(String(repeating: "a", count: 1024)) == .passwordTooCommon)
        #expect(throws: VaultError.passwordNotUTF8) {
            try [0xC3, 0x28].withUnsafeBytes { bytes throws(VaultError) in try Password(utf8: bytes) }
        }
    }

    @Test("what is short, common or fine is so for the host as for the page")
    func sampled() {
        #expect(samples.short.filter { verdict($0) != .passwordTooShort } == [])
        #expect(samples.common.filter { verdict($0) != .passwordTooCommon } == [])
        #expect(samples.accepted.filter { verdict($0) != nil } == [])
    }

    @Test("a name of the host makes a password common on that host alone")
    func hostNames() throws {
        let elsewhere = PasswordRules(common: try CommonPasswords(path: commonPasswordsPath), hostNames: ["cellar"])
        let text = try password("vault@musterhaus")
        #expect(verdict("vault@musterhaus") == .passwordTooCommon)
        #expect(throws: Never.self) { try elsewhere.check(text, confirmation: text) }
    }

    @Test("random passwords are taken for common ones in less than one case of a hundred")
    func random() {
        var generator = SeededGenerator(seed: 25)
        let signs = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        let made = (0..<300).map { _ in String((0..<10).map { _ in signs.randomElement(using: &generator) ?? "a" }) }
        #expect(made.filter { verdict($0) != nil }.count < 3)
    }

    @Test("without the file, or with another one in its place, the service does not start")
    func missing() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("common-passwords.bin")
        #expect(throws: StartFailure.self) { try CommonPasswords(path: file.path) }
        let whole = try Data(contentsOf: URL(filePath: commonPasswordsPath))
        for broken in [Data(), Data("<html>".utf8), whole.prefix(2000), whole.prefix(whole.count - 100)] {
            try broken.write(to: file)
            #expect(throws: StartFailure.self) { try CommonPasswords(path: file.path) }
        }
    }
}
