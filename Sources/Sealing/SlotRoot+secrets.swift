/// Secrets that are drawn at random and as long as a key, beside passwords, which are neither.
package enum SlotSecretKind: String, Sendable {
    /// What a printed code stands for: 16 bytes.
    case recovery
    /// The output of an authenticator's pseudorandom function: 32 bytes.
    case passkey
}

extension SlotRoot {
    /// Without Argon2: that makes guessing a password expensive, and nobody guesses 128 bits.
    ///
    /// The kind is mixed in, so that the same bytes as a secret of another kind lead to other slots.
    ///
    /// - Parameters:
    ///   - hostSalt: 16 bytes.
    ///   - pepper: of a host whose KDF record asks for one.
    /// - Throws: `SealingError.invalidParameters` for a secret of less than 16 bytes.
    package static func derive(
        secret: borrowing SecretBytes, of kind: SlotSecretKind, hostSalt: [UInt8], pepper: SharedSecret?
    ) throws -> SlotRoot {
        guard secret.count >= 16 else { throw SealingError.invalidParameters("slot secret size") }
        let salt = try extractSalt(Array("safelight/v1/\(kind.rawValue)".utf8) + hostSalt, pepper)
        return SlotRoot(prk: try salt.withUnsafeBytes { try HKDFSHA512.extract(salt: $0, keyMaterial: secret) })
    }

    /// Secret, for the pepper is.
    private static func extractSalt(_ label: [UInt8], _ pepper: SharedSecret?) throws -> SecretBytes {
        guard let pepper else { return try SecretBytes(copying: label) }
        return try pepper.bytes.withUnsafeBytes { pepper in
            try SecretBytes(count: label.count + pepper.count) { salt in
                salt.copyBytes(from: label)
                UnsafeMutableRawBufferPointer(rebasing: salt[label.count...]).copyMemory(from: pepper)
            }
        }
    }
}
