/// A batch's own row. Its members name it, not the other way round: so a photo joins with the commit that saves it.
package struct BatchRecord: Equatable, Sendable {
    /// Days that a batch is kept.
    package static let days: UInt32 = 7

    package var id: BatchID
    /// Days since 1970; the last one on which it is kept.
    package var expiresDay: UInt32
    package var isFinished = false
    package var unknown: [TaggedFields.Field] = []

    private enum Tag {
        static let id: UInt8 = 1
        static let expiresDay: UInt8 = 2
        static let isFinished: UInt8 = 3
        static let known: ClosedRange<UInt8> = 1...3
    }

    package init(id: BatchID, expiresDay: UInt32) {
        self.id = id
        self.expiresDay = expiresDay
    }

    package init(_ payload: [UInt8]) throws(VaultError) {
        let fields = try TaggedFields(payload)
        guard let id = fields.value(Tag.id).flatMap(BatchID.init(bytes:)), let day = fields.uint64(Tag.expiresDay)
        else { throw .damaged }
        self.id = id
        expiresDay = UInt32(clamping: day)
        isFinished = fields.value(Tag.isFinished) == [1]
        unknown = fields.fields.filter { !Tag.known.contains($0.tag) }
    }

    package var encoded: [UInt8] {
        var fields = TaggedFields()
        fields.append(Tag.id, id.bytes)
        fields.append(Tag.expiresDay, UInt64(expiresDay))
        fields.append(Tag.isFinished, [isFinished ? 1 : 0])
        fields.fields += unknown
        return fields.encoded
    }
}

/// How far a batch of uploads is.
package struct BatchStatus: Sendable {
    /// 22 characters of base64url.
    package var id: String
    /// Uploads that named the batch: saved, duplicates and failed ones, and those under way.
    package var total: Int
    /// Photos that came with it.
    package var saved: Int
    /// Uploads whose content was there before.
    package var duplicates: Int
    /// Photos whose bytes fail their verification, and, once the batch was declared finished, uploads that are not.
    package var failed: Int
    /// Photos, duplicates too, that were read back from disk whole.
    package var verified: Int
    /// The client has declared that nothing more comes.
    package var isFinished: Bool
    /// Finished, and all that was saved has been read back or has failed.
    package var isDone: Bool

    package var movingIn = MovingIn()

    /// What came with it beside photos, and where photos went by that.
    package struct MovingIn: Sendable, Equatable {
        /// Sidecars of which a photo has come, and those that wait for theirs.
        package var joined = 0
        package var waiting = 0
        /// Of those that found a photo: they say more than is kept.
        package var partial = 0
        /// What is neither picture nor video and was kept as it is.
        package var files = 0
        package var albums = 0
        /// Photos that lie in "Recently deleted".
        package var trashed = 0
        /// Whether all that came has been matched.
        package var isSettled = true

        package init() {}
    }

    package init(
        id: String, total: Int, saved: Int, duplicates: Int, failed: Int, verified: Int, isFinished: Bool, isDone: Bool
    ) {
        self.id = id
        self.total = total
        self.saved = saved
        self.duplicates = duplicates
        self.failed = failed
        self.verified = verified
        self.isFinished = isFinished
        self.isDone = isDone
    }

    /// Done with something to show for it, and nothing of it is still on its way: whoever waits for it has finished.
    package var hasEndedWell: Bool { isDone && saved > 0 && failed == 0 && total == saved + duplicates }
}

/// One verified photo of a batch.
package struct ReceiptLine: Equatable, Sendable {
    package var name: String
    package var byteCount: UInt64
    /// 32 bytes, of what was read back from disk.
    package var sha256: [UInt8]

    package init(name: String, byteCount: UInt64, sha256: [UInt8]) {
        self.name = name
        self.byteCount = byteCount
        self.sha256 = sha256
    }
}
