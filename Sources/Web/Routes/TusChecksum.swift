import Records

extension ExpectedDigest {
    /// `Upload-Checksum`: an algorithm, a space, the digest in base64 that the bytes of this request must have.
    /// - Throws: `malformedRequest`, also for an algorithm that is not offered, as tus asks.
    package init(uploadChecksum field: String) throws(WebError) {
        let words = field.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, let digest = Base64.decode(words[1]) else {
            throw .malformedRequest("Upload-Checksum is not an algorithm and its digest in base64")
        }
        switch (words[0], digest.count) {
        case ("sha256", 32): self = .sha256(digest)
        case ("sha1", 20): self = .sha1(digest)
        case ("sha256", _), ("sha1", _):
            throw .malformedRequest("Upload-Checksum is not as long as its algorithm makes it")
        default:
            throw .malformedRequest("Upload-Checksum is not one of \(TusProtocol.checksumAlgorithms)")
        }
    }
}
