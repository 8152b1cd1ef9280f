import Sealing

/// The cipher over a photo's segments and over rows, on one core.
enum SealingBenchmarks {
    private static let segmentCount = 64
    private static let chunkCount = 32
    private static let segmentByteCount = chunkCount * ChunkLayout.sealedChunkByteCount
    private static let plaintextByteCount = segmentCount * chunkCount * ChunkLayout.chunkByteCount
    private static let repetitions = 15
    private static let rowCount = 20_000
    private static let context = SealingContext.original(preamble: [0, 0, 0, 0, 0, 0, 0, 0], run: 0)

    /// Segments of 512 KiB, sealed where they lie, as an upload does it.
    static func seal() throws {
        let key = try SecretBytes(random: 32)
        try withMemory(segmentByteCount) { segment in
            let samples = try Samples(repetitions) { measure in
                var sealer = try ChunkSealer(key: key, context: context)
                return try measure { for _ in 0..<segmentCount { try sealer.sealFullChunks(in: segment) } }
            }
            samples.print("seal segments of 512 KiB", byteCount: plaintextByteCount)
        }
    }

    /// The chunks of those segments, opened where they lie, as a download does it.
    static func open() throws {
        let key = try SecretBytes(random: 32)
        try withMemory(segmentCount * segmentByteCount) { message in
            let samples = try Samples(repetitions) { measure in
                var sealer = try ChunkSealer(key: key, context: context)
                try sealer.sealFullChunks(in: message)
                let header = sealer.header
                return try header.withUnsafeBytes { header in
                    var opener = try ChunkOpener(key: key, context: context, header: header)
                    return try measure { try open(message, with: &opener) }
                }
            }
            samples.print("open chunks of 16 KiB", byteCount: plaintextByteCount)
        }
    }

    private static func open(_ message: UnsafeMutableRawBufferPointer, with opener: inout ChunkOpener) throws {
        let size = ChunkLayout.sealedChunkByteCount
        for chunk in 0..<segmentCount * chunkCount {
            let sealed = UnsafeMutableRawBufferPointer(rebasing: message[chunk * size..<(chunk + 1) * size])
            _ = try opener.openChunk(sealed, index: UInt64(chunk), isLast: false)
        }
    }

    /// A row's 440 bytes, each under a salt of its own.
    static func row() throws {
        var cipher = try MessageCipher(key: try SecretBytes(random: 32))
        let piece = [UInt8](repeating: 7, count: 440)
        let id = [UInt8](repeating: 9, count: 16)
        var message = [UInt8](repeating: 0, count: MessageCipher.sealedByteCount(piece.count))
        var opened = piece
        let sealing = try Samples(repetitions) { measure in
            try piece.withUnsafeBytes { piece in
                try message.withUnsafeMutableBytes { (message: UnsafeMutableRawBufferPointer) in
                    try measure {
                        for _ in 0..<rowCount { try cipher.seal(piece, context: .row(id), into: message) }
                    }
                }
            }
        }
        sealing.print("seal a row", each: rowCount)
        let opening = try Samples(repetitions) { measure in
            try message.withUnsafeBytes { message in
                try opened.withUnsafeMutableBytes { (opened: UnsafeMutableRawBufferPointer) in
                    try measure {
                        for _ in 0..<rowCount { _ = try cipher.open(message, context: .row(id), into: opened) }
                    }
                }
            }
        }
        opening.print("open a row", each: rowCount)
    }

    /// SHA-256, for comparison: it is slower than the cipher where the processor has no instructions for it.
    static func digest() throws {
        try withMemory(segmentByteCount) { segment in
            let samples = try Samples(repetitions) { measure in
                var hasher = try SHA256Hasher()
                return try measure {
                    for _ in 0..<segmentCount { try hasher.update(UnsafeRawBufferPointer(segment)) }
                }
            }
            samples.print("SHA-256", byteCount: segmentCount * segment.count)
        }
    }

    private static func withMemory(
        _ byteCount: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Void
    ) throws {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 4096)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 1)
        try body(memory)
    }
}
