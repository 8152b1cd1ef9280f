/// The `iloc` box: fields whose widths the box states itself.
struct HEIFLocationTable {
    let itemCount: Int
    private let payload: [UInt8]
    private let version: UInt8
    private let offsetSize: Int
    private let lengthSize: Int
    private let baseSize: Int
    private let indexSize: Int
    private var position: Int

    init?(_ payload: [UInt8]) {
        guard let version = payload.first, version <= 2, let sizes: UInt16 = payload.integer(at: 4) else { return nil }
        self.payload = payload
        self.version = version
        offsetSize = Int(sizes >> 12)
        lengthSize = Int(sizes >> 8 & 15)
        baseSize = Int(sizes >> 4 & 15)
        indexSize = version == 0 ? 0 : Int(sizes & 15)
        let count =
            version < 2
            ? payload.integer(UInt16.self, at: 6).map(Int.init) : payload.integer(UInt32.self, at: 6).map(Int.init)
        // An extent of no bytes at all would make a short box stand for endless work.
        guard let count, offsetSize + lengthSize > 0,
            [offsetSize, lengthSize, baseSize, indexSize].allSatisfy({ [0, 4, 8].contains($0) })
        else {
            return nil
        }
        itemCount = count
        position = version < 2 ? 8 : 10
    }

    /// The next item; nil where the table ends. Nothing of an item with more extents is kept but its number.
    mutating func next(maximumExtentCount: Int) -> (UInt32, HEIFItems.Location)? {
        guard let id = number(bytes: version < 2 ? 2 : 4), let method = version == 0 ? 0 : number(bytes: 2),
            number(bytes: 2) != nil, let base = number(bytes: baseSize), let count = number(bytes: 2)
        else { return nil }
        var extents: [HEIFItems.Extent] = []
        for _ in 0..<count {
            guard number(bytes: indexSize) != nil, let offset = number(bytes: offsetSize),
                let length = number(bytes: lengthSize)
            else { return nil }
            if extents.count < maximumExtentCount { extents.append(.init(offset: offset, length: length)) }
        }
        let isWhole = count <= maximumExtentCount
        let kept = HEIFItems.Location(method: UInt8(method & 15), base: base, extents: isWhole ? extents : [])
        return (UInt32(truncatingIfNeeded: id), kept)
    }

    /// A field of 0, 2, 4 or 8 bytes.
    private mutating func number(bytes: Int) -> UInt64? {
        guard let field = payload.bytes(at: position, count: bytes) else { return nil }
        position += bytes
        return field.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
