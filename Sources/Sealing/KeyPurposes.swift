/// The keys that a vault's key gives, each for one job.
package enum VaultKeyPurpose: String, Sendable {
    /// Seals rows.
    case row
    /// Makes row ids.
    case rid
    /// Authenticates the elements of the set accumulator.
    case acc
    /// Seals exports.
    case export
    /// Makes the names under which programs know photos.
    case handles
}

/// The key for `purpose`, 32 bytes, of a vault key of 32.
package func deriveVaultKey(
    _ purpose: VaultKeyPurpose, from vaultKey: borrowing SecretBytes
) throws -> SecretBytes {
    try deriveKey(labelled: purpose.rawValue, from: vaultKey)
}

/// HKDF-Expand under the label `safelight/v1/<word>`. Labels stand alone, so none can run into what follows it.
func deriveKey(labelled word: String, from key: borrowing SecretBytes) throws -> SecretBytes {
    guard key.count == 32 else { throw SealingError.invalidParameters("key size") }
    return try HKDFSHA512.expand(key, info: Array("safelight/v1/\(word)".utf8), count: 32)
}

/// The key of one of the daemon's own vaults, 32 bytes, of a device's cookie of 32.
package func deriveGhostKey(_ number: Int, from cookie: borrowing SecretBytes) throws -> SecretBytes {
    try deriveKey(labelled: "ghost/\(number)", from: cookie)
}

/// The keys that a photo's key gives.
package enum FileKeyPurpose: String, Sendable {
    /// Seals the runs of its object.
    case original
    /// Seals its previews.
    case preview
}

/// The key for `purpose`, 32 bytes, of a file key of 32.
package func deriveFileKey(_ purpose: FileKeyPurpose, from fileKey: borrowing SecretBytes) throws -> SecretBytes {
    try deriveKey(labelled: purpose.rawValue, from: fileKey)
}

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
