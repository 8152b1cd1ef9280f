import Testing

@testable import Sealing

@Suite("Cobblestone-256 against vectors that other programs made")
struct ChunkedEncryptionVectorTests {
    static let published = VectorFile.published("c2sp_chunked_encryption_aes_256_gcm_test.json")
    /// Those that are here.
    static let files = [VectorFile.own("chunked-encryption.json")] + (published.isThere ? [published] : [])

    @Test("all 35 published vectors are there", .enabled(if: published.isThere, "../shared/vectors is not here"))
    func count() throws {
        #expect(try Self.published.read(ChunkedEncryptionVector.self).count == 35)
    }

    @Test("a stream yields the valid prefix of every vector, and fails where the vector does", arguments: files)
    func streaming(file: VectorFile) throws {
        for vector in try file.read(ChunkedEncryptionVector.self) {
            let outcome = try stream(vector)
            let label: Comment = "\(vector.tcId) \(vector.comment)"
            #expect((outcome.error == nil) == (vector.result == "valid"), label)
            #expect(outcome.plaintext.count == vector.msgLength ?? 0, label)
            if let digest = vector.msgSha512 { #expect(try sha512(outcome.plaintext) == [UInt8](hex: digest), label) }
            #expect(outcome.failsInHeader == vector.flags.contains("HeaderFailure"), label)
        }
    }

    @Test(
        "opening at once gives the whole message of every valid vector and nothing of an invalid one", arguments: files)
    func wholeMessages(file: VectorFile) throws {
        for vector in try file.read(ChunkedEncryptionVector.self) {
            let label: Comment = "\(vector.tcId) \(vector.comment)"
            let key = try vector.inputKey()
            guard key.count == 32 else {
                #expect(throws: SealingError.invalidParameters("input key size"), label) {
                    _ = try MessageCipher(key: key)
                }
                continue
            }
            var cipher = try MessageCipher(key: key)
            let (result, output) = open(try vector.message(), context: try vector.context(), with: &cipher)
            if vector.result == "valid" {
                #expect(try sha512(result.get()) == [UInt8](hex: vector.msgSha512 ?? ""), label)
            } else {
                #expect(result.sealingError != nil, label)
                #expect(output.allSatisfy { $0 == 0 }, label)
            }
        }
    }

    @Test(
        "the final chunk alone opens where the vector says so, and nowhere else among the invalid ones",
        arguments: files)
    func finalChunk(file: VectorFile) throws {
        for vector in try file.read(ChunkedEncryptionVector.self) {
            let message = try vector.message()
            let key = try vector.inputKey()
            guard var opener = try? opener(for: message, key: key, context: vector.context()) else { continue }
            let last = UInt64((message.count - 56) / ChunkLayout.sealedChunkByteCount)
            let opened = openChunk(last, of: message, isLast: true, with: &opener).result.sealingError == nil
            #expect(opened == (vector.result == "valid" || vector.flags.contains("ValidFinalChunk")), "\(vector.tcId)")
        }
    }

    @Test("key and base nonce are those of the vectors", arguments: files)
    func keys(file: VectorFile) throws {
        for vector in try file.read(ChunkedEncryptionVector.self) where vector.aeadKey != nil {
            let salt = Array(try vector.message().prefix(ChunkLayout.saltByteCount))
            let keys = try ChunkKeys(inputKey: vector.inputKey(), salt: salt, context: vector.context())
            #expect(keys.withKey { Array($0) } == [UInt8](hex: vector.aeadKey ?? ""), "\(vector.tcId)")
            let nonce = keys.baseNonce.withBytes(ofChunk: 0) { Array($0) }
            #expect(nonce == [UInt8](hex: vector.baseNonce ?? ""), "\(vector.tcId)")
        }
    }

    @Test("sealing again under a vector's salt gives its bytes", arguments: files)
    func sealing(file: VectorFile) throws {
        for vector in try file.read(ChunkedEncryptionVector.self) where vector.result == "valid" {
            let message = try vector.message()
            let plaintext = try stream(vector).plaintext
            let sealer = try ChunkSealer(
                key: vector.inputKey(), context: vector.context(), salt: Array(message.prefix(24)))
            let again = try sealInSegments(plaintext, sealer: sealer, chunksPerSegment: 3)
            #expect(again == message, "\(vector.tcId) \(vector.comment)")
        }
    }

    /// What a reader gets that opens chunk after chunk until the first failure.
    private func stream(
        _ vector: ChunkedEncryptionVector
    ) throws -> (plaintext: [UInt8], error: (any Error)?, failsInHeader: Bool) {
        let message = try vector.message()
        let key = try vector.inputKey()
        var plaintext: [UInt8] = []
        var headerIsRead = false
        do {
            var opener = try opener(for: message, key: key, context: vector.context())
            headerIsRead = true
            var index: UInt64 = 0
            while true {
                let rest = message.count - sealedOffset(ofChunk: index)
                let isLast = rest < ChunkLayout.sealedChunkByteCount
                plaintext += try openChunk(index, of: message, isLast: isLast, with: &opener).result.get()
                if isLast { return (plaintext, nil, false) }
                index += 1
            }
        } catch {
            return (plaintext, error, !headerIsRead)
        }
    }
}
