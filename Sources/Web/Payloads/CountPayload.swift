/// How many photos a request has changed.
struct CountPayload: Encodable {
    let count: Int
    /// True when sealed remains of photos that were deleted for good leave the disk later; else nil.
    var pending: Bool?
}
