/// The colour that most of a small picture has.
struct DominantColour {
    /// 0xRRGGBB; nil if nothing is to be seen.
    let value: UInt32?

    /// Pixels are sorted into cubes of 32 levels a side; the fullest cube's mean is the colour.
    init(rgba: [UInt8]) {
        var cubes: [Int: (count: Int, red: Int, green: Int, blue: Int)] = [:]
        for start in stride(from: 0, to: rgba.count - 3, by: 4) where rgba[start + 3] >= 128 {
            let (red, green, blue) = (Int(rgba[start]), Int(rgba[start + 1]), Int(rgba[start + 2]))
            let cube = (red >> 5) << 6 | (green >> 5) << 3 | blue >> 5
            let sum = cubes[cube] ?? (0, 0, 0, 0)
            cubes[cube] = (sum.count + 1, sum.red + red, sum.green + green, sum.blue + blue)
        }
        let fullest = cubes.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }
        value = fullest.map { _, sum in
            let mean = [sum.red, sum.green, sum.blue].map { UInt32($0 / sum.count) }
            return mean[0] << 16 | mean[1] << 8 | mean[2]
        }
    }
}
