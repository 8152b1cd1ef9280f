/// Pixels as they are stored, before any turning.
struct PictureSize: Equatable {
    var width: Int
    var height: Int

    /// Nil for a side of nothing, and for one that no format can hold.
    init?(width: some BinaryInteger, height: some BinaryInteger) {
        let sane = 1...Int(UInt32.max)
        guard let width = Int(exactly: width), let height = Int(exactly: height), sane.contains(width),
            sane.contains(height)
        else { return nil }
        self.width = width
        self.height = height
    }

    var longSide: Int { max(width, height) }
}
