import Testing

@testable import Sealing

@Suite("Messages that only whoever has a door's seed opens")
struct DoorSealTests {
    private func opens(_ message: [UInt8], _ seed: borrowing SecretBytes, _ context: [UInt8]) throws -> Bool {
        guard let opened = try DoorSeal.open(message, seed: seed, context: context) else { return false }
        return opened.count > 0
    }

    private func gives(
        _ plaintext: borrowing SecretBytes, _ message: [UInt8], _ seed: borrowing SecretBytes, _ context: [UInt8]
    ) throws -> Bool {
        guard let opened = try DoorSeal.open(message, seed: seed, context: context) else { return false }
        return opened.equals(plaintext)
    }

    @Test("a message opens under the seed of its key pair and together with what it belongs to, and not otherwise")
    func opening() throws {
        let seed = try SecretBytes(random: 32)
        let key = try DoorSeal.publicKey(ofSeed: seed)
        #expect(key.count == DoorSeal.publicKeyByteCount)
        let plaintext = try SecretBytes(random: 256)
        let message = try DoorSeal.seal(plaintext, to: key, context: [1, 2])
        #expect(message.count == DoorSeal.sealedByteCount(256))
        #expect(try gives(plaintext, message, seed, [1, 2]))
        #expect(try !opens(message, seed, [1, 3]))
        #expect(try !opens(message, try SecretBytes(random: 32), [1, 2]))
        for place in [0, 1119, 1120, message.count - 1] {
            var changed = message
            changed[place] ^= 1
            #expect(try !opens(changed, seed, [1, 2]))
        }
        #expect(try !opens([UInt8](repeating: 7, count: message.count), seed, []))
        #expect(try !opens([1], seed, []))
    }

    @Test("two messages of the same content have nothing in common")
    func sealing() throws {
        let key = try DoorSeal.publicKey(ofSeed: try SecretBytes(random: 32))
        let plaintext = try SecretBytes(copying: [UInt8](repeating: 0, count: 256))
        let (one, other) = (
            try DoorSeal.seal(plaintext, to: key, context: []), try DoorSeal.seal(plaintext, to: key, context: [])
        )
        #expect(zip(one, other).count { $0 == $1 } < 64)
    }

    struct Vector: Decodable {
        let seed: String
        let publicKey: String
        let context: String
        let plaintext: String
        let message: String
    }

    @Test("a message that an earlier version sealed, by another library, opens, and its key pair is the same")
    func earlier() throws {
        for vector in try VectorFile.own("door-seal.json").read(Vector.self) {
            let seed = try SecretBytes(copying: try #require([UInt8](hex: vector.seed)))
            #expect(try DoorSeal.publicKey(ofSeed: seed) == [UInt8](hex: vector.publicKey))
            let message = try #require([UInt8](hex: vector.message))
            let plaintext = try SecretBytes(copying: try #require([UInt8](hex: vector.plaintext)))
            #expect(try gives(plaintext, message, seed, try #require([UInt8](hex: vector.context))))
        }
    }

    @Test("a key that is none, or of another size, is refused")
    func wrongKey() throws {
        let plaintext = try SecretBytes(random: 8)
        for key in [[], [1], [UInt8](repeating: 0xFF, count: DoorSeal.publicKeyByteCount)] as [[UInt8]] {
            #expect(throws: SealingError.self) { try DoorSeal.seal(plaintext, to: key, context: []) }
        }
        #expect(throws: SealingError.self) { try DoorSeal.publicKey(ofSeed: try SecretBytes(random: 31)) }
    }
}
