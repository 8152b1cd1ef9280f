import Testing

@testable import Sealing

@Suite("Passwords")
struct NormalizedPasswordTests {
    private func normalized(_ bytes: [UInt8]) throws -> [UInt8] {
        try bytes.withUnsafeBytes { try normalizedPassword($0).exposed() }
    }

    @Test(
        "composed and decomposed letters are the same password",
        arguments: [
            ("e\u{301}", "\u{E9}"), ("\u{E9}", "\u{E9}"), ("a\u{323}\u{302}", "\u{1EAD}"),
            ("a\u{302}\u{323}", "\u{1EAD}"),
            ("\u{1112}\u{1161}\u{11AB}", "\u{D55C}"), ("\u{212B}", "\u{C5}"), ("q\u{307}\u{323}", "q\u{323}\u{307}"),
        ])
    func composition(input: String, expected: String) throws {
        #expect(try normalized(Array(input.utf8)) == Array(expected.utf8))
    }

    @Test(
        "nothing else is changed: spaces, case, compatibility letters, emoji, control characters",
        arguments: [
            " a ", "\tA\n", "\u{FB01}", "\u{FF21}", "👨‍👩‍👧", "a\0b", "\u{FEFF}x", "",
        ])
    func untouched(text: String) throws {
        #expect(try normalized(Array(text.utf8)) == Array(text.utf8))
    }

    @Test("1,024 bytes are allowed, counted after composing")
    func limit() throws {
        #expect(try normalized([UInt8](repeating: 0x61, count: 1_024)).count == 1_024)
        #expect(throws: SealingError.passwordTooLong) { _ = try normalized([UInt8](repeating: 0x61, count: 1_025)) }
        let decomposed = String(repeating: "e\u{301}", count: 512)
        #expect(try normalized(Array(decomposed.utf8)).count == 1_024)
        #expect(throws: SealingError.passwordTooLong) { _ = try normalized(Array((decomposed + "a").utf8)) }
        #expect(throws: SealingError.passwordTooLong) { _ = try normalized([UInt8](repeating: 0x80, count: 1 << 20)) }
    }

    @Test(
        "bytes that are not UTF-8 are refused",
        arguments: [
            [0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x61, 0x80],
        ] as [[UInt8]])
    func malformed(bytes: [UInt8]) {
        #expect(throws: SealingError.passwordNotUTF8) { _ = try normalized(bytes) }
    }
}
