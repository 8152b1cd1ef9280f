@testable import Sealing

/// A message sealed chunk by chunk, in segments of a few full chunks each.
func sealInSegments(_ plaintext: [UInt8], sealer: consuming ChunkSealer, chunksPerSegment: Int = 2) throws -> [UInt8] {
    var sealer = sealer
    var message = sealer.header
    var rest = plaintext[...]
    while rest.count >= ChunkLayout.chunkByteCount {
        let chunks = min(chunksPerSegment, rest.count / ChunkLayout.chunkByteCount)
        var segment: [UInt8] = []
        for _ in 0..<chunks {
            segment += rest.prefix(ChunkLayout.chunkByteCount) + [UInt8](repeating: 0xEE, count: 16)
            rest = rest.dropFirst(ChunkLayout.chunkByteCount)
        }
        try segment.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in
            try sealer.sealFullChunks(in: buffer)
        }
        message += segment
    }
    var last = Array(rest) + [UInt8](repeating: 0xEE, count: 16)
    let count = try last.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in
        try sealer.sealLastChunk(in: buffer, plaintextByteCount: rest.count)
    }
    return message + last.prefix(count)
}

/// Where a chunk begins in a message: full ones stand before it, and the header before those.
func sealedOffset(ofChunk index: UInt64) -> Int {
    ChunkLayout.headerByteCount + Int(index) * ChunkLayout.sealedChunkByteCount
}

/// Opens one chunk of a whole message at its place; `chunk` is what the buffer held afterwards, whatever the outcome.
func openChunk(
    _ index: UInt64, of message: [UInt8], isLast: Bool, with opener: inout ChunkOpener
) -> (result: Result<[UInt8], any Error>, chunk: [UInt8]) {
    let offset = min(sealedOffset(ofChunk: index), message.count)
    var chunk = Array(message[offset..<min(offset + ChunkLayout.sealedChunkByteCount, message.count)])
    let result = Result {
        try chunk.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in
            try opener.openChunk(buffer, index: index, isLast: isLast)
        }
    }
    return (result.map { Array(chunk.prefix($0)) }, chunk)
}

/// An opener for a whole message.
func opener(for message: [UInt8], key: borrowing SecretBytes, context: SealingContext) throws -> ChunkOpener {
    let header = Array(message.prefix(ChunkLayout.headerByteCount))
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: header.count, alignment: 1)
    defer { copy.deallocate() }
    copy.copyBytes(from: header)
    return try ChunkOpener(key: key, context: context, header: UnsafeRawBufferPointer(copy))
}

/// A message opened at once; `output` is what the buffer held afterwards, whatever the outcome.
func open(
    _ message: [UInt8], context: SealingContext, with cipher: inout MessageCipher
) -> (result: Result<[UInt8], any Error>, output: [UInt8]) {
    var output = [UInt8](repeating: 0xEE, count: message.count)
    let result = Result {
        try message.withUnsafeBytes { message in
            try output.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in
                try cipher.open(message, context: context, into: buffer)
            }
        }
    }
    return (result.map { Array(output.prefix($0)) }, output)
}

func seal(_ plaintext: [UInt8], context: SealingContext, with cipher: inout MessageCipher) throws -> [UInt8] {
    var message = [UInt8](repeating: 0xEE, count: MessageCipher.sealedByteCount(plaintext.count))
    try plaintext.withUnsafeBytes { plaintext in
        try message.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in
            try cipher.seal(plaintext, context: context, into: buffer)
        }
    }
    return message
}

extension Result where Failure == any Error {
    /// The error of this target, if that is the outcome.
    var sealingError: SealingError? {
        if case .failure(let error) = self { error as? SealingError } else { nil }
    }
}
