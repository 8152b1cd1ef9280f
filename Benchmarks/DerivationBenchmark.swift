import Sealing

/// What one guess of a password costs, with the parameters that a host may choose at its first start.
enum DerivationBenchmark {
    static func run() throws {
        let password = try SecretBytes(random: 16)
        for mebibytes in [64, 128, 256] as [UInt32] {
            let samples = try Samples(5) { measure in
                try measure {
                    _ = try Argon2id.derive(
                        password: password, salt: [UInt8](repeating: 1, count: 16), iterations: 3,
                        memoryKiB: mebibytes << 10)
                }
            }
            samples.print("Argon2id, 3 passes, \(mebibytes) MiB")
        }
    }
}
