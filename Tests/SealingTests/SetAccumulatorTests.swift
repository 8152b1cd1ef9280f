import Testing

@testable import Sealing

@Suite("The set accumulator")
struct SetAccumulatorTests {
    private let one = [UInt8](repeating: 0, count: 31) + [1]
    private let ones = [UInt8](repeating: 0xFF, count: 32)

    @Test("it is empty at first and keeps its bytes")
    func bytes() {
        #expect(SetAccumulator().bytes == [UInt8](repeating: 0, count: 32))
        #expect(SetAccumulator(bytes: .pattern(32)).bytes == .pattern(32))
    }

    @Test("it carries through all 256 bits and wraps")
    func carries() {
        var sum = SetAccumulator(bytes: ones)
        sum.add(SetAccumulator(bytes: one))
        #expect(sum == SetAccumulator())
        sum.subtract(SetAccumulator(bytes: one))
        #expect(sum.bytes == ones)
        var half = SetAccumulator(bytes: [UInt8](repeating: 0, count: 16) + [UInt8](repeating: 0xFF, count: 16))
        half.add(SetAccumulator(bytes: one))
        #expect(half.bytes == [UInt8](repeating: 0, count: 15) + [1] + [UInt8](repeating: 0, count: 16))
        half.subtract(SetAccumulator(bytes: one))
        #expect(half.bytes == [UInt8](repeating: 0, count: 16) + [UInt8](repeating: 0xFF, count: 16))
    }

    @Test("order does not count, and what is taken out leaves no trace")
    func order() throws {
        let elements = try (0..<100).map { _ in SetAccumulator(bytes: try randomBytes(32)) }
        var (forward, backward) = (SetAccumulator(), SetAccumulator())
        for element in elements { forward.add(element) }
        for element in elements.reversed() { backward.add(element) }
        #expect(forward == backward && forward != SetAccumulator())
        forward.subtract(elements[40])
        #expect(forward != backward)
        for element in elements where element != elements[40] { forward.subtract(element) }
        #expect(forward == SetAccumulator())
    }
}
