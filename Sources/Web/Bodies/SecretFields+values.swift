import Vaults

extension SecretFields {
    /// A field as a password; a missing one is an empty one.
    borrowing func password(_ name: String) throws -> Password {
        try withString(name) { try Password(utf8: $0 ?? UnsafeRawBufferPointer(start: nil, count: 0)) }
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
