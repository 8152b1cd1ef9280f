/// A place elsewhere that keeps objects under names, as object stores do: whole, and replaced only as a whole. Blocking,
/// and used by several threads at once.
package protocol RemoteObjects: Sendable {
    /// For people.
    var place: String { get }
    /// Requests that may be under way at the same time.
    var concurrency: Int { get }

    /// All whose names begin so, in their order.
    func list(_ prefix: String, _ each: (_ name: String, _ byteCount: UInt64) throws -> Void) throws
    /// Nil when there is no such object. The digest is SHA-256 in hexadecimal digits, as it was put; nil where the place
    /// has not kept it.
    func look(at name: String) throws -> (byteCount: UInt64, digest: String?)?
    /// - Parameters:
    ///   - isOnce: an object of that name never has other bytes
    ///   - read: into a buffer from an offset
    /// - Returns: SHA-256 in hexadecimal digits of what is there now.
    /// - Throws: `StoreError.objectUnreadable` when `read` fails.
    func put(
        _ name: String, byteCount: UInt64, isOnce: Bool,
        read: @escaping @Sendable (_ buffer: UnsafeMutableRawBufferPointer, _ offset: UInt64) throws -> Int
    ) throws -> String
    /// Fewer bytes where it ends; nil when there is no such object.
    func read(_ name: String, _ range: Range<UInt64>) throws -> [UInt8]?
    /// Also what is not there. False when it is not allowed.
    func remove(_ name: String) throws -> Bool
    /// Ends what was begun and cut off, where the place tells.
    func endUnfinished() throws
}

/// Bytes of an object elsewhere.
struct RemoteFile: ByteSource {
    let remote: any RemoteObjects
    let name: String

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws -> Int {
        guard let bytes = try remote.read(name, offset..<offset + UInt64(buffer.count)) else {
            throw StoreError.objectUnreadable
        }
        buffer.copyBytes(from: bytes)
        return bytes.count
    }
}
