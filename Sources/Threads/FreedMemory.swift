import CLinux

/// What was freed and is still kept for the next who needs memory.
package enum FreedMemory {
    /// Gives it back to the system. Blocking, for some milliseconds.
    package static func giveBack() { linux_trim_heaps() }
}
