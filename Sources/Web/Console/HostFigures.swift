package import Vaults

/// The process, as the system sees it.
package struct ProcessFigures: Sendable, Equatable {
    package var id: Int32 = 0
    /// Seconds since 1970.
    package var startTime: Double = 0
    package var cpuSeconds: Double = 0
    package var residentByteCount: UInt64 = 0
    package var virtualByteCount: UInt64 = 0
    package var openFileCount = 0
    package var openFileLimit: UInt64 = 0

    package init() {}
}

/// Everything that the console shows, at one moment.
package struct HostFigures: Sendable, Equatable {
    package var version: String
    package var service = ServiceFigures()
    package var process = ProcessFigures()
    /// Answered requests by the first digit of their status.
    package var requests: [Int: UInt64] = [:]
    package var receivedByteCount: UInt64 = 0
    package var sentByteCount: UInt64 = 0
    /// Open connections from other devices, and from this host.
    package var strangerConnectionCount = 0
    package var hostConnectionCount = 0
    /// Connections since the start that ended for others to begin, and those for which there was no room.
    package var displacedConnectionCount: UInt64 = 0
    package var refusedConnectionCount: UInt64 = 0

    package init(version: String) {
        self.version = version
    }
}
