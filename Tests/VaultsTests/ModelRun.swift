import Foundation
import TestSupport
import Testing

@testable import Records

/// What the model and the product say differently.
struct Difference: Error, CustomStringConvertible {
    let description: String
}

/// One run of random steps against a model. Each step is noted before it is taken, and a run that fails prints all of
/// them. `SAFELIGHT_SEED=7 swift test --filter AlbumModelTests` begins with seed 7.
final class ModelRun {
    let seed: UInt64
    private var random: SeededGenerator
    private var steps: [String] = []

    private init(seed: UInt64) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
    }

    /// Seeds of so many runs. They are the same in every run of the tests, unless `SAFELIGHT_SEED` chooses others.
    static func seeds(_ count: Int) -> [UInt64] {
        let first = ProcessInfo.processInfo.environment["SAFELIGHT_SEED"].map(number) ?? 1
        return (0..<UInt64(count)).map { first &+ $0 }
    }

    /// A text that is no number is one as well: the end-to-end tests take any.
    private static func number(_ text: String) -> UInt64 {
        UInt64(text) ?? text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// Runs `body`, which throws where the product does not do what the model says.
    static func follow(_ seed: UInt64, _ body: (ModelRun) async throws -> Void) async {
        let run = ModelRun(seed: seed)
        do {
            try await body(run)
        } catch {
            let steps = run.steps.enumerated().map { "\($0 + 1). \($1)" }.joined(separator: "\n")
            Issue.record("seed \(seed), after step \(run.steps.count): \(error)\n\(steps)")
        }
    }

    func note(_ step: String) { steps.append(step) }

    // MARK: Chance

    func number(below limit: Int) -> Int { limit > 0 ? Int(random.next() % UInt64(limit)) : 0 }

    func number(in range: ClosedRange<Int>) -> Int { range.lowerBound + number(below: range.count) }

    /// True once in so many times.
    func once(in count: Int) -> Bool { number(below: count) == 0 }

    func pick<Element>(_ elements: some Collection<Element>) -> Element? { elements.randomElement(using: &random) }

    /// Some of them, no more than a few, in any order; none where there are none.
    func some<Element>(of elements: [Element], atMost most: Int) -> [Element] {
        Array(elements.shuffled(using: &random).prefix(number(in: 1...most)))
    }

    /// Content that no other call returns.
    func bytes(_ range: ClosedRange<Int>) -> [UInt8] { sampleBytes(number(in: range), seed: random.next() | 1) }

    // MARK: Expectations

    func expect<Value: Equatable>(_ actual: Value, _ expected: Value, _ what: @autoclosure () -> String) throws {
        guard actual != expected else { return }
        throw Difference(description: "\(what()) is \(actual), and not \(expected)")
    }

    /// Files are too long to print.
    func expect(content actual: [UInt8], _ expected: [UInt8], _ what: @autoclosure () -> String) throws {
        guard actual != expected else { return }
        throw Difference(description: "\(what()) has other bytes: \(actual.count) in place of \(expected.count)")
    }

    /// What a step answers, or how it is refused.
    func expect<Value: Equatable>(
        _ expected: Result<Value, VaultError>, _ what: @autoclosure () -> String, _ body: () async throws -> Value
    ) async throws {
        let actual: Result<Value, VaultError>
        do {
            actual = .success(try await body())
        } catch let error as VaultError {
            actual = .failure(error)
        }
        try expect(actual, expected, what())
    }
}
