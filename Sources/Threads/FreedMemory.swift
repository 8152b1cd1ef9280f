import CLinux

/// What was freed and is still kept for the next who needs memory.
package enum FreedMemory {
    private static let largeBlock: Int32 = 1 << 20

    /// Has each large block go back to the system when it is freed, from now on: what one request took for a moment is not
    /// kept from others. To be called before there are other threads.
    package static func keepNoLargeBlocks() { linux_map_blocks_from(largeBlock) }

    /// Gives it back to the system. Blocking, for some milliseconds.
    package static func giveBack() { linux_trim_heaps() }
}
