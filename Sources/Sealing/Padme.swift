/// Padmé (Nikitin and others, "Reducing Metadata Leakage from Encrypted Files and Communication with PURBs", 2019):
/// sizes are rounded up so that only the order of magnitude and a few more bits are visible, for about 1 % of space.
package enum Padme {
    /// The size to pad to; never smaller than `count`, at most 12 % larger.
    package static func paddedByteCount(_ count: UInt64) -> UInt64 {
        guard count > 1 else { return count }
        let exponent = floorLog2(count)
        let keptBits = floorLog2(UInt64(exponent)) + 1
        let mask = (UInt64(1) << UInt64(exponent - keptBits)) - 1
        let (sum, overflow) = count.addingReportingOverflow(mask)
        return overflow ? .max : sum & ~mask
    }

    private static func floorLog2(_ value: UInt64) -> Int {
        UInt64.bitWidth - 1 - value.leadingZeroBitCount
    }
}
