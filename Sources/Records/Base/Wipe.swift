import Sealing

/// Overwrites a scratch array that held key bytes.
package func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in cleanse(buffer) }
}
