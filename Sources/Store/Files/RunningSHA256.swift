internal import COpenSSL
import Glibc

/// SHA-256 of bytes that come piece by piece.
final class RunningSHA256 {
    private let context: OpaquePointer

    init() throws(StoreError) {
        guard let context = EVP_MD_CTX_new() else { throw Self.failure() }
        self.context = context
        guard EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else { throw Self.failure() }
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    func update(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
        guard EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else { throw Self.failure() }
    }

    /// 32 bytes. To be called once, after the last piece.
    func finish() throws(StoreError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_DigestFinal_ex(context, &digest, nil) == 1 else { throw Self.failure() }
        return digest
    }

    private static func failure() -> StoreError {
        ERR_clear_error()
        return .ioFailed(operation: "SHA-256", errno: EIO)
    }
}

/// SHA-256 of `bytes`, 32 bytes.
func sha256(_ bytes: some Collection<UInt8>) throws(StoreError) -> [UInt8] {
    let input = [UInt8](bytes)
    var digest = [UInt8](repeating: 0, count: 32)
    let status = input.withUnsafeBytes { (input: UnsafeRawBufferPointer) in
        EVP_Digest(input.baseAddress, input.count, &digest, nil, EVP_sha256(), nil)
    }
    guard status == 1 else {
        ERR_clear_error()
        throw .ioFailed(operation: "SHA-256", errno: EIO)
    }
    return digest
}
