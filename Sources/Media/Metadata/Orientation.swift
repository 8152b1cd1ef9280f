/// How stored pixels become a picture: mirrored left to right or not, then turned clockwise.
struct Orientation: Equatable {
    private(set) var isMirrored = false
    private(set) var quarterTurns = 0

    init() {}

    /// EXIF's 1…8; anything else is taken as upright.
    init(exif: Int) {
        switch exif {
        case 2: isMirrored = true
        case 3: quarterTurns = 2
        case 4: (isMirrored, quarterTurns) = (true, 2)
        case 5: (isMirrored, quarterTurns) = (true, 3)
        case 6: quarterTurns = 1
        case 7: (isMirrored, quarterTurns) = (true, 1)
        case 8: quarterTurns = 3
        default: break
        }
    }

    var exif: Int {
        switch (isMirrored, quarterTurns) {
        case (false, 1): 6
        case (false, 2): 3
        case (false, 3): 8
        case (true, 0): 2
        case (true, 1): 7
        case (true, 2): 4
        case (true, 3): 5
        default: 1
        }
    }

    /// Whether width and height change places.
    var swapsSides: Bool { quarterTurns % 2 == 1 }

    /// Then turns clockwise.
    mutating func turn(quarters: Int) { quarterTurns = (quarterTurns + quarters % 4 + 4) % 4 }

    /// Then exchanges left and right. What was turned clockwise before is turned the other way after a mirror.
    mutating func mirror() {
        isMirrored.toggle()
        quarterTurns = (4 - quarterTurns) % 4
    }

    /// Then exchanges top and bottom.
    mutating func flip() {
        mirror()
        turn(quarters: 2)
    }
}
