import Testing

@testable import Sealing

@Suite("Secrets in memory")
struct SecretBytesTests {
    @Test("the pages of a secret are locked, left out of dumps and wiped on fork", arguments: [32, 64, 65, 10_000])
    func flags(size: Int) throws {
        let secret = try SecretBytes(random: size)
        let flags = try secret.withUnsafeBytes { try KernelMemory.flags(ofMappingAt: UInt(bitPattern: $0.baseAddress)) }
        #expect(flags.isSuperset(of: ["lo", "dd", "wf"]), "flags \(flags.sorted())")
    }

    @Test("a wiped secret is gone from its place")
    func wiped() throws {
        let bytes = try randomBytes(64)
        let place = try address(of: SecretBytes(copying: bytes))
        // Slots stay mapped; another test may hold this one by now, but it holds something else.
        let left = try #require(UnsafeRawPointer(bitPattern: place))
        #expect(!UnsafeRawBufferPointer(start: left, count: 64).elementsEqual(bytes))
    }

    @Test("giving a block back wipes it")
    func release() throws {
        let block = try LockedMemory.allocate(byteCount: 64)
        let buffer = UnsafeMutableRawBufferPointer(start: block.start, count: 64)
        let bytes = try randomBytes(64)
        buffer.copyBytes(from: bytes)
        LockedMemory.release(block)
        #expect(!buffer.elementsEqual(bytes))
    }

    @Test("small secrets use their places again")
    func reuse() throws {
        var places: Set<UInt> = []
        for _ in 0..<10_000 { places.insert(try address(of: SecretBytes(random: 32))) }
        #expect(places.count < 5_000)
    }

    @Test("secrets that live at once do not share a place, and small ones share pages")
    func distinct() throws {
        var secrets: [SharedSecret] = []
        for number in 0..<256 { secrets.append(SharedSecret(try SecretBytes(copying: .pattern(64, seed: number)))) }
        let places = secrets.map { address(of: $0.bytes) }
        #expect(Set(places).count == 256)
        #expect(Set(places.map { $0 / 4_096 }).count < 64)
        for (number, secret) in secrets.enumerated() { #expect(secret.bytes.exposed() == .pattern(64, seed: number)) }
    }

    @Test("large secrets give their pages back")
    func largeOnes() throws {
        let before = try KernelMemory.lockedKiB()
        for _ in 0..<200 { _ = try SecretBytes(random: 100_000) }
        // 200 × 100 KiB would remain; other tests lock little.
        #expect(try KernelMemory.lockedKiB() < before + 10_000)
    }

    @Test("a fill that throws leaves no secret, and its error is the one that comes out")
    func throwingFill() throws {
        struct Refusal: Error {}
        #expect(throws: Refusal.self) { _ = try SecretBytes(count: 32) { _ in throw Refusal() } }
        #expect(throws: SealingError.invalidParameters("negative secret size")) { _ = try SecretBytes(random: -1) }
    }

    @Test("a duplicate is equal and independent; unequal bytes and lengths are told")
    func equality() throws {
        let secret = try SecretBytes(copying: .pattern(32))
        let duplicate = try secret.duplicate()
        let isEqual = secret.equals(duplicate)
        #expect(isEqual)
        #expect(address(of: secret) != address(of: duplicate))
        for byte in 0..<32 {
            var changed = [UInt8].pattern(32)
            changed[byte] ^= 1
            #expect(try !secret.equals(SecretBytes(copying: changed)))
        }
        #expect(try !secret.equals(SecretBytes(copying: .pattern(31))))
    }

    @Test("an empty secret is a secret")
    func empty() throws {
        let empty = try SecretBytes(copying: [])
        #expect(empty.count == 0)
        #expect(try empty.equals(empty.duplicate()))
    }

    @Test("random secrets differ")
    func random() throws {
        #expect(try !SecretBytes(random: 32).equals(SecretBytes(random: 32)))
        #expect(try randomBytes(32) != randomBytes(32))
        #expect(try randomBytes(0).isEmpty)
    }

    @Test("cleansing leaves zeros")
    func cleansing() {
        var bytes = [UInt8].pattern(100)
        bytes.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in cleanse(buffer) }
        #expect(bytes == [UInt8](repeating: 0, count: 100))
    }

    private func address(of secret: borrowing SecretBytes) -> UInt {
        secret.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }
}
