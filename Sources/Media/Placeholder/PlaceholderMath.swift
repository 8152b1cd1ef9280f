/// The few functions that a placeholder needs, for this target links no mathematical library of its own.
enum PlaceholderMath {
    /// Of a positive number, by repeated squaring: far more exact than a byte can hold.
    static func log2(_ value: Double) -> Double {
        guard value > 0, value.isFinite else { return 0 }
        var (result, rest, bit) = (Double(value.exponent), value.significand, 0.5)
        for _ in 0..<40 {
            rest *= rest
            if rest >= 2 {
                rest /= 2
                result += bit
            }
            bit /= 2
        }
        return result
    }

    /// Two to a power between -4 and 4.
    static func exp2(_ value: Double) -> Double {
        let whole = value.rounded(.down)
        let rest = (value - whole) * 0.693_147_180_559_945_309
        let series = (1...18).reversed().reduce(1.0) { 1 + rest * $0 / Double($1) }
        return Double(sign: .plus, exponent: Int(whole), significand: series)
    }

    /// cos(π · numerator / denominator) for whole numbers, by a series on the first eighth of the circle.
    static func cosine(_ numerator: Int, _ denominator: Int) -> Double {
        let turn = ((numerator % (2 * denominator)) + 2 * denominator) % (2 * denominator)
        let half = turn > denominator ? 2 * denominator - turn : turn
        let isNegative = 2 * half > denominator
        let angle = Double.pi * Double(isNegative ? denominator - half : half) / Double(denominator)
        var (series, term) = (1.0, 10)
        while term > 0 {
            series = 1 - series * angle * angle / Double((2 * term - 1) * (2 * term))
            term -= 1
        }
        return isNegative ? -series : series
    }
}
