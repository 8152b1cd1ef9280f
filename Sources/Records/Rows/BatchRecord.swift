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
