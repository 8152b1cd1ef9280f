/// A batch's own row. Its members name it, not the other way round: so a photo joins with the commit that saves it.
struct BatchRecord: Equatable, Sendable {
    /// Days that a batch is kept.
    static let days: UInt32 = 7

    var id: BatchID
    /// Days since 1970; the last one on which it is kept.
    var expiresDay: UInt32
    var isFinished = false
    var unknown: [TaggedFields.Field] = []

    private enum Tag {
        static let id: UInt8 = 1
        static let expiresDay: UInt8 = 2
        static let isFinished: UInt8 = 3
        static let known: ClosedRange<UInt8> = 1...3
    }

    init(id: BatchID, expiresDay: UInt32) {
        self.id = id
        self.expiresDay = expiresDay
    }

    init(_ payload: [UInt8]) throws(VaultError) {
        let fields = try TaggedFields(payload)
        guard let id = fields.value(Tag.id).flatMap(BatchID.init(bytes:)), let day = fields.uint64(Tag.expiresDay)
        else { throw .damaged }
        self.id = id
        expiresDay = UInt32(clamping: day)
        isFinished = fields.value(Tag.isFinished) == [1]
        unknown = fields.fields.filter { !Tag.known.contains($0.tag) }
    }

    var encoded: [UInt8] {
        var fields = TaggedFields()
        fields.append(Tag.id, id.bytes)
        fields.append(Tag.expiresDay, UInt64(expiresDay))
        fields.append(Tag.isFinished, [isFinished ? 1 : 0])
        fields.fields += unknown
        return fields.encoded
    }
}
