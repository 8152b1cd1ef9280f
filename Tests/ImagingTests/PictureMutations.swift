/// Changes files by chance, the same way in every run (SplitMix64).
struct PictureMutations: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A few bytes changed, mostly near the beginning where the structure lies; or a piece left out, doubled or cut off.
    mutating func mutated(_ file: [UInt8]) -> [UInt8] {
        var file = file
        let reach = Bool.random(using: &self) ? min(1024, file.count) : file.count
        switch Int.random(in: 0..<6, using: &self) {
        case 0: file.removeLast(Int.random(in: 1..<file.count, using: &self))
        case 1: file.removeSubrange(piece(reach))
        case 2: file.insert(contentsOf: Array(file[piece(reach)]), at: Int.random(in: 0..<reach, using: &self))
        default:
            for _ in 0..<Int.random(in: 1...20, using: &self) {
                let extremes: [UInt8] = [0, 0xFF, 0x7F, 0x80, UInt8.random(in: 0...255, using: &self)]
                file[Int.random(in: 0..<reach, using: &self)] = extremes.randomElement(using: &self) ?? 0
            }
        }
        return file
    }

    private mutating func piece(_ reach: Int) -> Range<Int> {
        let start = Int.random(in: 0..<reach, using: &self)
        return start..<min(reach, start + Int.random(in: 1...64, using: &self))
    }
}
