import CVips
import TestSupport
import Testing

/// A picture that a test draws: red, green and blue, row by row.
struct Drawing {
    let width: Int
    let height: Int
    private(set) var pixels: [UInt8]

    static let size = (width: 528, height: 396)

    // MARK: Scenes

    /// Soft shapes of all sizes with the grain of a sensor.
    static func photo(seed: UInt64) throws -> Drawing {
        var random = SeededGenerator(seed: seed)
        let count = size.width * size.height * 3
        var sums = [Float](repeating: 0, count: count)
        for (cells, weight) in [(3, Float(0.5)), (12, 0.26), (48, 0.14), (160, 0.1)] {
            let (columns, rows) = (cells, max(2, cells * 3 / 4))
            let spots = (0..<columns * rows * 3).map { _ in UInt8.random(in: 0...255, using: &random) }
            let layer = try Drawing(width: columns, height: rows, pixels: spots)
                .resampled(size.width, size.height, VIPS_KERNEL_CUBIC)
            for index in 0..<count { sums[index] += weight * Float(layer.pixels[index]) }
        }
        var drawing = Drawing(width: size.width, height: size.height, pixels: sums.map { UInt8(max(0, min(255, $0))) })
        drawing.addGrain(3, &random)
        return drawing
    }

    static func letter(seed: UInt64) -> Drawing {
        var random = SeededGenerator(seed: seed)
        var page = Drawing(grey: 252)
        for line in 0..<18 { page.write(Glyph.text(36, &random), 40, 30 + line * 22, scale: 2, ink: 225) }
        return page
    }

    static func screen(seed: UInt64) -> Drawing {
        var random = SeededGenerator(seed: seed)
        var page = Drawing(grey: 255)
        for line in 0..<6 {
            let left = line.isMultiple(of: 2) ? 30 : 200
            page.tint(left..<left + 330, 20 + line * 62..<60 + line * 62, by: -30)
            page.write(Glyph.text(22, &random), left + 14, 33 + line * 62, scale: 2, ink: 220)
        }
        return page
    }

    init(width: Int, height: Int, pixels: [UInt8]) {
        (self.width, self.height, self.pixels) = (width, height, pixels)
    }

    private init(grey: UInt8) {
        self.init(
            width: Self.size.width, height: Self.size.height,
            pixels: [UInt8](repeating: grey, count: Self.size.width * Self.size.height * 3))
    }

    /// A quarter of the light, and the grain of a night.
    func darkened() -> Drawing {
        var random = SeededGenerator(seed: 41)
        var night = Drawing(width: width, height: height, pixels: pixels.map { $0 / 4 })
        night.addGrain(5, &random)
        return night
    }

    // MARK: Changes

    mutating func shift(_ columns: Range<Int>, _ rows: Range<Int>, by change: (Int) -> Int) {
        for row in rows {
            for index in (row * width + columns.lowerBound) * 3..<(row * width + columns.upperBound) * 3 {
                let value = Int(pixels[index])
                pixels[index] = UInt8(max(0, min(255, value + change(value))))
            }
        }
    }

    /// Redder, and as bright.
    mutating func tint(_ columns: Range<Int>, _ rows: Range<Int>, by amount: Int) {
        for row in rows {
            for column in columns {
                let index = (row * width + column) * 3
                let parts = [amount * 7 / 10, -amount * 3 / 10, -amount * 3 / 10]
                for part in 0..<3 {
                    pixels[index + part] = UInt8(max(0, min(255, Int(pixels[index + part]) + parts[part])))
                }
            }
        }
    }

    mutating func blot(_ x: Int, _ y: Int, radius: Int, by amount: Int) {
        for row in -radius...radius {
            let reach = Int(Double(radius * radius - row * row).squareRoot())
            shift(x - reach..<x + reach + 1, y + row..<y + row + 1) { _ in amount }
        }
    }

    /// Darker or brighter than the ground.
    mutating func write(_ text: [Glyph], _ x: Int, _ y: Int, scale: Int, ink: Int) {
        for (number, glyph) in text.enumerated() {
            for row in 0..<7 {
                for column in 0..<5 where glyph.rows[row] >> (4 - column) & 1 == 1 {
                    let (left, top) = (x + (number * 6 + column) * scale, y + row * scale)
                    guard left + scale <= width, top + scale <= height else { continue }
                    shift(left..<left + scale, top..<top + scale) { $0 > 128 ? -ink : ink }
                }
            }
        }
    }

    /// So many pixels wide, with eyes of a seventh of that.
    mutating func face(_ x: Int, _ y: Int, size: Int, isAwake: Bool) {
        let (skin, eye) = ([205, 165, 140], max(3, size / 7))
        for row in 0..<size {
            for column in 0..<size {
                for part in 0..<3 { pixels[((y + row) * width + x + column) * 3 + part] = UInt8(skin[part]) }
            }
        }
        for left in [x + size / 4 - eye / 2, x + size * 3 / 4 - eye / 2] {
            let lid = y + size / 3
            if isAwake {
                shift(left..<left + eye, lid..<lid + eye * 2 / 3) { 245 - $0 }
                shift(left + eye / 3..<left + eye, lid..<lid + eye * 2 / 3) { 50 - $0 }
            } else {
                shift(left..<left + eye, lid + eye / 2..<lid + eye / 2 + 1) { _ in -45 }
            }
        }
    }

