/// One box of an ISO base media file (ISO 14496-12), or an atom of a QuickTime file.
struct Box {
    /// Four signs, read as Latin-1, for Apple's begin with ©.
    let type: String
    /// Where its own head begins: four bytes of its size, four of its type.
    let start: UInt64
    /// Where its content lies in the file.
    let payload: Range<UInt64>
}

/// The boxes that lie in a range of a file, one after another.
struct BoxList {
    private static let maximumCount = 4096

    let boxes: [Box]

    /// Stops at the first box that does not fit, and after one of the type `last`; a box of size 0 reaches to the end.
    init(
        _ reader: BoundedReader, in range: Range<UInt64>, until last: String? = nil, atMost count: Int = maximumCount
    ) {
        var (found, position): ([Box], UInt64) = ([], range.lowerBound)
        while found.count < count, position < range.upperBound,
            let box = Self.box(reader, at: position, end: range.upperBound)
        {
            found.append(box)
            position = box.payload.upperBound
            if box.type == last { break }
        }
        boxes = found
    }

    /// The boxes of a whole file, up to one of the type `last`.
    init(_ reader: BoundedReader, until last: String? = nil) {
        self.init(reader, in: 0..<reader.byteCount, until: last)
    }

    func first(_ type: String) -> Box? { boxes.first { $0.type == type } }

    private static func box(_ reader: BoundedReader, at position: UInt64, end: UInt64) -> Box? {
        guard let head = reader.bytes(at: position, count: 8), let short: UInt32 = head.integer(at: 0) else {
            return nil
        }
        var (headCount, size): (UInt64, UInt64) = (8, UInt64(short))
        if short == 0 { size = end - position }
        if short == 1 {
            guard let long = reader.bytes(at: position + 8, count: 8)?.integer(UInt64.self, at: 0) else { return nil }
            (headCount, size) = (16, long)
        }
        guard size >= headCount, size <= end - position else { return nil }
        let type = String(String.UnicodeScalarView(head[4..<8].map { Unicode.Scalar($0) }))
        return Box(type: type, start: position, payload: position + headCount..<position + size)
    }
}

extension BoundedReader {
    /// The boxes in a box, after `skipping` bytes of its own.
    func boxes(in box: Box, skipping: UInt64 = 0) -> BoxList {
        guard skipping <= box.payload.upperBound - box.payload.lowerBound else { return BoxList(self, in: 0..<0) }
        return BoxList(self, in: box.payload.lowerBound + skipping..<box.payload.upperBound)
    }

    /// The first box at the end of a path of plain containers.
    func box(_ path: [String], in box: Box) -> Box? {
        path.reduce(box) { inner, type in inner.flatMap { boxes(in: $0).first(type) } }
    }

    /// What a box holds; nil if that is more than `limit`.
    func payload(_ box: Box, limit: Int) -> [UInt8]? {
        let count = box.payload.upperBound - box.payload.lowerBound
        guard count <= UInt64(limit) else { return nil }
        return bytes(at: box.payload.lowerBound, count: Int(count))
    }
}
