import CZlib
import Testing

@testable import Sealing

/// One vector of c2sp.org/chunked-encryption.
struct ChunkedEncryptionVector: Decodable {
    let tcId: Int
    let comment: String
    let key: String
    let ctx: String
    /// Compressed with zlib.
    let ct: String
    let aeadKey: String?
    let baseNonce: String?
    let msgLength: Int?
    let msgSha512: String?
    let result: String
    let flags: [String]

    func message() throws -> [UInt8] {
        let compressed = try #require([UInt8](hex: ct))
        var message = [UInt8](repeating: 0, count: 8 << 20)
        var count = uLongf(message.count)
        try #require(uncompress(&message, &count, compressed, uLong(compressed.count)) == Z_OK)
        return Array(message.prefix(Int(count)))
    }

    func inputKey() throws -> SecretBytes {
        try SecretBytes(copying: #require([UInt8](hex: key)))
    }

    func context() throws -> SealingContext {
        SealingContext(bytes: try #require([UInt8](hex: ctx)))
    }
}
