import Records

/// How far a batch is; the receipt comes when it is done.
struct BatchPayload: Encodable {
    struct Line: Encodable {
        let name: String
        let size: UInt64
        let sha256: String
    }

    let id: String
    let total: Int
    let saved: Int
    let duplicates: Int
    let failed: Int
    let verified: Int
    let finished: Bool
    let done: Bool
    let receipt: [Line]?
    let upgrade: UpgradePayload?

    init(_ status: BatchStatus, upgrade: UpgradePayload?) {
        self.upgrade = upgrade
        id = status.id
        total = status.total
        saved = status.saved
        duplicates = status.duplicates
        failed = status.failed
        verified = status.verified
        finished = status.isFinished
        done = status.isDone
        receipt = status.receipt?.map {
            Line(name: $0.name, size: $0.byteCount, sha256: Hexadecimal.encode($0.sha256))
        }
    }
}
