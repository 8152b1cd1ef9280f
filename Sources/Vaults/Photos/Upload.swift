package import NIOCore
import Sealing
import Store

/// One photo on its way in: bytes are copied once, into a segment, sealed there, and written, while the next segment
/// fills. Owned by its request's task. Memory is two segments, whatever the size. Dropping it leaves nothing on disk.
package final class Upload {
    private let session: Session
    private let engine: UploadEngine
    private let name: String
    private let declaredByteCount: UInt64?
    private let modifiedAt: UInt64?
    private let lane: SealingLane
    /// Bytes of disk that the vault may use, all its objects together.
    private let vaultByteLimit: UInt64
    private let ticket: UploadTicket
    /// The first thing that went wrong. It stays: what was received since is not whole.
    private var failure: VaultError?
    private var filling: SegmentBuffer
    private var sealing: Task<SegmentBuffer, any Error>?
    /// Bytes of the original so far.
    package private(set) var receivedByteCount: UInt64 = 0

    init(
        session: Session, engine: UploadEngine, name: String, declaredByteCount: UInt64?, modifiedAt: UInt64?,
        lane: SealingLane,
        vaultByteLimit: UInt64, ticket: UploadTicket
    ) {
        self.session = session
        self.engine = engine
        self.name = name
        self.declaredByteCount = declaredByteCount
        self.modifiedAt = modifiedAt
        self.lane = lane
        self.vaultByteLimit = vaultByteLimit
        self.ticket = ticket
        filling = engine.buffers.take()
    }

    /// Takes bytes in; waits while the disk is behind, which is what holds the sender back.
    /// - Throws: `fileTooLarge`, `vaultFull`, `lengthMismatch`, `sessionEnded` once the vault was locked, `diskFull`,
    ///   `degraded`; and
    ///   the same again from then on.
    package func append(_ bytes: ByteBuffer) async throws {
        try await sticking { try await take(bytes) }
    }

    /// Returns once the data, the directory entry and the row are on disk.
    package func finish() async throws -> Photo {
        try await sticking { try await complete() }
    }

    private func sticking<R>(_ step: () async throws -> R) async throws -> R {
        if let failure { throw failure }
        do {
            return try await step()
        } catch {
            let error = VaultError(error)
            failure = error
            throw error
        }
    }

    private func take(_ bytes: ByteBuffer) async throws {
        try session.touch()
        receivedByteCount += UInt64(bytes.readableBytes)
        guard receivedByteCount <= engine.limits.fileByteCount else {
            throw VaultError.fileTooLarge(limit: engine.limits.fileByteCount)
        }
        if let declaredByteCount, receivedByteCount > declaredByteCount { throw VaultError.lengthMismatch }
        guard receivedByteCount <= vaultByteLimit else { throw VaultError.vaultFull }
        var rest = bytes
        while rest.readableBytes > 0 {
            let taken = rest.withUnsafeReadableBytes { filling.append($0) }
            rest.moveReaderIndex(forwardBy: taken)
            if filling.isFull { try await flush() }
        }
    }

    private func complete() async throws -> Photo {
        if let declaredByteCount, receivedByteCount != declaredByteCount { throw VaultError.lengthMismatch }
        let padded = Padme.paddedByteCount(receivedByteCount)
        var padding = padded - receivedByteCount
        while padding > 0 {
            padding -= UInt64(filling.appendZeros(padding))
            if filling.isFull { try await flush() }
        }
        try await settle()
        let last = filling
        try await engine.run { [lane] in try lane.sealLast(last) }
        let vault = try session.requireVault()
        let record = try await commit(padded, to: vault)
        engine.buffers.giveBack(filling)
        return session.photo(record)
    }

    /// Throws the upload away; nothing of it is kept.
    package func abandon() async {
        _ = try? await sealing?.value
        sealing = nil
        lane.staged.discard()
    }

    private func commit(_ padded: UInt64, to vault: OpenVault) async throws -> PhotoRecord {
        var draft = PhotoRecord(
            serial: 0, object: .random(), byteCount: receivedByteCount,
            runs: [PhotoRecord.Run(plaintextByteCount: padded, salt: lane.salt)], name: name, type: lane.type,
            receivedAt: Milliseconds.now)
        draft.modifiedAt = modifiedAt
        draft.firstPartDigest = lane.firstPartDigest
        let record = draft
        return try await vault.change(staged: lane.staged) { [fileKey = lane.fileKey, vaultByteLimit] change in
            // Only here is it known what the uploads beside this one, and those without a declared length, have taken.
            let (total, overflow) = change.draft.head.storedByteCount.addingReportingOverflow(record.storedByteCount)
            guard !overflow, total <= vaultByteLimit else { throw VaultError.vaultFull }
            return try change.add(record, fileKey: fileKey)
        }
    }

    /// Hands the full segment to the pool and goes on with the other one.
    private func flush() async throws {
        let spare = try await settle()
        let full = filling
        sealing = Task { [engine, lane] in
            try await engine.run { try lane.seal(full) }
            return full
        }
        filling = spare ?? engine.buffers.take()
    }

    /// Waits for the segment that is being sealed, and gives its buffer back.
    @discardableResult
    private func settle() async throws -> SegmentBuffer? {
        guard let running = sealing else { return nil }
        sealing = nil
        return try await running.value
    }
}
