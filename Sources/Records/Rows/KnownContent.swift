/// A question before an upload: is this content in the vault?
package enum ContentQuestion: Sendable {
    /// SHA-256 of the whole content, 32 bytes.
    case whole(byteCount: UInt64, sha256: [UInt8])
    /// SHA-256 over the SHA-256s of the pieces of 8 MiB, for content of more than one.
    case tree(byteCount: UInt64, digest: [UInt8])
    /// SHA-256 of the first and of the last piece of 8 MiB (the last may be shorter).
    case ends(byteCount: UInt64, first: [UInt8], last: [UInt8])
}

/// The answer. Only photos that were read back from disk and do not lie in "Recently deleted" count.
package enum ContentAnswer: String, Sendable {
    case known, maybe, new
}
