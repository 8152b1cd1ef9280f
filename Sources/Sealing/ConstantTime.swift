import COpenSSL

/// Compares in time that depends only on the lengths; different lengths are different.
package func constantTimeEquals(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    guard a.count == b.count else { return false }
    guard let first = a.baseAddress, let second = b.baseAddress else { return true }
    return CRYPTO_memcmp(first, second, a.count) == 0
}

/// Overwrites with zeros in a way that the compiler may not leave out.
package func cleanse(_ buffer: UnsafeMutableRawBufferPointer) {
    guard let start = buffer.baseAddress else { return }
    OPENSSL_cleanse(start, buffer.count)
}

/// Overwrites a scratch array that held key bytes.
package func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in cleanse(buffer) }
}
