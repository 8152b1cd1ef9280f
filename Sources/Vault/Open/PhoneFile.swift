import Glibc
import Records

/// A photo or video as phones have them, by its size alone. Cover is of such sizes, whatever really comes: by those that
/// came last it would tell of them.
struct PhoneFile: Sendable {
    /// Of many files on phones, one sort: its share, and its size, whose logarithm is normal.
    private struct Sort {
        let share: Double
        /// The median, in bytes.
        let median: Double
        /// Of the natural logarithm.
        let deviation: Double
        /// Of 2^k bytes that a preview takes of such a file, how likely each k is, from `leastExponent` on.
        let previews: [Double]
    }

    /// JPEG and HEIC of 12 to 50 megapixels; screenshots; what messengers have made smaller; videos.
    private static let sorts = [
        Sort(share: 0.58, median: 2.3e6, deviation: 0.5, previews: [0, 0.01, 0.07, 0.25, 0.42, 0.25]),
        Sort(share: 0.15, median: 6e5, deviation: 0.8, previews: [0.12, 0.28, 0.33, 0.2, 0.07, 0]),
        Sort(share: 0.23, median: 2e5, deviation: 0.7, previews: [0.03, 0.12, 0.35, 0.42, 0.08, 0]),
        Sort(share: 0.04, median: 1.5e7, deviation: 1, previews: [0.02, 0.1, 0.35, 0.43, 0.1, 0]),
    ]
    private static let leastExponent = 15
    /// The same of thumbnails, which are alike for all.
    private static let thumbnails = [0.75, 0.24, 0.01]
    private static let leastThumbnailExponent = 14
    /// Of a phone's photos, how many give no picture: what is damaged, and what no decoder knows.
    private static let shareWithoutPicture = 0.01
    /// Bytes on average, for sums over many.
    static let typicalByteCount = 2.5e6
    private static let fewestBytes = 10_000.0

    /// Of the content.
    let byteCount: UInt64
    /// Of thumbnail and preview, as `PreviewSeal` pads them; none where there is no picture.
    let pictureExponents: [Int]

    init(byteCount: UInt64, pictureExponents: [Int]) {
        self.byteCount = byteCount
        self.pictureExponents = pictureExponents
    }

    /// What it takes on disk.
    var objectByteCount: UInt64 { ObjectSize.ofOneRun(content: byteCount) }

    /// Draws one whose object has no more bytes than that, where there may be such.
    static func draw(atMost most: UInt64) -> PhoneFile? {
        guard Double(most) > 2 * fewestBytes else { return nil }
        while true {
            let sort = sorts[place(in: sorts.map(\.share))]
            let byteCount = max(fewestBytes, sort.median * exp(sort.deviation * standardNormal()))
            let file = PhoneFile(
                byteCount: UInt64(byteCount),
                pictureExponents: Double.random(in: 0..<1) < shareWithoutPicture
                    ? []
                    : [
                        leastThumbnailExponent + place(in: thumbnails), leastExponent + place(in: sort.previews),
                    ])
            if file.objectByteCount <= most { return file }
        }
    }

    /// One of the places, each as likely as its share says.
    private static func place(in shares: [Double]) -> Int {
        var left = Double.random(in: 0..<shares.reduce(0, +))
        for (place, share) in shares.enumerated() {
            if left < share { return place }
            left -= share
        }
        return shares.count - 1
    }

    /// By Box and Muller.
    private static func standardNormal() -> Double {
        (-2 * log(Double.random(in: .ulpOfOne...1))).squareRoot() * cos(2 * .pi * Double.random(in: 0..<1))
    }
}
