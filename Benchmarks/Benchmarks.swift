import Glibc

/// Measures the steps that everything else is built from, without a network: `swift run -c release Benchmarks [name…]`.
@main
enum Benchmarks {
    static func main() async throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == LibraryBenchmark.childArgument {
            return try await LibraryBenchmark.openInThisProcess(dataPath: arguments.removeLast())
        }
        let all: [(name: String, run: () async throws -> Void)] = [
            ("seal", SealingBenchmarks.seal), ("open", SealingBenchmarks.open), ("row", SealingBenchmarks.row),
            ("digest", SealingBenchmarks.digest), ("kdf", DerivationBenchmark.run), ("library", LibraryBenchmark.run),
            ("search", SearchBenchmark.run), ("places", PlacesBenchmark.run), ("migration", MigrationBenchmark.run),
        ]
        let unknown = arguments.filter { name in !all.contains { $0.name == name } }
        guard unknown.isEmpty else {
            print("There is no benchmark called \(unknown.joined(separator: ", ")); there are:")
            print(all.map(\.name).joined(separator: " "))
            exit(64)
        }
        print("\("step".padded(40))\("median".padded(16))\("best".padded(16))worst")
        for benchmark in all where arguments.isEmpty || arguments.contains(benchmark.name) {
            try await benchmark.run()
        }
    }
}
