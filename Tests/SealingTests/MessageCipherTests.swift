import Testing

@testable import Sealing

@Suite("Whole messages")
struct MessageCipherTests {
    let secret: SharedSecret
    let context = SealingContext.row(.pattern(16))

    init() throws {
        secret = SharedSecret(try SecretBytes(copying: .pattern(32)))
    }

    @Test(
        "a message opens to what was sealed, at every size around a chunk's",
        arguments: [
            0, 1, 15, 16, 440, 16_383, 16_384, 16_385, 32_768, 50_000,
        ])
    func roundTrip(size: Int) throws {
        var cipher = try MessageCipher(key: secret.bytes)
        let message = try seal(.pattern(size), context: context, with: &cipher)
        #expect(message.count == 72 + size + size / 16_384 * 16)
        #expect(try open(message, context: context, with: &cipher).result.get() == .pattern(size))
    }

    @Test("an empty message opens into an empty buffer")
    func emptyBuffer() throws {
        var cipher = try MessageCipher(key: secret.bytes)
        let message = try seal([], context: context, with: &cipher)
        let empty = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        let count = try message.withUnsafeBytes { try cipher.open($0, context: context, into: empty) }
        #expect(count == 0)
    }

    @Test("every single flipped bit is refused and leaves nothing in the output")
    func everyBitFlip() throws {
        var cipher = try MessageCipher(key: secret.bytes)
        let message = try seal(.pattern(40), context: context, with: &cipher)
        for bit in 0..<message.count * 8 {
            var changed = message
            changed[bit / 8] ^= 1 << (bit % 8)
            let (result, output) = open(changed, context: context, with: &cipher)
            #expect(result.sealingError == (bit / 8 < ChunkLayout.headerByteCount ? .wrongKey : .damaged), "bit \(bit)")
            #expect(output.allSatisfy { $0 == 0 }, "bit \(bit)")
        }
    }

    @Test("every truncation and a byte too many are refused and leave nothing in the output")
    func everyTruncation() throws {
        var cipher = try MessageCipher(key: secret.bytes)
        let message = try seal(.pattern(40), context: context, with: &cipher)
        for changed in message.indices.map({ Array(message[..<$0]) }) + [message + [0]] {
            let (result, output) = open(changed, context: context, with: &cipher)
            #expect(result.sealingError == .damaged, "\(changed.count) bytes")
            #expect(output.allSatisfy { $0 == 0 }, "\(changed.count) bytes")
        }
    }

    @Test("a second chunk that fails takes the first one's plaintext with it")
    func laterChunkDamaged() throws {
        var cipher = try MessageCipher(key: secret.bytes)
        var message = try seal(.pattern(20_000), context: context, with: &cipher)
        message[message.count - 1] ^= 1
        let (result, output) = open(message, context: context, with: &cipher)
        #expect(result.sealingError == .damaged)
        #expect(output.allSatisfy { $0 == 0 })
    }

    @Test("another key and another context are told from damage by the commitment")
    func wrongKeyOrContext() throws {
        var cipher = try MessageCipher(key: secret.bytes)
        var other = try MessageCipher(key: SecretBytes(copying: .pattern(32, seed: 1)))
        let message = try seal(.pattern(40), context: context, with: &cipher)
        #expect(open(message, context: context, with: &other).result.sealingError == .wrongKey)
        #expect(open(message, context: .guest(.pattern(16)), with: &cipher).result.sealingError == .wrongKey)
        #expect(open(message, context: .row(.pattern(16, seed: 1)), with: &cipher).result.sealingError == .wrongKey)
    }

    @Test("the header alone tells whether a message is this key's")
    func opensHeader() throws {
        var cipher = try MessageCipher(key: secret.bytes)
        var other = try MessageCipher(key: SecretBytes(copying: .pattern(32, seed: 1)))
        let header = Array(try seal(.pattern(40), context: context, with: &cipher).prefix(56))
        #expect(try header.withUnsafeBytes { try cipher.opens(header: $0, context: context) })
        #expect(try !header.withUnsafeBytes { try cipher.opens(header: $0, context: .slot) })
        #expect(try !header.withUnsafeBytes { try other.opens(header: $0, context: context) })
        #expect(throws: SealingError.damaged) {
            _ = try header.withUnsafeBytes {
                try cipher.opens(header: UnsafeRawBufferPointer(rebasing: $0.dropLast()), context: context)
            }
        }
    }

    @Test("a failure does not spoil the messages after it")
    func goesOnAfterFailure() throws {
        var cipher = try MessageCipher(key: secret.bytes)
        let good = try seal(.pattern(40), context: context, with: &cipher)
        var bad = good
        bad[80] ^= 1
        for _ in 0..<3 {
            #expect(open(bad, context: context, with: &cipher).result.sealingError == .damaged)
            #expect(try open(good, context: context, with: &cipher).result.get() == .pattern(40))
        }
    }

    @Test("no two seals share a salt")
    func freshSalts() throws {
        var cipher = try MessageCipher(key: secret.bytes)
        let salts = try (0..<200).map { _ in
            Array(try seal([1], context: context, with: &cipher).prefix(ChunkLayout.saltByteCount))
        }
        #expect(Set(salts).count == 200)
    }

    @Test("buffers of a wrong size and keys of a wrong size are refused")
    func wrongSizes() throws {
        var cipher = try MessageCipher(key: secret.bytes)
        let message = try seal(.pattern(40), context: context, with: &cipher)
        var short = [UInt8](repeating: 0xEE, count: 39)
        #expect(throws: SealingError.invalidParameters("plaintext size")) {
            try message.withUnsafeBytes { message in
                try short.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in
                    _ = try cipher.open(message, context: context, into: buffer)
                }
            }
        }
        #expect(throws: SealingError.invalidParameters("message size")) {
            try message.withUnsafeBytes { message in
                try short.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in
                    try cipher.seal(message, context: context, into: buffer)
                }
            }
        }
        #expect(throws: SealingError.invalidParameters("input key size")) {
            _ = try MessageCipher(key: SecretBytes(random: 64))
        }
    }
}
