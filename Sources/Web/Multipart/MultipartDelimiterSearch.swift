import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Finds CR LF `--boundary` in a stream of pieces, wherever their edges fall.
///
/// A CR can only be the delimiter's first byte, so a failed match never hides a second one inside itself: falling back
/// is to the start, and bytes held back at a piece's end are always a prefix of the delimiter. They need no copy, a
/// slice of the delimiter itself stands for them.
struct MultipartDelimiterSearch {
    enum Finding {
        case needsMore
        case content(ByteBuffer)
        case delimiter
    }

    private let delimiter: ByteBuffer
    /// How many bytes of the delimiter the end of the last piece matched.
    private var matched: Int
    /// How many bytes at the front of `delimiter` were never received: the CR LF that the first boundary may lack.
    private var assumed: Int

    init(boundary: MultipartBoundary) {
        delimiter = ByteBuffer(string: "\r\n--" + boundary.text)
        matched = 2
        assumed = 2
    }

    /// A part's header has just ended with CR LF, which also begins the delimiter of a body without any bytes.
    mutating func beginBody() {
        matched = 2
        assumed = 2
    }

    /// Takes as much of `input` as is decided.
    mutating func next(in input: inout ByteBuffer) -> Finding {
        if matched > 0 {
            guard let finding = resumeMatch(in: &input) else { return .needsMore }
            if case .content(let held) = finding, held.readableBytes == 0 { return next(in: &input) }
            return finding
        }
        guard input.readableBytes > 0 else { return .needsMore }
        let contentCount = input.withUnsafeReadableBytes(countBeforeCandidate)
        guard contentCount == 0 else {
            return .content(input.readSlice(length: contentCount) ?? ByteBuffer())
        }
        matched = 1
        input.moveReaderIndex(forwardBy: 1)
        return next(in: &input)
    }

    /// Goes on with a match begun earlier; `nil` when the input ends within it.
    private mutating func resumeMatch(in input: inout ByteBuffer) -> Finding? {
        let wanted = delimiter.readableBytesView.dropFirst(matched)
        let agreed = zip(wanted, input.readableBytesView).prefix { $0 == $1 }.count
        let isComplete = agreed == wanted.count
        guard isComplete || agreed < input.readableBytes else {
            matched += agreed
            input.moveReaderIndex(forwardBy: agreed)
            return nil
        }
        let heldCount = matched + agreed
        input.moveReaderIndex(forwardBy: agreed)
        defer {
            matched = 0
            assumed = 0
        }
        guard !isComplete else { return .delimiter }
        return .content(delimiter.getSlice(at: assumed, length: heldCount - assumed) ?? ByteBuffer())
    }

    /// How many bytes stand before the next CR that begins the delimiter, or at least does so up to the piece's end.
    private func countBeforeCandidate(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        return delimiter.withUnsafeReadableBytes { wanted in
            var offset = 0
            while offset < bytes.count, let found = memchr(base + offset, 0x0d, bytes.count - offset) {
                let candidate = UnsafeRawPointer(found) - base
                let length = min(wanted.count, bytes.count - candidate)
                if let wantedBase = wanted.baseAddress, memcmp(base + candidate, wantedBase, length) == 0 {
                    return candidate
                }
                offset = candidate + 1
            }
            return bytes.count
        }
    }
}
