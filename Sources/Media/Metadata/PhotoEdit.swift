/// Which part of a picture is shown, and how far the picture is turned so that it stands straight. The file stays as it is.
package struct PhotoEdit: Equatable, Sendable {
    /// Millionths of the picture's width and height, from the left and from the top: of the picture as it is to be seen,
    /// before any quarter turns.
    package let left: UInt32
    package let top: UInt32
    package let right: UInt32
    package let bottom: UInt32
    /// Thousandths of a degree by which the picture is turned clockwise about its middle, before the part is cut out of the
    /// frame in which it lay.
    package let angle: Int32

    /// The whole width or height.
    package static let whole: UInt32 = 1_000_000
    /// A hundredth: smaller parts show nothing that anybody could know again.
    private static let smallest: UInt32 = 10_000
    private static let mostTurned: Int32 = 45_000

    package static let encodedByteCount = 20

    /// Shares from 0 to 1, and degrees from -45 to 45.
    /// - Returns: nil for what lies outside of the picture, for less than a hundredth of a side, and for what is no number.
    package init?(left: Double, top: Double, right: Double, bottom: Double, angle: Double) {
        let sides = [left, top, right, bottom].map { ($0 * Double(Self.whole)).rounded() }
        let turned = (angle * 1000).rounded()
        guard sides.allSatisfy({ (0...Double(Self.whole)).contains($0) }),
            (-Double(Self.mostTurned)...Double(Self.mostTurned)).contains(turned)
        else { return nil }
        self.init(sides.map { UInt32($0) }, Int32(turned))
    }

    private init?(_ sides: [UInt32], _ angle: Int32) {
        (left, top, right, bottom) = (sides[0], sides[1], sides[2], sides[3])
        self.angle = angle
        guard sides.allSatisfy({ $0 <= Self.whole }), (-Self.mostTurned...Self.mostTurned).contains(angle),
            right >= left + Self.smallest, bottom >= top + Self.smallest
        else { return nil }
    }

    /// It shows all of the picture as it lies.
    package var isNone: Bool { (left, top, right, bottom, angle) == (0, 0, Self.whole, Self.whole, 0) }

    /// Left, top, right, bottom, angle; 4 bytes each, the last one signed.
    package var encoded: [UInt8] {
        [left, top, right, bottom, UInt32(bitPattern: angle)].flatMap { number in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        }
    }

    /// Nil for what this version does not write.
    package init?(encoded: [UInt8]) {
        guard encoded.count == Self.encodedByteCount else { return nil }
        let numbers = stride(from: 0, to: encoded.count, by: 4).map { start in
            encoded[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        self.init(Array(numbers[..<4]), Int32(bitPattern: numbers[4]))
    }
}

/// A part of a picture as `crs:Crop…` of XMP has it: two opposite corners of a frame that is turned about the middle of the
/// picture, as shares of the picture as it is stored, before its orientation.
package struct XMPCrop: Equatable, Sendable {
    package var left: Double
    package var top: Double
    package var right: Double
    package var bottom: Double
    /// Degrees by which the frame is turned clockwise: the picture stands straight once it is turned back by as many.
    package var angle: Double

    package init(left: Double, top: Double, right: Double, bottom: Double, angle: Double) {
        (self.left, self.top, self.right, self.bottom, self.angle) = (left, top, right, bottom, angle)
    }
}

extension PhotoEdit {
    /// What another program wrote beside a picture.
    /// - Parameter facts: of the picture. Its size is needed where the frame is turned.
    /// - Returns: nil where it shows the whole picture, or cannot be said here.
    package init?(_ crop: XMPCrop, of facts: MediaFacts) {
        guard (-45...45).contains(crop.angle), let shape = Shape(facts, isTurned: crop.angle != 0) else { return nil }
        let turned = Int((crop.angle * 1000).rounded())
        var frame = [(crop.left, crop.top), (crop.right, crop.bottom)].map { shape.turned($0, by: -turned) }
        var angle = -crop.angle
        if shape.orientation.isMirrored {
            frame = frame.map { (1 - $0.0, $0.1) }
            angle = -angle
        }
        for _ in 0..<shape.orientation.quarterTurns { frame = frame.map { (1 - $0.1, $0.0) } }
        let (across, down) = (frame.map(\.0), frame.map(\.1))
        // A frame that another program turned may reach a little out of the one in which the picture lay.
        let sides = [across.min(), down.min(), across.max(), down.max()].map { Swift.min(1, Swift.max(0, $0 ?? 0)) }
        self.init(left: sides[0], top: sides[1], right: sides[2], bottom: sides[3], angle: angle)
        if isNone { return nil }
    }

    /// - Returns: nil where it cannot be said, for the size of the picture is not known.
    package func crop(of facts: MediaFacts) -> XMPCrop? {
        guard let shape = Shape(facts, isTurned: angle != 0) else { return nil }
        let share = { (side: UInt32) in Double(side) / Double(Self.whole) }
        var frame = [(share(left), share(top)), (share(right), share(bottom))]
        var turned = Int(angle)
        for _ in 0..<(4 - shape.orientation.quarterTurns) % 4 { frame = frame.map { (1 - $0.1, $0.0) } }
        if shape.orientation.isMirrored {
            frame = frame.map { (1 - $0.0, $0.1) }
            turned = -turned
        }
        let (across, down) = (frame.map(\.0), frame.map(\.1))
        let corners = [(across.min() ?? 0, down.min() ?? 0), (across.max() ?? 1, down.max() ?? 1)].map {
            shape.turned($0, by: -turned)
        }
        return XMPCrop(
            left: corners[0].0, top: corners[0].1, right: corners[1].0, bottom: corners[1].1,
            angle: Double(-turned) / 1000)
    }

    /// How a picture is stored.
    private struct Shape {
        let orientation: Orientation
        /// Pixels; of what is not turned they count for nothing.
        let width: Double
        let height: Double

        init?(_ facts: MediaFacts, isTurned: Bool) {
            orientation = Orientation(exif: facts.orientation)
            let (width, height) = (Double(facts.width ?? 0), Double(facts.height ?? 0))
            guard !isTurned || width > 0 && height > 0 else { return nil }
            (self.width, self.height) = orientation.swapsSides ? (height, width) : (width, height)
        }

        /// A point in shares, turned clockwise about the middle by thousandths of a degree.
        func turned(_ point: (Double, Double), by angle: Int) -> (Double, Double) {
            guard angle != 0 else { return point }
            let (cosine, sine) = (
                PlaceholderMath.cosine(angle, 180_000), PlaceholderMath.cosine(90_000 - angle, 180_000)
            )
            let (x, y) = ((point.0 - 0.5) * width, (point.1 - 0.5) * height)
            return ((x * cosine - y * sine) / width + 0.5, (x * sine + y * cosine) / height + 0.5)
        }
    }
}
