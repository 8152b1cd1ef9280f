import Synchronization

/// Bytes that came and went through the connections of all listeners of the process, as they are on the wire.
package final class TrafficTally: Sendable {
    private let received = Atomic<UInt64>(0)
    private let sent = Atomic<UInt64>(0)

    package var receivedByteCount: UInt64 { received.load(ordering: .relaxed) }
    package var sentByteCount: UInt64 { sent.load(ordering: .relaxed) }

    func noteReceived(_ byteCount: Int) { received.wrappingAdd(UInt64(byteCount), ordering: .relaxed) }
    func noteSent(_ byteCount: Int) { sent.wrappingAdd(UInt64(byteCount), ordering: .relaxed) }
}
