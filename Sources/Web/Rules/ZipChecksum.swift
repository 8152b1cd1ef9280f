import CZlib
import NIOCore

/// CRC-32 as ZIP uses it, over any number of pieces.
struct ZipChecksum {
    private var state: UInt = 0

    var value: UInt32 { UInt32(truncatingIfNeeded: state) }

    mutating func append(_ bytes: ByteBuffer) {
        state = bytes.withUnsafeReadableBytes { memory in
            crc32_z(state, memory.bindMemory(to: UInt8.self).baseAddress, memory.count)
        }
    }
}
