import Sealing

/// The cost of a password guess, chosen once for a host: 3 passes over as much memory as one run of at most a second
/// takes.
package enum Calibration {
    package static let iterations: UInt32 = 3
    static let mostMemoryKiB: UInt32 = 256 << 10
    static let leastMemoryKiB: UInt32 = 64 << 10

    /// Halves from 256 MiB until a run takes at most a second and a quarter of `availableKiB` holds it; never below 64
    /// MiB.
    package static func memoryKiB(availableKiB: UInt64?, clock: some Clock<Duration> = ContinuousClock()) throws
        -> UInt32
    {
        let password = try SecretBytes(random: 16)
        let salt = [UInt8](repeating: 0x5A, count: 16)
        var memory = mostMemoryKiB
        while memory > leastMemoryKiB {
            if let availableKiB, UInt64(memory) > availableKiB / 4 {
                memory /= 2
                continue
            }
            let duration = try clock.measure {
                _ = try Argon2id.derive(password: password, salt: salt, iterations: iterations, memoryKiB: memory)
            }
            if duration <= .seconds(1) { break }
            memory /= 2
        }
        return max(memory, leastMemoryKiB)
    }
}
