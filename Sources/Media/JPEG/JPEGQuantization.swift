/// How coarsely a JPEG keeps its pixels: whatever was encoded is within half a step of each coefficient that was kept.
package struct JPEGQuantization: Equatable, Sendable {
    /// The steps of one plane: 64, row by row, the frequency across growing within a row.
    package typealias Steps = [UInt16]

    package let brightness: Steps
    /// Nil where there is no colour.
    package let colour: Steps?
    /// Pixels across and down that have one sample of colour in common: 1, 2 or 4.
    package let columnsPerColour: Int
    package let rowsPerColour: Int

    /// Nil for what is no JPEG of eight bits with brightness, or brightness and two planes of colour.
    package init?(reading source: some ByteSource) {
        guard let header = JPEGHeader(BoundedReader(source)), header.isOrdinary else { return nil }
        let planes = header.planes
        guard let first = planes.first, let brightness = header.steps[first.table] else { return nil }
        self.brightness = brightness
        guard planes.count == 3 else {
            guard planes.count == 1 else { return nil }
            (colour, columnsPerColour, rowsPerColour) = (nil, 1, 1)
            return
        }
        // Without brightness, three planes are red, green and blue: Adobe's segment says so by a zero.
        guard header.adobeTransform != 0, planes[1] == planes[2], let colour = header.steps[planes[1].table],
            planes[1].columns > 0, planes[1].rows > 0, first.columns % planes[1].columns == 0,
            first.rows % planes[1].rows == 0
        else { return nil }
        self.colour = colour
        (columnsPerColour, rowsPerColour) = (first.columns / planes[1].columns, first.rows / planes[1].rows)
        guard [1, 2, 4].contains(columnsPerColour), [1, 2, 4].contains(rowsPerColour) else { return nil }
    }

    package init(brightness: Steps, colour: Steps?, columnsPerColour: Int, rowsPerColour: Int) {
        self.brightness = brightness
        self.colour = colour
        self.columnsPerColour = columnsPerColour
        self.rowsPerColour = rowsPerColour
    }

    /// The tables that stand as examples in ITU-T T.81, annex K, which nearly all encoders make coarser or finer: those of
    /// libjpeg's quality 1…100.
    package init(quality: Int, columnsPerColour: Int = 2, rowsPerColour: Int = 2) {
        let percent = quality < 50 ? 5000 / max(1, quality) : 200 - 2 * min(quality, 100)
        func scaled(_ steps: Steps) -> Steps {
            steps.map { UInt16(max(1, min(255, (Int($0) * percent + 50) / 100))) }
        }
        self.init(
            brightness: scaled(Self.exampleBrightness), colour: scaled(Self.exampleColour),
            columnsPerColour: columnsPerColour, rowsPerColour: rowsPerColour)
    }

    private static let exampleBrightness: Steps = [
        16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56,
        14, 17, 22, 29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92,
        49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
    ]
    private static let exampleColour: Steps =
        [17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99]
        + [47, 66, 99, 99, 99, 99, 99, 99] + Steps(repeating: 99, count: 32)
}

extension JPEGHeader {
    /// One plane of the frame.
    struct Plane: Equatable {
        /// Samples across and down in each unit.
        let columns: Int
        let rows: Int
        let table: UInt8
    }

    static func planes(_ frame: [UInt8]) -> [Plane] {
        stride(from: 6, to: frame.count - 2, by: 3).map { (start: Int) -> Plane in
            let units = frame[start + 1]
            return Plane(columns: Int(units >> 4), rows: Int(units & 15), table: frame[start + 2])
        }
    }

    /// The tables of a DQT segment, by their numbers.
    static func steps(_ payload: [UInt8]) -> [UInt8: JPEGQuantization.Steps] {
        var found: [UInt8: JPEGQuantization.Steps] = [:]
        var position = 0
        while position < payload.count {
            let width = payload[position] >> 4 == 0 ? 1 : 2
            guard position + 1 + 64 * width <= payload.count else { break }
            var steps = JPEGQuantization.Steps(repeating: 0, count: 64)
            for (index, place) in zigzag.enumerated() {
                let start = position + 1 + index * width
                steps[place] =
                    width == 1 ? UInt16(payload[start]) : UInt16(payload[start]) << 8 | UInt16(payload[start + 1])
            }
            if !steps.contains(0) { found[payload[position] & 15] = steps }
            position += 1 + 64 * width
        }
        return found
    }

    /// Where the coefficients of a table belong, in their order (ITU-T T.81, figure A.6).
    private static let zigzag: [Int] = {
        (0..<15).flatMap { (sum: Int) -> [Int] in
            let rows = (max(0, sum - 7)...min(7, sum)).map { (row: Int) -> Int in row * 8 + sum - row }
            return sum.isMultiple(of: 2) ? rows.reversed() : rows
        }
    }()
}
