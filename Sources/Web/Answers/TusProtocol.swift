import HTTPTypes
import Hummingbird

/// The words of tus 1.0.0, the protocol of resumable uploads (tus.io), and how its numbers are read.
enum TusProtocol {
    static let version = "1.0.0"
    static let extensions = "creation,creation-with-upload,checksum,expiration,termination"
    static let checksumAlgorithms = "sha256,sha1"
    /// That of tus, and the one that clients know which are generated from the description of the interface.
    static let contentTypes = ["application/offset+octet-stream", "application/octet-stream"]

    /// A count of bytes as tus writes it: digits and nothing else. `UInt64` alone would also take a plus sign.
    /// - Returns: `nil` when malformed, or beyond 64 bits.
    static func byteCount(_ text: String) -> UInt64? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return !text.isEmpty && text.utf8.allSatisfy(digits.contains) ? UInt64(text) : nil
    }

    /// Every answer about uploads has it, errors included.
    static func addVersion(to response: inout Response, for request: Request) {
        let path = request.uri.path
        let base = path.hasPrefix(GiveAddresses.base) ? GiveAddresses.base : "/api"
        guard path == "\(base)/uploads" || path.hasPrefix("\(base)/uploads/") else { return }
        response.headers[.tusResumable] = version
    }
}

extension HTTPField.Name {
    static let methodOverride = known("X-HTTP-Method-Override")
    static let tusResumable = known("Tus-Resumable")
    static let tusVersion = known("Tus-Version")
    static let tusExtension = known("Tus-Extension")
    static let tusMaxSize = known("Tus-Max-Size")
    static let tusChecksumAlgorithm = known("Tus-Checksum-Algorithm")
    static let uploadLength = known("Upload-Length")
    static let uploadDeferLength = known("Upload-Defer-Length")
    static let uploadConcat = known("Upload-Concat")
    static let uploadOffset = known("Upload-Offset")
    static let uploadMetadata = known("Upload-Metadata")
    static let uploadChecksum = known("Upload-Checksum")
    static let uploadExpires = known("Upload-Expires")
    /// Ours: the photo that an upload has become.
    static let safelightPhoto = known("Safelight-Photo")
    /// Ours: that a file was read which says something of photos.
    static let safelightSidecar = known("Safelight-Sidecar")
    /// Ours: whether that photo was there before.
    static let safelightDuplicate = known("Safelight-Duplicate")
}

extension Request {
    /// - Throws: `unsupportedTusVersion` unless the request speaks the version that we do.
    func requireTusVersion() throws(WebError) {
        guard headers[.tusResumable] == TusProtocol.version else { throw .unsupportedTusVersion }
    }

    /// A field that holds a count of bytes.
    /// - Throws: `malformedRequest` when it is missing or not a count.
    func tusByteCount(_ name: HTTPField.Name) throws(WebError) -> UInt64 {
        guard let text = headers[name] else { throw .malformedRequest("\(name.rawName) is missing") }
        guard let count = TusProtocol.byteCount(text) else {
            throw .malformedRequest("\(name.rawName) is not a count of bytes")
        }
        return count
    }
}
