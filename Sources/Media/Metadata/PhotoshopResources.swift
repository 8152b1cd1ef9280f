/// Photoshop's image resources, in its own files and in those of others: `8BIM`, a number, a name, a length and the data,
/// with even lengths.
struct PhotoshopResources {
    private static let maximumCount = 1024
    static let introduction: StaticString = "Photoshop 3.0\0"

    /// How an entry begins: of Photoshop, ImageReady, PhotoDeluxe, Lightroom and its predecessors.
    private static let signatures: [StaticString] = ["8BIM", "MeSa", "PHUT", "AgHg", "DCSR"]

    private var places: [UInt16: Range<Int>] = [:]
    private let bytes: [UInt8]

    /// As far as they can be read.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var position = bytes.has(Self.introduction) ? Self.introduction.utf8CodeUnitCount : 0
        for _ in 0..<Self.maximumCount {
            guard Self.signatures.contains(where: { bytes.has($0, at: position) }),
                let number: UInt16 = bytes.integer(at: position + 4),
                let nameLength: UInt8 = bytes.integer(at: position + 6)
            else { return }
            let start = position + 6 + (Int(nameLength) + 2) / 2 * 2
            guard let length: UInt32 = bytes.integer(at: start), Int(length) <= bytes.count - start - 4 else { return }
            let end = start + 4 + Int(length)
            if places[number] == nil { places[number] = start + 4..<end }
            position = end + Int(length & 1)
        }
    }

    subscript(number: UInt16) -> [UInt8]? { places[number].map { [UInt8](bytes[$0]) } }
}
