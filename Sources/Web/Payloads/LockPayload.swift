/// A session has ended.
struct LockPayload: Encodable {
    let upgrade: UpgradePayload?
}
