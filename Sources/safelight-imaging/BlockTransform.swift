import Glibc

/// The cosine transform of a block of 8 × 8 samples (ITU-T T.81, A.3.3), whose coefficients have the power of the samples.
struct BlockTransform {
    private(set) var coefficients = [Float](repeating: 0, count: 64)
    /// Row by row.
    var samples = [Float](repeating: 0, count: 64)
    private var half = [Float](repeating: 0, count: 64)

    /// Row u: the wave of frequency u.
    private static let waves: [Float] = (0..<64).map { index in
        let (frequency, place) = (index / 8, index % 8)
        let scale = frequency == 0 ? 0.125.squareRoot() : 0.5
        return Float(scale * cos(Double(2 * place + 1) * Double(frequency) * .pi / 16))
    }

    mutating func clear() {
        for index in 0..<64 { samples[index] = 0 }
    }

    mutating func run() {
        Self.waves.withUnsafeBufferPointer { waves in
            samples.withUnsafeBufferPointer { samples in
                half.withUnsafeMutableBufferPointer { half in
                    // Columns first: half[u][x] is the sum of waves[u][y] · samples[y][x].
                    for frequency in 0..<8 {
                        for column in 0..<8 {
                            var sum: Float = 0
                            for row in 0..<8 { sum += waves[frequency * 8 + row] * samples[row * 8 + column] }
                            half[frequency * 8 + column] = sum
                        }
                    }
                }
            }
            half.withUnsafeBufferPointer { half in
                coefficients.withUnsafeMutableBufferPointer { coefficients in
                    for row in 0..<8 {
                        for frequency in 0..<8 {
                            var sum: Float = 0
                            for column in 0..<8 { sum += half[row * 8 + column] * waves[frequency * 8 + column] }
                            coefficients[row * 8 + frequency] = sum
                        }
                    }
                }
            }
        }
    }
}

/// How strong edges are, in squares of 4 × 4 pixels: those of the one of two pictures in which they are weaker.
struct EdgeGrid {
    private static let side = 4
    private let columns: Int
    private let strongest: [Float]

    /// - Parameter width: of rows of samples of both.
    init(_ first: [Float], _ second: [Float], width: Int) {
        let height = first.count / max(1, width)
        let (columns, rows) = ((width + Self.side - 1) / Self.side, (height + Self.side - 1) / Self.side)
        var grid = [Float](repeating: 0, count: columns * rows)
        first.withUnsafeBufferPointer { first in
            second.withUnsafeBufferPointer { second in
                for row in 0..<height {
                    let (above, below) = (max(0, row - 1) * width, min(height - 1, row + 1) * width)
                    for column in 0..<width {
                        let (before, after) = (max(0, column - 1), min(width - 1, column + 1))
                        func slope(_ samples: UnsafeBufferPointer<Float>) -> Float {
                            let across = samples[row * width + after] - samples[row * width + before]
                            let down = samples[below + column] - samples[above + column]
                            return max(abs(across), abs(down)) / 2
                        }
                        let place = row / Self.side * columns + column / Self.side
                        grid[place] = max(grid[place], min(slope(first), slope(second)))
                    }
                }
            }
        }
        self.columns = columns
        strongest = grid
    }

    /// Of the square with the pixel and those around it.
    func strength(row: Int, column: Int) -> Float {
        let rows = strongest.count / columns
        let (down, across) = (row / Self.side, column / Self.side)
        var most: Float = 0
        for y in max(0, down - 1)...min(rows - 1, down + 1) {
            for x in max(0, across - 1)...min(columns - 1, across + 1) { most = max(most, strongest[y * columns + x]) }
        }
        return most
    }
}
