/// When a clock was found to have jumped, and to which day.
struct ClockDoubt: Equatable {
    /// In running time.
    let since: Duration
    /// Days since 1970, as the clock said then.
    let day: UInt32

    /// Whether the clock has only gone on from there. One that has jumped once more is another clock, and none of the
    /// time that the former one has run speaks for it.
    func isOf(today: UInt32, at now: Duration) -> Bool {
        let expected = Int64(day) + (now - since).components.seconds / 86_400
        return abs(Int64(today) - expected) <= Int64(Expiry.mostTrustedJump)
    }
}
