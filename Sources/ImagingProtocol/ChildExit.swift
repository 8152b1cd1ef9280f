/// How a child ends by itself, as exit codes.
package enum ChildExit {
    /// The daemon closed the line between two messages.
    package static let orderly: CInt = 0
    /// Memory ran out in a library that cannot say so. Computed, for signal handlers need it.
    package static var outOfMemory: CInt { 12 }
    /// The line broke or carried what the daemon does not say.
    package static let brokenLine: CInt = 65
    /// The libraries could not be started, or the cage could not be closed.
    package static let notReady: CInt = 69
}
