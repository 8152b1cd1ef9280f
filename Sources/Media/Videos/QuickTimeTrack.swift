/// One `trak`: what kind of samples it has, how large its pictures are and how they are turned.
struct QuickTimeTrack {
    let boxes: BoxList
    let isVideo: Bool
    let size: PictureSize?
    let orientation: Orientation
    /// Its number, and how many units of its time are a second.
    let clock: (track: UInt32, timescale: UInt32)?
    /// Milliseconds since 1970, when its media and itself were made.
    let creations: [Int64]

    init?(_ reader: BoundedReader, _ box: Box) {
        boxes = reader.boxes(in: box)
        guard let header = boxes.first("tkhd").flatMap({ reader.payload($0, limit: 256) }) else { return nil }
        let media = boxes.first("mdia")
        let handler = media.flatMap { reader.box(["hdlr"], in: $0) }
            .flatMap { reader.bytes(at: $0.payload.lowerBound, count: 12) }
        isVideo = handler?.has("vide", at: 8) ?? false
        // Times and the track's number are longer in version 1; then 16 bytes of other things, then the matrix.
        let matrixOffset = header.first == 1 ? 52 : 40
        let matrix = (0..<9).compactMap { header.integer(Int32.self, at: matrixOffset + $0 * 4) }
        orientation = Self.orientation(matrix)
        let stated = Self.size(header, at: matrixOffset + 36)
        size = stated ?? media.flatMap { Self.sampleSize(reader, $0) }
        clock = media.flatMap { Self.clock(header, reader, $0) }
        let ofMedia = media.flatMap { reader.box(["mdhd"], in: $0) }.flatMap { reader.payload($0, limit: 64) }
        creations = [ofMedia, header].compactMap { $0.flatMap(QuickTimeTime.creation) }
    }

    private static func clock(_ header: [UInt8], _ reader: BoundedReader, _ media: Box) -> (UInt32, UInt32)? {
        guard let times = reader.box(["mdhd"], in: media).flatMap({ reader.payload($0, limit: 64) }),
            let number: UInt32 = header.integer(at: header.first == 1 ? 20 : 12),
            let timescale: UInt32 = times.integer(at: times.first == 1 ? 20 : 12)
        else { return nil }
        return (number, timescale)
    }

    /// Quarter turns and mirrors of the matrix [a b u; c d v; x y w]; anything else is taken as upright.
    private static func orientation(_ matrix: [Int32]) -> Orientation {
        guard matrix.count == 9 else { return Orientation() }
        let signs = [matrix[0], matrix[1], matrix[3], matrix[4]].map { $0.signum() }
        switch signs {
        case [1, 0, 0, 1]: return Orientation()
        case [0, 1, -1, 0]: return Orientation(exif: 6)
        case [-1, 0, 0, -1]: return Orientation(exif: 3)
        case [0, -1, 1, 0]: return Orientation(exif: 8)
        case [-1, 0, 0, 1]: return Orientation(exif: 2)
        case [1, 0, 0, -1]: return Orientation(exif: 4)
        case [0, 1, 1, 0]: return Orientation(exif: 5)
        case [0, -1, -1, 0]: return Orientation(exif: 7)
        default: return Orientation()
        }
    }

    /// Numbers with 16 bits after the point.
    private static func size(_ header: [UInt8], at offset: Int) -> PictureSize? {
        guard let width: UInt32 = header.integer(at: offset), let height: UInt32 = header.integer(at: offset + 4) else {
            return nil
        }
        return PictureSize(width: width >> 16, height: height >> 16)
    }

    /// Of the first sample description, where the track's header says nothing.
    private static func sampleSize(_ reader: BoundedReader, _ media: Box) -> PictureSize? {
        guard let box = reader.box(["minf", "stbl", "stsd"], in: media),
            let head = reader.bytes(at: box.payload.lowerBound, count: 44),
            let width: UInt16 = head.integer(at: 40), let height: UInt16 = head.integer(at: 42)
        else { return nil }
        return PictureSize(width: width, height: height)
    }
}
