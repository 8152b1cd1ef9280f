/// What can go wrong between a password, a key and sealed bytes.
package enum SealingError: Error, Equatable {
    /// The kernel refused to lock a page for secrets; nothing secret was stored. Usually RLIMIT_MEMLOCK is too small.
    case memoryNotLockable(errno: Int32)
    /// The host has no memory or no thread left for a password's derivation; the same may go well later.
    case hostExhausted
    /// The commitment differs: the message was sealed under another key or context, or its header was changed.
    case wrongKey
    /// The key is right, but a tag does not verify or the length is impossible.
    case damaged
    /// A sealer was used after its last chunk, or after an error.
    case finished
    /// An argument has an impossible size or value; the text names it and holds nothing secret.
    case invalidParameters(String)
    /// The password is not well-formed UTF-8.
    case passwordNotUTF8
    /// The password exceeds 1,024 bytes after normalisation.
    case passwordTooLong
    /// The cryptographic library failed where it never should; the text names the call.
    case cryptographyFailed(String)
}
