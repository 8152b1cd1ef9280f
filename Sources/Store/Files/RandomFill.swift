internal import COpenSSL
import Glibc

/// Random bytes from the system, for names, filler and cover rows.
func randomBytes(_ count: Int) throws(StoreError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let status = bytes.withUnsafeMutableBufferPointer { RAND_bytes($0.baseAddress, Int32(clamping: $0.count)) }
    guard status == 1 else {
        ERR_clear_error()
        throw .ioFailed(operation: "drawing random bytes", errno: EIO)
    }
    return bytes
}
