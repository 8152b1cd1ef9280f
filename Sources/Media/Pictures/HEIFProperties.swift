/// What the property boxes of one item say, in the order in which they are to be applied.
struct HEIFProperties {
    private var size: PictureSize?
    private(set) var orientation = Orientation()
    private(set) var colours: ColourDescription?

    /// Cropped, but not yet turned.
    var seenSize: PictureSize? { size }

    mutating func take(_ type: String, _ payload: [UInt8]) {
        switch type {
        case "ispe":
            guard let width: UInt32 = payload.integer(at: 4), let height: UInt32 = payload.integer(at: 8) else {
                return
            }
            size = PictureSize(width: width, height: height)
        case "clap": crop(payload)
        case "colr" where payload.has("nclx"):
            guard let primaries: UInt16 = payload.integer(at: 4), let transfer: UInt16 = payload.integer(at: 6) else {
                return
            }
            colours = ColourDescription(primaries: Int(primaries), transfer: Int(transfer))
        case "irot": orientation.turn(quarters: -Int((payload.first ?? 0) & 3))
        // 1 exchanges left and right, 0 top and bottom (ISO 23008-12, amended: the first edition was read both ways).
        case "imir": (payload.first ?? 0) & 1 == 1 ? orientation.mirror() : orientation.flip()
        default: break
        }
    }

    /// The clean aperture: width and height as quotients. One larger than the picture is damage and ignored.
    private mutating func crop(_ payload: [UInt8]) {
        let numbers = (0..<4).compactMap { payload.integer(UInt32.self, at: $0 * 4) }
        guard let size, numbers.count == 4, numbers[1] > 0, numbers[3] > 0 else { return }
        let cropped = PictureSize(width: numbers[0] / numbers[1], height: numbers[2] / numbers[3])
        guard let cropped, cropped.width <= size.width, cropped.height <= size.height else { return }
        self.size = cropped
    }

    /// One-based places in `ipco` of the properties of `item`, from the payload of an `ipma` box; nil if it is not there.
    static func indices(of item: UInt32, in payload: [UInt8]) -> [Int]? {
        guard let head: UInt32 = payload.integer(at: 0), let count: UInt32 = payload.integer(at: 4) else { return nil }
        let (isLong, isWide) = (head >> 24 >= 1, head & 1 == 1)
        var position = 8
        for _ in 0..<min(count, 65_536) {
            let id =
                isLong
                ? payload.integer(UInt32.self, at: position)
                : payload.integer(UInt16.self, at: position).map(UInt32.init)
            position += isLong ? 4 : 2
            guard let id, let number: UInt8 = payload.integer(at: position) else { return nil }
            position += 1
            let size = isWide ? 2 : 1
            guard let list = payload.bytes(at: position, count: Int(number) * size) else { return nil }
            position += list.count
            if id == item { return places(list, isWide: isWide) }
        }
        return nil
    }

    /// The highest bit of a place says that the property is essential.
    private static func places(_ list: [UInt8], isWide: Bool) -> [Int] {
        guard isWide else { return list.map { Int($0 & 0x7F) } }
        return stride(from: 0, to: list.count - 1, by: 2).map { Int(list[$0] & 0x7F) << 8 | Int(list[$0 + 1]) }
    }
}
