import TestSupport

/// Changes files by chance, the same way in every run.
struct PictureMutations {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// A few bytes changed, mostly near the beginning where the structure lies; or a piece left out, doubled or cut off.
    mutating func mutated(_ file: [UInt8]) -> [UInt8] {
        var file = file
        let reach = Bool.random(using: &random) ? min(1024, file.count) : file.count
        switch Int.random(in: 0..<6, using: &random) {
        case 0: file.removeLast(Int.random(in: 1..<file.count, using: &random))
        case 1: file.removeSubrange(piece(reach))
        case 2: file.insert(contentsOf: Array(file[piece(reach)]), at: Int.random(in: 0..<reach, using: &random))
        default:
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                let extremes: [UInt8] = [0, 0xFF, 0x7F, 0x80, UInt8.random(in: 0...255, using: &random)]
                file[Int.random(in: 0..<reach, using: &random)] = extremes.randomElement(using: &random) ?? 0
            }
        }
        return file
    }

    private mutating func piece(_ reach: Int) -> Range<Int> {
        let start = Int.random(in: 0..<reach, using: &random)
        return start..<min(reach, start + Int.random(in: 1...64, using: &random))
    }
}
