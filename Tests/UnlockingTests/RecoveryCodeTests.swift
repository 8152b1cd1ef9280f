import Sealing
import Testing

@testable import Unlocking

@Suite("A recovery code")
struct RecoveryCodeTests {
    private func read(_ text: String) -> RecoveryCode? {
        Array(text.utf8).withUnsafeBytes { RecoveryCode(typed: $0) }
    }

    private func same(_ one: RecoveryCode, _ other: RecoveryCode?) -> Bool {
        other.map { one.secret.equals($0.secret) } ?? false
    }

    @Test("is seven groups of four, and is read back as it was")
    func form() throws {
        for _ in 0..<200 {
            let code = try DrawnRecoveryCode().code
            let text = try code.text()
            #expect(text.split(separator: "-").map(\.count) == [4, 4, 4, 4, 4, 4, 4])
            #expect(same(code, read(text)))
        }
    }

    @Test("may be typed in any case, with and without separators, with look-alikes")
    func tolerance() throws {
        for _ in 0..<50 {
            let code = try DrawnRecoveryCode().code
            let text = try code.text()
            #expect(same(code, read(text.lowercased())))
            #expect(same(code, read(text.replacing("-", with: ""))))
            #expect(same(code, read(" " + text.replacing("-", with: " - ") + "\n")))
            #expect(same(code, read(text.replacing("0", with: "O").replacing("1", with: "l"))))
            #expect(same(code, read(text.replacing("0", with: "o").replacing("1", with: "I"))))
        }
    }

    @Test("with one wrong character, or two neighbours exchanged, is hardly ever taken for a code")
    func typingErrors() throws {
        var (tried, taken) = (0, 0)
        for _ in 0..<40 {
            let letters = Array(try DrawnRecoveryCode().code.text().replacing("-", with: ""))
            for index in letters.indices {
                var wrong = letters
                wrong[index] = wrong[index] == "Z" ? "Y" : "Z"
                tried += 1
                if read(String(wrong)) != nil { taken += 1 }
            }
        }
        // One in 4,096 by chance.
        #expect(tried == 1120 && taken <= 5)
    }

    @Test("is nothing else", arguments: ["", "violet tram seven", "XXXX", "0000-0000-0000-0000-0000-0000-000U"])
    func others(text: String) { #expect(read(text) == nil) }

    @Test("is not found in a text that is too long, or has a character more")
    func long() throws {
        let text = try DrawnRecoveryCode().code.text()
        #expect(read(text + "0") == nil)
        #expect(read(String(text.dropLast())) == nil)
        #expect(read(text + String(repeating: " ", count: 200)) == nil)
    }
}