    /// - Parameter deviation: of each value.
    mutating func addGrain(_ deviation: Double, _ random: inout SeededGenerator) {
        for index in pixels.indices {
            // Four bytes, whose sum has a deviation of 148.
            let bits = random.next()
            var sum = -510
            for place in 0..<4 { sum += Int(truncatingIfNeeded: bits >> UInt64(8 * place) & 255) }
            let value = Double(pixels[index]) + Double(sum) * deviation / 148
            pixels[index] = UInt8(max(0, min(255, value)))
        }
    }

    /// Without so many columns and rows on each side.
    func cut(_ left: Int, _ top: Int, _ right: Int, _ bottom: Int) -> Drawing {
        var kept: [UInt8] = []
        for row in top..<height - bottom {
            kept += pixels[(row * width + left) * 3..<(row * width + width - right) * 3]
        }
        return Drawing(width: width - left - right, height: height - top - bottom, pixels: kept)
    }

    // MARK: By libvips

    func resampled(_ width: Int, _ height: Int, _ kernel: VipsKernel) throws -> Drawing {
        try made { cvips_resample($0, &$1, CInt(width), CInt(height), kernel) }
    }

    /// The mean of each four pixels.
    func halved() throws -> Drawing { try made { cvips_mean($0, &$1, 2) } }

    func jpeg(_ quality: CInt) throws -> [UInt8] { try saved { cvips_jpeg($0, &$1, &$2, quality) } }
    func png() throws -> [UInt8] { try saved { cvips_png($0, &$1, &$2) } }
    func webP(_ quality: CInt) throws -> [UInt8] { try saved { cvips_webp($0, &$1, &$2, quality, 2) } }

    static func decoded(_ file: [UInt8]) throws -> Drawing {
        try #require(DecodedPicture.isReady)
        return try file.withUnsafeBytes { encoded in
            let image = try #require(cvips_decoded(encoded.baseAddress, encoded.count))
            defer { cvips_unref(image) }
            return try Drawing(image)
        }
    }

    private init(_ image: UnsafeMutablePointer<VipsImage>) throws {
        var count = 0
        let memory = try #require(vips_image_write_to_memory(image, &count))
        defer { g_free(memory) }
        self.init(
            width: Int(vips_image_get_width(image)), height: Int(vips_image_get_height(image)),
            pixels: Array(UnsafeRawBufferPointer(start: memory, count: count)))
    }

    private func image() throws -> UnsafeMutablePointer<VipsImage> {
        try #require(DecodedPicture.isReady)
        return try #require(cvips_of_bytes(pixels, pixels.count, CInt(width), CInt(height), 3))
    }

    private func made(
        by operation: (UnsafeMutablePointer<VipsImage>, inout UnsafeMutablePointer<VipsImage>?) -> CInt
    ) throws -> Drawing {
        let image = try image()
        defer { cvips_unref(image) }
        var result: UnsafeMutablePointer<VipsImage>?
        try #require(operation(image, &result) == 0)
        let made = try #require(result)
        defer { cvips_unref(made) }
        return try Drawing(made)
    }

    private func saved(
        by save: (UnsafeMutablePointer<VipsImage>, inout UnsafeMutableRawPointer?, inout Int) -> CInt
    ) throws -> [UInt8] {
        let image = try image()
        defer { cvips_unref(image) }
        var memory: UnsafeMutableRawPointer?
        var count = 0
        try #require(save(image, &memory, &count) == 0)
        defer { g_free(memory) }
        return Array(UnsafeRawBufferPointer(start: memory, count: count))
    }
}

/// A character of five by seven pixels.
struct Glyph: Equatable {
    let rows: [UInt8]

    static let digits: [Glyph] = [
        [14, 17, 19, 21, 25, 17, 14], [4, 12, 4, 4, 4, 4, 14], [14, 17, 1, 2, 4, 8, 31], [31, 2, 4, 2, 1, 17, 14],
        [2, 6, 10, 18, 31, 2, 2], [31, 16, 30, 1, 1, 17, 14], [6, 8, 16, 30, 17, 17, 14], [31, 1, 2, 4, 8, 8, 8],
        [14, 17, 17, 14, 17, 17, 14], [14, 17, 17, 15, 1, 2, 12],
    ].map(Glyph.init)

    static func text(_ count: Int, _ random: inout SeededGenerator) -> [Glyph] {
        (0..<count).map { place in
            place % 7 == 6
                ? Glyph(rows: [UInt8](repeating: 0, count: 7)) : digits[Int.random(in: 0..<10, using: &random)]
        }
    }

    static func differentDigits(_ random: inout SeededGenerator) -> (Glyph, Glyph) {
        let first = Int.random(in: 0..<10, using: &random)
        return (digits[first], digits[(first + Int.random(in: 1..<10, using: &random)) % 10])
    }
}
