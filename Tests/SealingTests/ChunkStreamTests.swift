import Testing

@testable import Sealing

@Suite("Messages sealed and opened chunk by chunk")
struct ChunkStreamTests {
    let secret: SharedSecret
    let context = SealingContext.original(preamble: .pattern(8), run: 0)

    init() throws {
        secret = SharedSecret(try SecretBytes(copying: .pattern(32)))
    }

    private func seal(_ plaintext: [UInt8]) throws -> [UInt8] {
        try sealInSegments(plaintext, sealer: ChunkSealer(key: secret.bytes, context: context))
    }

    @Test(
        "a stream has the size that the layout tells and opens as a whole message",
        arguments: [
            0, 1, 16_383, 16_384, 81_920, 100_000,
        ])
    func agreesWithWholeMessages(size: Int) throws {
        let message = try seal(.pattern(size))
        #expect(UInt64(message.count) == ChunkLayout.sealedByteCount(plaintext: UInt64(size)))
        var cipher = try MessageCipher(key: secret.bytes)
        #expect(try open(message, context: context, with: &cipher).result.get() == .pattern(size))
    }

    @Test("the size of the segments does not show in the message")
    func segmentsDoNotShow() throws {
        let salt = [UInt8].pattern(24)
        let messages = try (1...5).map { chunks in
            let sealer = try ChunkSealer(key: secret.bytes, context: context, salt: salt)
            return try sealInSegments(.pattern(90_000), sealer: sealer, chunksPerSegment: chunks)
        }
        #expect(Set(messages).count == 1)
    }

    @Test("chunks open in any order, and again")
    func randomAccess() throws {
        let plaintext = [UInt8].pattern(70_000)
        let message = try seal(plaintext)
        var opener = try opener(for: message, key: secret.bytes, context: context)
        for index in [3, 0, 4, 2, 2, 1] {
            let expected = plaintext[(index * 16_384)..<min((index + 1) * 16_384, plaintext.count)]
            let opened = openChunk(UInt64(index), of: message, isLast: index == 4, with: &opener)
            #expect(try opened.result.get() == Array(expected), "chunk \(index)")
        }
    }

    @Test("swapped chunks are refused, and the rest still opens")
    func swappedChunks() throws {
        var message = try seal(.pattern(50_000))
        let (first, second) = (Array(message[56..<16_456]), Array(message[16_456..<32_856]))
        message.replaceSubrange(56..<32_856, with: second + first)
        var opener = try opener(for: message, key: secret.bytes, context: context)
        for index: UInt64 in [0, 1] {
            let (result, chunk) = openChunk(index, of: message, isLast: false, with: &opener)
            #expect(result.sealingError == .damaged)
            #expect(chunk.allSatisfy { $0 == 0 })
        }
        #expect(openChunk(2, of: message, isLast: false, with: &opener).result.sealingError == nil)
    }

    @Test("every single flipped bit of a chunk is refused and leaves zeros")
    func everyBitFlip() throws {
        let message = try seal(.pattern(40))
        for bit in ChunkLayout.headerByteCount * 8..<message.count * 8 {
            var changed = message
            changed[bit / 8] ^= 1 << (bit % 8)
            var opener = try opener(for: changed, key: secret.bytes, context: context)
            let (result, chunk) = openChunk(0, of: changed, isLast: true, with: &opener)
            #expect(result.sealingError == .damaged, "bit \(bit)")
            #expect(chunk.allSatisfy { $0 == 0 }, "bit \(bit)")
        }
    }

    @Test("every truncation of a chunk is refused and leaves zeros")
    func everyTruncation() throws {
        let message = try seal(.pattern(40))
        var opener = try opener(for: message, key: secret.bytes, context: context)
        for count in ChunkLayout.headerByteCount..<message.count {
            let (result, chunk) = openChunk(0, of: Array(message[..<count]), isLast: true, with: &opener)
            #expect(result.sealingError == .damaged, "\(count) bytes")
            #expect(chunk.allSatisfy { $0 == 0 }, "\(count) bytes")
        }
    }

