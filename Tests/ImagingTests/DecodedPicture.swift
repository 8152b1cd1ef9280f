import CVips
import ImagingProtocol
import Testing

/// The pixels of a rendition, for comparing.
struct DecodedPicture {
    let width: Int
    let height: Int
    let bandCount: Int
    let bytes: [UInt8]

    /// libvips starts once.
    static let isReady = vips_init("imaging-tests") == 0

    init(_ rendition: Rendition) throws {
        try #require(Self.isReady)
        let (width, height, bands, bytes) = try rendition.bytes.withUnsafeBytes { encoded in
            let image = try #require(cvips_decoded(encoded.baseAddress, encoded.count))
            defer { cvips_unref(image) }
            var count = 0
            let memory = try #require(vips_image_write_to_memory(image, &count))
            defer { g_free(memory) }
            let pixels = Array(UnsafeRawBufferPointer(start: memory, count: count))
            return (
                Int(vips_image_get_width(image)), Int(vips_image_get_height(image)), Int(vips_image_get_bands(image)),
                pixels
            )
        }
        (self.width, self.height, bandCount, self.bytes) = (width, height, bands, bytes)
    }

    /// Mean difference of all values, 0…255; nil for pictures of other dimensions.
    func difference(from other: DecodedPicture) -> Double? {
        guard width == other.width, height == other.height, bandCount == other.bandCount else { return nil }
        let sum = zip(bytes, other.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        return Double(sum) / Double(bytes.count)
    }

    /// The mean of a square in the middle.
    func centre() -> [Int] {
        let pixels = (height / 2 - 4..<height / 2 + 4).flatMap { row in
            (width / 2 - 4..<width / 2 + 4).map { (row * width + $0) * bandCount }
        }
        return (0..<bandCount).map { band in pixels.reduce(0) { $0 + Int(bytes[$1 + band]) } / pixels.count }
    }
}
