import ImagingProtocol
import Media

/// The file of one job, read over the line. Whoever reads on from where the last read ended gets ever longer pieces, up
/// to `FrameKind.rangeLimit`; whoever jumps gets short ones. The file's beginning is kept, for it is read several times.
package final class RemoteSource: ByteSource {
    package let byteCount: UInt64
    /// Where it begins in what the daemon gives out.
    private let start: UInt64
    private let line: ParentLine
    private var head = Piece()
    private var recent = Piece()
    private var window = RemoteSource.leastWindow

    private static let leastWindow = 64 << 10

    private struct Piece {
        var offset: UInt64 = 0
        var bytes: [UInt8] = []
        var end: UInt64 { offset + UInt64(bytes.count) }

        /// As much as is here of the range; nil if its first byte is not.
        func part(at start: UInt64, count: Int) -> ArraySlice<UInt8>? {
            guard offset <= start, start < end else { return nil }
            let first = Int(start - offset)
            return bytes[first..<first + min(count, bytes.count - first)]
        }
    }

    package init(line: ParentLine, byteCount: UInt64, start: UInt64 = 0) {
        self.line = line
        self.start = start
        self.byteCount = byteCount
    }

    package func read(at offset: UInt64, count: Int) -> [UInt8] {
        var result: [UInt8] = []
        var position = offset
        while result.count < count, position < byteCount {
            let part = part(at: position, count: count - result.count)
            guard !part.isEmpty else { break }
            result += part
            position += UInt64(part.count)
        }
        return result
    }

    /// At least one byte of the range, if the daemon has any.
    package func part(at offset: UInt64, count: Int) -> ArraySlice<UInt8> {
        guard offset < byteCount, count > 0 else { return [] }
        if let part = head.part(at: offset, count: count) ?? recent.part(at: offset, count: count) { return part }
        window = offset == recent.end ? min(window * 2, FrameKind.rangeLimit) : Self.leastWindow
        let wanted = min(max(count, window), FrameKind.rangeLimit)
        let available = Int(clamping: byteCount - offset)
        recent = Piece(offset: offset, bytes: ask(offset, min(wanted, available)))
        if offset == 0 { head = recent }
        return recent.part(at: offset, count: count) ?? []
    }

    private func ask(_ offset: UInt64, _ count: Int) -> [UInt8] {
        line.send(.read(ChildMessage.ByteRange(offset: start + offset, count: count)))
        guard case .bytes(let bytes) = line.receive(), bytes.count <= count else { return [] }
        return bytes
    }
}
