internal import COpenSSL
import Glibc

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
