import Testing

@testable import Media

@Suite("How coarsely a JPEG is stored")
struct JPEGQuantizationTests {
    private func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0xFF, marker, UInt8((payload.count + 2) >> 8), UInt8((payload.count + 2) & 255)] + payload
    }

    /// Components with their units and tables.
    private func file(_ planes: [(UInt8, UInt8)], others: [UInt8] = []) -> [UInt8] {
        let frame: [UInt8] = [8, 0, 8, 0, 8, UInt8(planes.count)]
        let components = planes.enumerated().flatMap { [UInt8($0 + 1), $1.0, $1.1] }
        let steps = (1...64).map { UInt8($0) }
        let wide = (1...64).flatMap { [UInt8(1), UInt8($0)] }
        return [0xFF, 0xD8] + others + segment(0xDB, [0] + steps) + segment(0xDB, [0x11] + wide)
            + segment(0xC0, frame + components) + [0xFF, 0xDA]
    }

    @Test("its steps come row by row, and colour is said to be shared by so many pixels")
    func steps() throws {
        let found = try #require(JPEGQuantization(reading: file([(0x22, 0), (0x11, 1), (0x11, 1)])))
        // The zigzag of ITU-T T.81: the third step is that of the second row.
        #expect(found.brightness[0..<4] == [1, 2, 6, 7] && found.brightness[8] == 3 && found.brightness[63] == 64)
        #expect(found.colour?.first == 257 && found.colour?.last == 320)
        #expect((found.columnsPerColour, found.rowsPerColour) == (2, 2))
        let flat = try #require(JPEGQuantization(reading: file([(0x21, 0), (0x11, 1), (0x11, 1)])))
        #expect((flat.columnsPerColour, flat.rowsPerColour) == (2, 1))
        #expect(try #require(JPEGQuantization(reading: file([(0x11, 0)]))).colour == nil)
    }

    @Test("what is coded otherwise, or lacks a table, says nothing")
    func others() {
        #expect(JPEGQuantization(reading: file([(0x11, 0), (0x11, 0)])) == nil)
        #expect(JPEGQuantization(reading: file([(0x22, 0), (0x11, 2), (0x11, 2)])) == nil)
        #expect(JPEGQuantization(reading: file([(0x22, 0), (0x12, 1), (0x11, 1)])) == nil)
        #expect(JPEGQuantization(reading: file([(0x32, 0), (0x21, 1), (0x21, 1)])) == nil)
        let adobe = segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0])
        #expect(JPEGQuantization(reading: file([(0x11, 0), (0x11, 0), (0x11, 0)], others: adobe)) == nil)
        #expect(JPEGQuantization(reading: [0xFF, 0xD8] as [UInt8]) == nil)
    }

    @Test("the example tables of the standard are those of libjpeg's qualities")
    func qualities() {
        #expect(JPEGQuantization(quality: 50).brightness[0..<4] == [16, 11, 10, 16])
        #expect(JPEGQuantization(quality: 85).brightness[0..<4] == [5, 3, 3, 5])
        #expect(JPEGQuantization(quality: 100).colour == JPEGQuantization.Steps(repeating: 1, count: 64))
        #expect(JPEGQuantization(quality: 60).colour?.count == 64)
    }
}