    @Test("a changed header, a wrong key or context, and a short header open nothing")
    func headers() throws {
        let message = try seal(.pattern(40))
        for byte in 0..<ChunkLayout.headerByteCount {
            var changed = message
            changed[byte] ^= 0x80
            #expect(throws: SealingError.wrongKey) { _ = try opener(for: changed, key: secret.bytes, context: context) }
        }
        let other = try SecretBytes(random: 32)
        #expect(throws: SealingError.wrongKey) { _ = try opener(for: message, key: other, context: context) }
        #expect(throws: SealingError.wrongKey) {
            _ = try opener(for: message, key: secret.bytes, context: .original(preamble: .pattern(8), run: 1))
        }
        #expect(throws: SealingError.damaged) {
            _ = try opener(for: Array(message[..<55]), key: secret.bytes, context: context)
        }
    }

    @Test("only the caller knows the end: a full chunk is not the last, a short one is, and both are checked")
    func endMarker() throws {
        let message = try seal(.pattern(20_000))
        var opener = try opener(for: message, key: secret.bytes, context: context)
        #expect(openChunk(0, of: message, isLast: true, with: &opener).result.sealingError == .damaged)
        #expect(openChunk(1, of: message, isLast: false, with: &opener).result.sealingError == .damaged)
        #expect(openChunk(1, of: message, isLast: true, with: &opener).result.sealingError == nil)
    }

    @Test("a chunk number beyond the limit is refused")
    func chunkLimit() throws {
        var message = try seal(.pattern(20_000))
        var opener = try opener(for: message, key: secret.bytes, context: context)
        let error = message.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in
            #expect(throws: SealingError.damaged) {
                let chunk = UnsafeMutableRawBufferPointer(rebasing: buffer[56..<16_456])
                _ = try opener.openChunk(chunk, index: 1 << 38, isLast: false)
            }
        }
        #expect(error != nil)
    }

    @Test("after its last chunk a sealer refuses every use")
    func finished() throws {
        var sealer = try ChunkSealer(key: secret.bytes, context: context)
        var room = [UInt8](repeating: 7, count: ChunkLayout.sealedChunkByteCount)
        let count = try room.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in
            try sealer.sealLastChunk(in: buffer, plaintextByteCount: 10)
        }
        #expect(count == 26)
        expectRefusal(of: &sealer)
    }

    @Test("after an error a sealer refuses every use", arguments: [-1, 1, 16_384])
    func stickyErrors(wrongCount: Int) throws {
        var sealer = try ChunkSealer(key: secret.bytes, context: context)
        var room = [UInt8](repeating: 7, count: 16)
        room.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in
            _ = #expect(throws: SealingError.invalidParameters("last chunk size")) {
                _ = try sealer.sealLastChunk(in: buffer, plaintextByteCount: wrongCount)
            }
        }
        expectRefusal(of: &sealer)
    }

    @Test("a segment that is no multiple of a sealed chunk ends the sealer")
    func unevenSegment() throws {
        var sealer = try ChunkSealer(key: secret.bytes, context: context)
        var room = [UInt8](repeating: 7, count: ChunkLayout.chunkByteCount)
        room.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in
            _ = #expect(throws: SealingError.invalidParameters("segment size")) {
                try sealer.sealFullChunks(in: buffer)
            }
        }
        expectRefusal(of: &sealer)
    }

    @Test("a chunk's nonce is the base XOR its number, right aligned and big-endian")
    func nonce() {
        let base = [UInt8](repeating: 0xFF, count: 12)
        let nonce = base.withUnsafeBytes { ChunkNonce($0) }
        let bytes = nonce.withBytes(ofChunk: 0x21_0000_0102) { Array($0) }
        #expect(bytes == [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xDE, 0xFF, 0xFF, 0xFE, 0xFD])
    }

    private func expectRefusal(of sealer: inout ChunkSealer) {
        var room = [UInt8](repeating: 7, count: ChunkLayout.sealedChunkByteCount)
        room.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in
            #expect(throws: SealingError.finished) { try sealer.sealFullChunks(in: buffer) }
            #expect(throws: SealingError.finished) { _ = try sealer.sealLastChunk(in: buffer, plaintextByteCount: 1) }
        }
        #expect(room.allSatisfy { $0 == 7 })
    }
}
