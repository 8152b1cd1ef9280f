/// Elements of EBML (RFC 8794) that lie in a range of a file, one after another.
struct EBMLList {
    struct Element {
        /// With its length marker, as specifications write it.
        let id: UInt32
        let payload: Range<UInt64>
    }

    private static let maximumCount = 1024

    let elements: [Element]
    private let reader: BoundedReader

    /// Stops after an element with the number `last`.
    init(_ reader: BoundedReader, in range: Range<UInt64>, until last: UInt32? = nil) {
        var (found, position): ([Element], UInt64) = ([], range.lowerBound)
        while found.count < Self.maximumCount, position < range.upperBound,
            let element = Self.element(reader, at: position, end: range.upperBound)
        {
            found.append(element)
            position = element.payload.upperBound
            if element.id == last { break }
        }
        elements = found
        self.reader = reader
    }

    func first(_ id: UInt32) -> Element? { elements.first { $0.id == id } }

    /// What a short element holds.
    func bytes(_ id: UInt32) -> [UInt8]? {
        guard let payload = first(id)?.payload, payload.upperBound - payload.lowerBound <= 64 else { return nil }
        return reader.bytes(at: payload.lowerBound, count: payload.count)
    }

    func unsigned(_ id: UInt32) -> UInt64? {
        guard let bytes = bytes(id), bytes.count <= 8 else { return nil }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    func float(_ id: UInt32) -> Double? {
        guard let bytes = bytes(id) else { return nil }
        switch bytes.count {
        case 4: return bytes.integer(UInt32.self, at: 0).map { Double(Float(bitPattern: $0)) }
        case 8: return bytes.integer(UInt64.self, at: 0).map { Double(bitPattern: $0) }
        default: return nil
        }
    }

    private static func element(_ reader: BoundedReader, at position: UInt64, end: UInt64) -> Element? {
        guard let first = reader.bytes(at: position, count: 1)?.first, first >= 0x10,
            let id = reader.bytes(at: position, count: first.leadingZeroBitCount + 1)
        else { return nil }
        let sizeStart = position + UInt64(id.count)
        guard let head = reader.bytes(at: sizeStart, count: 1)?.first, head != 0,
            let size = reader.bytes(at: sizeStart, count: head.leadingZeroBitCount + 1)
        else { return nil }
        let start = sizeStart + UInt64(size.count)
        guard start <= end else { return nil }
        let marker = UInt64(1) << (7 * UInt64(size.count))
        let length = size.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & (marker - 1)
        // All ones mean "unknown"; that, and what a recording that was cut off promises, reaches to the end.
        return Element(id: id.reduce(0) { $0 << 8 | UInt32($1) }, payload: start..<start + min(length, end - start))
    }
}
