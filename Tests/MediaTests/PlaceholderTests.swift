import Foundation
import TestSupport
import Testing

@testable import Media

@Suite("A picture in 25 bytes")
struct PlaceholderTests {
    /// A picture by its colours at places from 0 to 1.
    private func picture(_ width: Int, _ height: Int, _ colour: (Double, Double) -> [Double]) -> [UInt8] {
        var rgba: [UInt8] = []
        for row in 0..<height {
            for column in 0..<width {
                let values = colour((Double(column) + 0.5) / Double(width), (Double(row) + 0.5) / Double(height))
                for value in values { rgba.append(UInt8((value * 255).rounded())) }
            }
        }
        return rgba
    }

    private func drawn(_ rgba: [UInt8], _ width: Int, _ height: Int) throws -> Placeholder.Pixels {
        let placeholder = try #require(Placeholder(rgba: rgba, width: width, height: height))
        #expect(placeholder.bytes.count == 25)
        return try #require(Placeholder.pixels(of: placeholder.bytes))
    }

    private func largestDifference(_ one: [UInt8], _ other: [UInt8]) -> Int {
        zip(one, other).map { abs(Int($0) - Int($1)) }.max() ?? 255
    }

    @Test("a smooth picture comes back as it was, in its shape")
    func smooth() throws {
        for (width, height) in [(32, 24), (24, 32), (32, 32), (32, 18)] {
            let rgba = picture(width, height) { [0.2 + 0.6 * $0, 0.5, 0.8 - 0.5 * $1, 1] }
            let drawn = try self.drawn(rgba, width, height)
            #expect(drawn.width == width && drawn.height == height)
            #expect(!drawn.isTransparent)
            #expect(largestDifference(drawn.rgba, rgba) < 26)
        }
    }

    @Test("one colour comes back exactly but for rounding")
    func oneColour() throws {
        let rgba = picture(5, 7) { _, _ in [0.9, 0.3, 0.1, 1] }
        let drawn = try self.drawn(rgba, 5, 7)
        #expect(largestDifference(Array(drawn.rgba.prefix(4)), Array(rgba.prefix(4))) < 5)
    }

    @Test("what is transparent is said, and takes the colour of what is not")
    func transparency() throws {
        let rgba = picture(32, 32) { across, _ in across < 0.5 ? [1, 0, 0, 1] : [0, 1, 0, 0] }
        let drawn = try self.drawn(rgba, 32, 32)
        #expect(drawn.isTransparent)
        #expect(largestDifference(Array(drawn.rgba.suffix(4)), [255, 0, 0, 255]) < 8)
    }

    @Test("what is no small picture makes none")
    func refused() {
        #expect(Placeholder(rgba: [], width: 0, height: 0) == nil)
        #expect(Placeholder(rgba: [UInt8](repeating: 0, count: 33 * 4), width: 33, height: 1) == nil)
        #expect(Placeholder(rgba: [UInt8](repeating: 0, count: 15), width: 2, height: 2) == nil)
        #expect(Placeholder(rgba: [UInt8](repeating: 0, count: 16), width: 2, height: 2) == nil)
        #expect(Placeholder.pixels(of: []) == nil)
    }

    @Test("any picture and any 25 bytes are taken")
    func noise() {
        var generator = SeededGenerator(seed: 4)
        for round in 0..<40 {
            let (width, height) = (Int.random(in: 1...32, using: &generator), round == 0 ? 1 : 32)
            let rgba = (0..<width * height * 4).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(Placeholder(rgba: rgba, width: width, height: height)?.bytes.count == 25)
            let bytes = (0..<25).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(Placeholder.pixels(of: bytes)?.rgba.isEmpty == false)
        }
    }

    private struct Vector: Decodable {
        let bytes: [UInt8]
        let width: Int
        let height: Int
        /// Index of a pixel and its three colours.
        let pixels: [[Int]]
    }

    @Test("it is drawn here as the page draws it")
    func vectors() throws {
        let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Page/placeholders.json").standardizedFileURL
        let vectors = try JSONDecoder().decode([Vector].self, from: try Data(contentsOf: url))
        #expect(vectors.count >= 3)
        for vector in vectors {
            let drawn = try #require(Placeholder.pixels(of: vector.bytes))
            #expect(drawn.width == vector.width && drawn.height == vector.height)
            for pixel in vector.pixels {
                let colours = (0..<3).map { Int(drawn.rgba[pixel[0] * 4 + $0]) }
                #expect(zip(colours, pixel.dropFirst()).allSatisfy { abs($0 - $1) <= 1 })
            }
        }
    }
}
