import CVips
import Media
import TestSupport
import Testing

/// Two pictures: the second is a copy of the first, or something about it is another.
struct CopyPair {
    let name: String
    let isCopy: Bool
    let best: [UInt8]
    let copy: [UInt8]
}

/// Pairs made by rule, the same in every run.
struct CopyPairs {
    private let scenes: [(name: String, best: Drawing, isPhoto: Bool)]

    init() throws {
        let photo = try Drawing.photo(seed: 3)
        let real = try Drawing.decoded(try Surroundings.photo("gps/DSCN0021.jpg"))
        scenes = [
            ("photo", photo, true), ("letter", Drawing.letter(seed: 5), false), ("night", photo.darkened(), true),
            ("screen", Drawing.screen(seed: 7), false), ("real", real, true),
        ]
    }

    /// Three copies to five others, of all kinds. Only those that are taken are made: to draw and to store all of them costs
    /// ten times what comparing some does.
    func pairs(_ count: Int) throws -> [CopyPair] {
        // Photos come as JPEG, as cameras make them; drawings as they are.
        let bests = try scenes.map { try $0.isPhoto ? $0.best.jpeg(92) : $0.best.png() }
        let shown = try bests.map { try Drawing.decoded($0) }
        var copies: [() throws -> CopyPair] = []
        for (number, scene) in scenes.enumerated() {
            // Sharp edges that were stored twice, or made smaller, may be too far to be called copies.
            for way in Storing.allCases where scene.isPhoto || !way.blursEdges {
                copies.append {
                    CopyPair(
                        name: "\(scene.name), \(way)", isCopy: true, best: bests[number],
                        copy: try way.stored(shown[number]))
                }
            }
        }
        var others: [() throws -> CopyPair] = []
        for round in 0..<4 {
            for change in Change.allCases {
                for (number, scene) in scenes.enumerated() {
                    for way in [Storing.jpeg92, .jpeg75, .half, .jpeg85] where way.isMeant(for: change) {
                        // Of its own, so that each is the same whichever others are made.
                        var random = SeededGenerator(seed: 11_000 + UInt64(others.count))
                        others.append {
                            let (one, other) = change.applied(to: shown[number], round: round, &random)
                            return CopyPair(
                                name: "\(change) in \(scene.name), \(way), \(round)", isCopy: false,
                                best: change.isOfTwo ? try one.png() : bests[number], copy: try way.stored(other))
                        }
                    }
                }
            }
        }
        let taken = Self.some(copies, count * 3 / 8)
        return try (taken + Self.some(others, count - taken.count)).map { try $0() }
    }

    /// So many of them, from all over.
    private static func some(_ pairs: [() throws -> CopyPair], _ count: Int) -> [() throws -> CopyPair] {
        guard count < pairs.count else { return pairs }
        return (0..<count).map { pairs[$0 * pairs.count / count] }
    }
}

/// What programs do to a picture that they keep.
enum Storing: CaseIterable {
    case pixels, jpeg95, jpeg92, jpeg85, jpeg75, jpeg60, half, halfByMeans, twoThirds, twice

    func stored(_ drawing: Drawing) throws -> [UInt8] {
        switch self {
        case .pixels: try drawing.png()
        case .jpeg95: try drawing.jpeg(95)
        case .jpeg92: try drawing.jpeg(92)
        case .jpeg85: try drawing.jpeg(85)
        case .jpeg75: try drawing.jpeg(75)
        case .jpeg60: try drawing.jpeg(60)
        case .half: try drawing.resampled(drawing.width / 2, drawing.height / 2, VIPS_KERNEL_LANCZOS3).jpeg(85)
        case .halfByMeans: try drawing.halved().jpeg(75)
        case .twoThirds:
            try drawing.resampled(drawing.width * 2 / 3, drawing.height * 2 / 3, VIPS_KERNEL_LINEAR).jpeg(80)
        case .twice: try Drawing.decoded(try drawing.jpeg(85)).jpeg(75)
        }
    }

    var blursEdges: Bool { [.twice, .half, .halfByMeans, .twoThirds].contains(self) }

    /// Half of a pixel, and of the noise of a second exposure, is lost with every other pixel.
    func isMeant(for change: Change) -> Bool { self != .half || ![.dot, .exposure, .shift].contains(change) }
}

/// What makes two pictures of one.
enum Change: CaseIterable {
    case digit, faintDigit, dot, mole, eyes, mark, colour, exposure, shift, crop, brightness, words

    /// Both were made anew: the change is no change of the first one.
    var isOfTwo: Bool { [.digit, .faintDigit, .eyes, .exposure, .shift, .words].contains(self) }

    func applied(to drawing: Drawing, round: Int, _ random: inout SeededGenerator) -> (Drawing, Drawing) {
        var (one, other) = (drawing, drawing)
        let x = Int.random(in: 24..<drawing.width - 80, using: &random)
        let y = Int.random(in: 24..<drawing.height - 80, using: &random)
        switch self {
        case .digit, .faintDigit:
            // 14 pixels high, as a hundredth of a receipt is.
            let ink = self == .digit ? 130 : 60
            let (first, second) = Glyph.differentDigits(&random)
            one.write([first], x, y, scale: 2, ink: ink)
            other.write([second], x, y, scale: 2, ink: ink)
        case .dot: other.shift(x..<x + 3, y..<y + 3) { $0 > 128 ? -90 : 90 }
        case .mole: other.blot(x, y, radius: 3 + round, by: -26)
        case .eyes:
            for open in [true, false] {
                var face = drawing
                face.face(x, y, size: 30 + 6 * round, isAwake: open)
                if open { one = face } else { other = face }
            }
        case .mark:
            let text = Glyph.text(8, &random)
            other.write(text, drawing.width / 5, drawing.height / 3, scale: 6, ink: 7)
        case .colour: other.tint(x..<x + 40, y..<y + 40, by: 24)
        case .exposure:
            one.addGrain(4, &random)
            other.addGrain(4, &random)
        case .shift: (one, other) = (drawing.cut(0, 0, 1, 0), drawing.cut(1, 0, 0, 0))
        case .crop:
            let (width, height) = (drawing.width / 100 + 1, drawing.height / 100 + 1)
            let cut = drawing.cut(width, height / 2, 0, height - height / 2)
            other = (try? cut.resampled(drawing.width, drawing.height, VIPS_KERNEL_CUBIC)) ?? drawing
        case .brightness: other.shift(0..<drawing.width, 0..<drawing.height) { _ in 5 }
        case .words:
            let text = (Glyph.text(12, &random), Glyph.text(12, &random))
            one.write(text.0, 30, y, scale: 2, ink: 120)
            other.write(text.1, 30, y, scale: 2, ink: 120)
        }
        return (one, other)
    }
}
