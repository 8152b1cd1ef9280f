// Sizes that others announce are added and multiplied without a trap: what is too large stays too large.

package func clampedSum(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let (sum, overflow) = one.addingReportingOverflow(other)
    return overflow ? .max : sum
}

package func clampedProduct(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let (product, overflow) = one.multipliedReportingOverflow(by: other)
    return overflow ? .max : product
}
