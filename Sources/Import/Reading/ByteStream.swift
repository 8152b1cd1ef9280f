/// Bytes from the first to the last. Blocking; for one thread at a time.
protocol ByteStream: AnyObject {
    /// At least one byte, or 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
    /// Bytes of the file that were read.
    var consumedByteCount: UInt64 { get }
}

/// The bytes of a file as they are.
final class PlainStream: ByteStream {
    private let file: PositionedFile
    private(set) var consumedByteCount: UInt64 = 0

    init(_ file: PositionedFile) { self.file = file }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = try file.read(at: consumedByteCount, into: buffer)
        consumedByteCount += UInt64(count)
        return count
    }
}

/// What a gzip file holds, all its members one after the other (RFC 1952, 2.2).
final class GzipStream: ByteStream {
    private static let pieceByteCount = 64 << 10

    private let input: PlainStream
    private let inflater: Inflater
    private let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceByteCount, alignment: 16)
    private var waiting = 0..<0
    private var made: UInt64 = 0
    private var isBetweenMembers = false

    var consumedByteCount: UInt64 { input.consumedByteCount }

    init(_ file: PositionedFile) throws {
        input = PlainStream(file)
        inflater = try Inflater(.gzip)
    }

    deinit { piece.deallocate() }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while true {
            if waiting.isEmpty {
                waiting = 0..<(try input.read(into: piece))
                if waiting.isEmpty {
                    guard isBetweenMembers else { throw ImportError.source(PositionedFile.cutOff) }
                    return 0
                }
            }
            // Zeros may fill the last block of a tape.
            if isBetweenMembers, piece[waiting.lowerBound] == 0 {
                waiting = waiting.dropFirst()
                continue
            }
            let count = try step(into: buffer)
            if count > 0 { return count }
        }
    }

    private func step(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        do {
            let (taken, count, step) = try inflater.step(
                from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(piece)[waiting]), into: buffer)
            waiting = (waiting.lowerBound + taken)..<waiting.upperBound
            isBetweenMembers = step == .ended
            if isBetweenMembers { inflater.restart() }
            made += UInt64(count)
            guard !ArchiveLimits.isBomb(produced: made, consumed: consumedByteCount) else {
                throw ImportError.source(ArchiveLimits.bombReason)
            }
            return count
        } catch ImportError.entry(let reason) {
            throw ImportError.source(reason)
        }
    }
}
