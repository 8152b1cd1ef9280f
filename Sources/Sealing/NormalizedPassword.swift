@_spi(_Unicode) import Swift

/// Most bytes of a password after normalisation.
package let passwordByteLimit = 1_024

/// The bytes that a password stands for: Unicode NFC, UTF-8, nothing trimmed. Keyboards differ in how they compose a
/// letter; the same password must open the same vault from each.
///
/// ASCII is copied as it is and never passes through a `String`; other text leaves a copy in ordinary memory until
/// that is used again, for the standard library normalises strings only.
///
/// - Throws: `SealingError.passwordNotUTF8`, `.passwordTooLong`.
package func normalizedPassword(_ utf8: UnsafeRawBufferPointer) throws -> SecretBytes {
    // Composing shrinks UTF-8 at most threefold (as three Hangul letters into one syllable): more can never fit.
    guard utf8.count <= 3 * passwordByteLimit else { throw SealingError.passwordTooLong }
    guard utf8.contains(where: { $0 >= 0x80 }) else {
        guard utf8.count <= passwordByteLimit else { throw SealingError.passwordTooLong }
        return try SecretBytes(copying: utf8)
    }
    guard let text = String(validating: utf8, as: UTF8.self) else { throw SealingError.passwordNotUTF8 }
    var byteCount = 0
    for scalar in text._nfc { byteCount += UTF8.width(scalar) }
    guard byteCount <= passwordByteLimit else { throw SealingError.passwordTooLong }
    return try SecretBytes(count: byteCount) { output in
        var offset = 0
        for scalar in text._nfc {
            for byte in UTF8.encode(scalar).unsafelyUnwrapped {
                output[offset] = byte
                offset += 1
            }
        }
    }
}
