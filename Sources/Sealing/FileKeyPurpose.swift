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
