/// The order in which waves are kept: the longest first, measured on the picture's own shape.
struct PlaceholderFrequencies {
    struct Wave: Equatable {
        let across: Int
        let down: Int
    }

    /// The size at which a placeholder is drawn: 32 pixels on the longer side.
    let width: Int
    let height: Int

    init(aspect: UInt8) {
        let ratio = PlaceholderMath.exp2((Double(aspect) - 128) / 32)
        let side = Double(Placeholder.sourceSide)
        width = Int(max(1, (side * min(1, ratio)).rounded()))
        height = Int(max(1, (side / max(1, ratio)).rounded()))
    }

    /// The first `count` waves but the one of no frequency. Whole numbers decide, so that every decoder agrees.
    func first(_ count: Int) -> [Wave] {
        let waves = (0...count).flatMap { down in (0...count).map { Wave(across: $0, down: down) } }
        let cost = { (wave: Wave) in
            (wave.across * height) * (wave.across * height) + (wave.down * width) * (wave.down * width)
        }
        let ordered = waves.dropFirst().sorted { one, other in
            (cost(one), one.down, one.across) < (cost(other), other.down, other.across)
        }
        return Array(ordered.prefix(count))
    }
}
