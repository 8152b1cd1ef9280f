import Media

/// How alike two pictures look, by the waves of brightness in their placeholders.
package struct Likeness: Sendable {
    /// The coefficients, in the order of `PlaceholderFrequencies`, and zeros up to 32.
    let waves: SIMD32<Int8>
    private let norm: Float
    let aspect: UInt8
    /// Mean blue and red difference.
    let colour: SIMD2<Int16>
    /// Mean brightness, and contrast, in 255ths and in 127ths.
    private let light: SIMD2<Int16>

    /// Nil for a picture of one tone, of which brightness tells nothing, and where there is no placeholder.
    package init?(_ placeholder: ArraySlice<UInt8>) {
        guard placeholder.count == Placeholder.byteCount else { return nil }
        let start = placeholder.startIndex
        guard placeholder[start + 1] & 0x7F >= Self.leastContrast else { return nil }
        var waves = SIMD32<Int8>(repeating: 0)
        for index in 0..<Self.waveCount {
            let byte = placeholder[start + 7 + index / 2]
            waves[index] = Int8(index % 2 == 0 ? byte >> 4 : byte & 15) - 8
        }
        self.waves = waves
        aspect = placeholder[start]
        colour = [Int16(placeholder[start + 5]), Int16(placeholder[start + 6])]
        light = [Int16(placeholder[start + 4]), Int16(placeholder[start + 1] & 0x7F)]
        norm = Float(Self.dot(waves, waves)).squareRoot()
        guard norm > 0 else { return nil }
    }

    static let waveCount = 26
    /// In 127ths of the range from black to white.
    private static let leastContrast: UInt8 = 3

    /// From 0, for the same picture, to 2; nil for pictures of different shapes.
    package func distance(to other: Likeness) -> Float? {
        guard aspect == other.aspect else { return nil }
        return 1 - Float(Self.dot(waves, other.waves)) / (norm * other.norm)
    }

    private static func dot(_ one: SIMD32<Int8>, _ other: SIMD32<Int8>) -> Int16 {
        // 26 · 7 · 7 is far below what 16 bits hold.
        (SIMD32<Int16>(truncatingIfNeeded: one) &* SIMD32<Int16>(truncatingIfNeeded: other)).wrappedSum()
    }

    /// Whether the colours may be those of one picture, brighter or darker.
    func hasColours(of other: Likeness) -> Bool {
        let difference = colour &- other.colour
        return abs(difference.x) <= Self.mostColourDifference && abs(difference.y) <= Self.mostColourDifference
    }

    private static let mostColourDifference: Int16 = 20

    /// Whether it may be the same picture, made smaller or stored anew: each wave is the same but for its rounding. Pages of
    /// letters are, too, whatever stands there.
    func isSame(as other: Likeness) -> Bool {
        guard aspect == other.aspect else { return false }
        let waves = SIMD32<Int16>(truncatingIfNeeded: waves) &- SIMD32<Int16>(truncatingIfNeeded: other.waves)
        guard (waves .> 1 .| waves .< -1) == SIMDMask(repeating: false) else { return false }
        return (0..<2).allSatisfy { place in
            abs(light[place] - other.light[place]) <= Self.mostRounding
                && abs(colour[place] - other.colour[place]) <= Self.mostRounding
        }
    }

    private static let mostRounding: Int16 = 4
}

extension SearchColumns {
    /// Up to this distance a picture is called similar.
    package static let similarDistance: Float = 0.3

    /// Photos that look like one, the nearest first, without it; what goes with another photo is left out.
    package func similar(to place: Int, most: Int) -> [(place: Int, distance: Float)] {
        guard let wanted = Likeness(placeholder(place)) else { return [] }
        var found: [(place: Int, distance: Float)] = []
        for index in serials.indices where index != place && traits[index].isDisjoint(with: .companions) {
            // Most are of another shape.
            guard placeholders[index * Placeholder.byteCount] == wanted.aspect,
                let distance = Likeness(placeholder(index))?.distance(to: wanted), distance <= Self.similarDistance
            else { continue }
            found.append((index, max(0, distance)))
        }
        return Array(found.sorted { ($0.distance, $0.place) < ($1.distance, $1.place) }.prefix(most))
    }
}
