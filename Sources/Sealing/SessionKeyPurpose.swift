/// The keys that a session's token gives.
package enum SessionKeyPurpose: String, Sendable {
    /// Seals the session's row.
    case session
    /// Makes the names under which the session knows photos.
    case handles
}

/// The key for `purpose`, 32 bytes, of a token of 32.
package func deriveSessionKey(
    _ purpose: SessionKeyPurpose, from token: borrowing SecretBytes
) throws -> SecretBytes {
    try deriveKey(labelled: purpose.rawValue, from: token)
}
