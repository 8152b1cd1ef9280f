/// Copies a JPEG without what it says about place, camera and person, piece by piece and without touching a pixel.
///
/// Kept: tables, frames and scans, colour profile (ICC), what decides about colours (JFIF, Adobe's APP14), and the
/// orientation in an EXIF block made anew. Dropped: EXIF with its thumbnail and maker's note, XMP, IPTC, further pictures
/// (MPF), comments, unknown application data, and everything after the end of the picture, where phones append videos.
/// Holds at most one segment (64 KiB) between two pieces.
package struct CleanJPEG {
    private enum State {
        case start
        /// Between segments; what is no marker there is dropped.
        case betweenSegments
        case marker
        case length(marker: UInt8)
        /// The whole payload is held, then judged.
        case held(marker: UInt8, left: Int)
        case copied(left: Int, marker: UInt8)
        case dropped(left: Int)
        case scan
        case scanMarker
        case finished
    }

    private var state = State.start
    private var pending: [UInt8] = []
    private var output: [UInt8] = []
    private var hasFrame = false
    private var hasScan = false
    private var hasExif = false

    package init() {}

    /// Whether the end of the picture was met: nothing that follows counts.
    package var isFinished: Bool {
        if case .finished = state { true } else { false }
    }

    /// The clean bytes that a further piece of the file brings.
    /// - Throws: `MediaError.malformedJPEG`; nothing can be copied after that.
    package mutating func write(_ piece: some Collection<UInt8>) throws(MediaError) -> [UInt8] {
        let piece = Array(piece)
        var position = 0
        while position < piece.count, !isFinished { try take(piece, &position) }
        defer { output.removeAll() }
        return output
    }

    /// The last clean bytes. A file that ends within its picture is copied as far as it goes.
    /// - Throws: `MediaError.malformedJPEG` if there was no picture.
    package mutating func finish() throws(MediaError) -> [UInt8] {
        guard hasScan else { throw .malformedJPEG }
        if case .scanMarker = state { return [0xFF] }
        return []
    }

    private mutating func take(_ piece: [UInt8], _ position: inout Int) throws(MediaError) {
        switch state {
        case .held(let marker, let left):
            let taken = move(left, of: piece, &position, into: \.pending)
            state = .held(marker: marker, left: left - taken)
            if left == taken { judge(marker) }
        case .copied(let left, let marker):
            let taken = move(left, of: piece, &position, into: \.output)
            state = left > taken ? .copied(left: left - taken, marker: marker) : state(after: marker)
        case .dropped(let left):
            let taken = min(left, piece.count - position)
            position += taken
            state = left > taken ? .dropped(left: left - taken) : .betweenSegments
        case .scan:
            let end = piece[position...].firstIndex(of: 0xFF) ?? piece.count
            output += piece[position..<end]
            position = min(end + 1, piece.count)
            if end < piece.count { state = .scanMarker }
        default:
            try take(piece[position])
            position += 1
        }
    }

    private mutating func move(
        _ count: Int, of piece: [UInt8], _ position: inout Int, into target: WritableKeyPath<CleanJPEG, [UInt8]>
    ) -> Int {
        let taken = min(count, piece.count - position)
        self[keyPath: target] += piece[position..<position + taken]
        position += taken
        return taken
    }

    private mutating func take(_ byte: UInt8) throws(MediaError) {
        switch state {
        case .start:
            pending.append(byte)
            guard [0xFF, 0xD8].starts(with: pending) else { throw .malformedJPEG }
            if pending.count == 2 { (output, pending, state) = ([0xFF, 0xD8], [], .betweenSegments) }
        case .betweenSegments: if byte == 0xFF { state = .marker }
        case .marker: try takeMarker(byte)
        case .length(let marker): try takeLength(byte, marker)
        case .scanMarker: try takeScanMarker(byte)
        default: break
        }
    }

    private mutating func takeMarker(_ marker: UInt8) throws(MediaError) {
        switch marker {
        case 0xFF: break
        case 0x00: state = .betweenSegments
        case 0xD9:
            guard hasScan else { throw .malformedJPEG }
            output += [0xFF, marker]
            state = .finished
        case 0x01, 0xD0...0xD7: state = .betweenSegments
        case 0x02..<0xC0, 0xD8: throw .malformedJPEG
        default: state = .length(marker: marker)
        }
    }

    private mutating func takeLength(_ byte: UInt8, _ marker: UInt8) throws(MediaError) {
        pending.append(byte)
        guard let length = pending.integer(UInt16.self, at: 0).map(Int.init) else { return }
        pending.removeAll()
        guard length >= 2 else { throw .malformedJPEG }
        let left = length - 2
        switch marker {
        case 0xE0, 0xE1, 0xE2, 0xEE:
            state = .held(marker: marker, left: left)
            if left == 0 { judge(marker) }
        case 0xC0...0xDF:
            if marker == 0xDA, !hasFrame { throw .malformedJPEG }
            if marker & 0xF0 == 0xC0, ![0xC4, 0xC8, 0xCC].contains(marker) { hasFrame = true }
            output += [0xFF, marker] + Self.bigEndian(length)
            state = left == 0 ? state(after: marker) : .copied(left: left, marker: marker)
        default: state = left == 0 ? .betweenSegments : .dropped(left: left)
        }
    }

    private mutating func state(after marker: UInt8) -> State {
        guard marker == 0xDA else { return .betweenSegments }
        hasScan = true
        return .scan
    }

    /// In a scan 0xFF is followed by zero if it is a sample's byte, by a restart marker, or by the next segment's.
    private mutating func takeScanMarker(_ byte: UInt8) throws(MediaError) {
        switch byte {
        case 0x00, 0x01, 0xD0...0xD7:
            output += [0xFF, byte]
            state = .scan
        case 0xFF: output.append(byte)  // fills, or is damage: decoders differ in what they make of it
        case 0x02..<0xC0:
            // No marker that exists: a damaged scan stays as damaged as it is.
            output += [0xFF, byte]
            state = .scan
        default: try takeMarker(byte)
        }
    }

    /// What of an application's segment is kept.
    private mutating func judge(_ marker: UInt8) {
        switch marker {
        case 0xE0 where pending.has("JFIF\0") && pending.count >= 14:
            // Version and resolution; the thumbnail that may follow is left out.
            put(marker, Array(pending.prefix(12)) + [0, 0])
        case 0xE1 where !hasExif && pending.has(JPEGHeader.exifIntroduction): putOrientation()
        case 0xE2 where pending.has("ICC_PROFILE\0"): put(marker, pending)
        case 0xEE where pending.has("Adobe") && pending.count >= 12: put(marker, Array(pending.prefix(12)))
        default: break
        }
        pending.removeAll()
        state = .betweenSegments
    }

    private mutating func putOrientation() {
        let exif = TIFFReader(BoundedReader([UInt8](pending.dropFirst(6)))).flatMap(ExifFacts.init)
        guard let orientation = exif?.orientation else { return }
        hasExif = true
        guard orientation != 1 else { return }
        // A TIFF header, one directory with one entry, no further directory.
        let header: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0, 0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1]
        put(0xE1, header + [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0, 0, 0, 0, 0])
    }

    private mutating func put(_ marker: UInt8, _ payload: [UInt8]) {
        output += [0xFF, marker] + Self.bigEndian(payload.count + 2) + payload
    }

    private static func bigEndian(_ length: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)]
    }
}
