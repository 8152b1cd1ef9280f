/// A place elsewhere that keeps objects under names, as object stores do: whole, and replaced only as a whole. Blocking,
/// and used by several threads at once.
package protocol RemoteObjects: Sendable {
    /// For people.
    var place: String { get }
    /// Requests that may be under way at the same time.
    var concurrency: Int { get }
    /// The same place, where requests are given up sooner: somebody waits for them.
    var urgent: any RemoteObjects { get }
    /// The same place, by connections of its own.
    var anew: any RemoteObjects { get }
    /// What has more bytes is sent in parts, which the place puts together.
    var longestWhole: UInt64 { get }
    /// Tries whether the place keeps what it is given, before anything is trusted to it.
    /// - Throws: `unusable` with what it lacks
    func requireGood() throws
    /// Before something is asked for again. Longer each time.
    func pause(before attempt: Int) throws

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
    /// Puts what is never replaced (`If-None-Match: *`). An answer that was lost is found out: what is there is compared.
    /// - Throws: where nobody knows whether it is there now.
    func putFirst(
        _ name: String, byteCount: UInt64,
        read: @escaping @Sendable (_ buffer: UnsafeMutableRawBufferPointer, _ offset: UInt64) throws -> Int
    ) throws -> FirstPut
    /// Fewer bytes where it ends; nil when there is no such object.
    func read(_ name: String, _ range: Range<UInt64>) throws -> [UInt8]?
    /// Also what is not there. False when it is not allowed.
    func remove(_ name: String) throws -> Bool
    /// Ends what was begun and cut off, where the place tells.
    func endUnfinished() throws
}

/// What became of an object that was to be the first of its name.
package enum FirstPut: Sendable, Equatable {
    /// It is there, by this request or by one before it.
    case stands
    /// Another one is there: its SHA-256, in hexadecimal digits.
    case taken(digest: String)
}

extension RemoteObjects {
    var urgent: any RemoteObjects { self }
    var anew: any RemoteObjects { self }
    var longestWhole: UInt64 { .max }

    func requireGood() throws {}
    func pause(before attempt: Int) throws {}

    /// Asks three times at most for what can be compared with what is known of it. Between here and a store is much that
    /// answers in its place for a moment, and one such answer says nothing against the object.
    /// - Parameter fits: whether it is what was asked for
    /// - Returns: the first that fits, or else the last one
    func askingAgain<R>(_ body: (any RemoteObjects) throws -> R, until fits: (R) -> Bool) throws -> R {
        var answer = try body(self)
        for attempt in 1...2 where !fits(answer) {
            try pause(before: attempt)
            answer = try body(anew)
        }
        return answer
    }

    /// The same for a few bytes.
    func putFirst(_ name: String, _ bytes: [UInt8]) throws -> FirstPut {
        try putFirst(name, byteCount: UInt64(bytes.count), read: bytes.read(into:at:))
    }

    @discardableResult
    func put(_ name: String, _ bytes: [UInt8], isOnce: Bool = false) throws -> String {
        try put(name, byteCount: UInt64(bytes.count), isOnce: isOnce, read: bytes.read(into:at:))
    }

    /// Nil when there is no such object, or one that is longer.
    func readWhole(_ name: String, atMost limit: Int) throws -> [UInt8]? {
        guard let bytes = try read(name, 0..<UInt64(limit) + 1), bytes.count <= limit else { return nil }
        return bytes
    }
}

/// What can be read at an offset: a file here, an object elsewhere, or bytes in memory.
protocol ByteSource: Sendable {
    /// Reads until `buffer` is full or the bytes end; returns what was read.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws -> Int
    /// Reads it once, or, where it lies elsewhere, as often as `RemoteObjects.askingAgain` asks.
    func askingAgain<R>(_ body: (any ByteSource) throws -> R, until fits: (R) -> Bool) throws -> R
}

extension ByteSource {
    func askingAgain<R>(_ body: (any ByteSource) throws -> R, until fits: (R) -> Bool) throws -> R { try body(self) }
}

extension [UInt8]: ByteSource {
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
        let rest = dropFirst(Int(clamping: offset)).prefix(buffer.count)
        buffer.copyBytes(from: rest)
        return rest.count
    }
}

/// An object elsewhere.
struct RemoteFile: ByteSource {
    /// Of one request, where a whole object is read.
    static let pieceByteCount = 4 << 20

    let remote: any RemoteObjects
    let name: String

    /// - Throws: `objectUnreadable` where it is not there, and what the place says that cannot be reached
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws -> Int {
        guard let bytes = try remote.read(name, offset..<offset + UInt64(buffer.count)) else {
            throw StoreError.objectUnreadable
        }
        return bytes.read(into: buffer, at: 0)
    }

    func askingAgain<R>(_ body: (any ByteSource) throws -> R, until fits: (R) -> Bool) throws -> R {
        try remote.askingAgain({ try body(RemoteFile(remote: $0, name: name)) }, until: fits)
    }
}
