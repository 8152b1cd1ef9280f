import Sealing

/// What a new vault's password must be: not empty, typed twice alike, at least 8 characters, not among the first that
/// anybody would try.
enum PasswordRules {
    static let leastCharacters = 8

    static func check(_ password: Password, confirmation: Password) throws(VaultError) {
        guard !password.isEmpty else { throw .passwordEmpty }
        guard password.equals(confirmation) else { throw .passwordMismatch }
        let verdict = password.bytes.withUnsafeBytes { bytes in
            (characters: characterCount(bytes), common: CommonPasswords.contains(bytes))
        }
        guard verdict.characters >= leastCharacters else { throw .passwordTooShort }
        guard !verdict.common else { throw .passwordTooCommon }
    }

    /// Unicode scalars of UTF-8: every byte that is not a continuation byte.
    private static func characterCount(_ utf8: UnsafeRawBufferPointer) -> Int {
        utf8.reduce(into: 0) { count, byte in if byte & 0xC0 != 0x80 { count += 1 } }
    }
}
