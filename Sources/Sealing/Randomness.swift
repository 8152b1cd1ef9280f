import COpenSSL

/// Random bytes that may become public: salts, identifiers, filler.
package func randomBytes(_ count: Int) throws -> [UInt8] {
    guard count >= 0 else { throw SealingError.invalidParameters("negative number of random bytes") }
    var bytes = [UInt8](repeating: 0, count: count)
    try bytes.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in try fillWithRandomness(buffer) }
    return bytes
}

func fillWithRandomness(_ buffer: UnsafeMutableRawBufferPointer) throws {
    try fill(buffer) { RAND_bytes($0, $1) }
}

/// From the generator whose output is never published, so that published values tell nothing about keys.
func fillWithSecretRandomness(_ buffer: UnsafeMutableRawBufferPointer) throws {
    try fill(buffer) { RAND_priv_bytes($0, $1) }
}

private func fill(
    _ buffer: UnsafeMutableRawBufferPointer, from generator: (UnsafeMutablePointer<UInt8>, Int32) -> Int32
) throws {
    guard let start = buffer.baseAddress, buffer.count > 0 else { return }
    guard let count = Int32(exactly: buffer.count) else {
        throw SealingError.invalidParameters("too many random bytes at once")
    }
    try check(generator(start.assumingMemoryBound(to: UInt8.self), count), "RAND_bytes")
}
