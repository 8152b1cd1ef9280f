import Testing

@testable import Media

@Suite("How stored pixels become a picture")
struct OrientationTests {
    /// Where the pixel of a 2 × 2 picture goes that was stored at the upper left, right, lower left, right.
    private func places(_ orientation: Orientation) -> [Int] {
        var grid = [0, 1, 2, 3]
        if orientation.isMirrored { grid = [grid[1], grid[0], grid[3], grid[2]] }
        for _ in 0..<orientation.quarterTurns { grid = [grid[2], grid[0], grid[3], grid[1]] }
        return grid
    }

    @Test("each of EXIF's eight values is kept")
    func roundTrip() {
        for value in 1...8 { #expect(Orientation(exif: value).exif == value) }
        #expect(Orientation(exif: 0).exif == 1 && Orientation(exif: 99).exif == 1)
    }

    @Test("turns and mirrors add up as they do on paper")
    func composition() {
        for value in 1...8 {
            let start = Orientation(exif: value)
            let grid = places(start)
            var turned = start
            turned.turn(quarters: 1)
            #expect(places(turned) == [grid[2], grid[0], grid[3], grid[1]])
            var mirrored = start
            mirrored.mirror()
            #expect(places(mirrored) == [grid[1], grid[0], grid[3], grid[2]])
            var flipped = start
            flipped.flip()
            #expect(places(flipped) == [grid[2], grid[3], grid[0], grid[1]])
        }
    }
}
