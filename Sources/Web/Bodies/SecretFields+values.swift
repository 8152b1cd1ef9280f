import Records
import Unlocking

extension SecretFields {
    /// A field as a password; a missing one is an empty one.
    borrowing func password(_ name: String) throws -> Password {
        try withString(name) { try Password(utf8: $0 ?? UnsafeRawBufferPointer(start: nil, count: 0)) }
    }

    /// What a vault is opened with: one of `password`, `recovery` and `passkey`; none is an empty password.
    /// - Throws: `recoveryCodeInvalid`, `passkeyInvalid`, `malformedJSON` for more than one.
    borrowing func vaultSecret() throws -> VaultSecret {
        let code = try recoveryCode("recovery")
        let passkey = try passkey("passkey")
        let hasPassword = try withString("password") { $0 != nil }
        switch (hasPassword, code, passkey) {
        case (_, nil, nil): return .password(try password("password"))
        case (false, .some(let code), nil): return .recovery(code)
        case (false, nil, .some(let passkey)): return .passkey(passkey)
        default: throw WebError.malformedJSON("only one of password, recovery and passkey can be given")
        }
    }

    borrowing func recoveryCode(_ name: String) throws -> RecoveryCode? {
        try withString(name) { bytes in
            guard let bytes else { return nil }
            guard let code = RecoveryCode(typed: bytes) else { throw VaultError.recoveryCodeInvalid }
            return code
        }
    }

    /// Nil for what is no door's code, or has a typing error.
    borrowing func doorCode(_ name: String) throws -> DoorCode? {
        try withString(name) { bytes in bytes.flatMap { DoorCode(typed: $0) } }
    }

    borrowing func passkey(_ name: String) throws -> PasskeySecret? {
        try withString(name) { bytes in
            guard let bytes else { return nil }
            guard let secret = PasskeySecret(base64URL: bytes) else { throw VaultError.passkeyInvalid }
            return secret
        }
    }

    /// A field that is no secret.
    borrowing func text(_ name: String) throws -> String? {
        try withString(name) { bytes in
            guard let bytes else { return nil }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw WebError.malformedJSON("\(name) is not UTF-8")
            }
            return text
        }
    }
}
