import NIOCore
import NIOPosix

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A TCP connection of plain bytes, for clients that do not behave.
struct RawConnection {
    enum Ending {
        /// Says nothing more and reads.
        case waits
        /// Ends its own direction in order (FIN).
        case finishes
        /// Tears the connection down (RST), and reads nothing.
        case resets
    }

    /// Sends the pieces, one after another.
    /// - Returns: all that the host sends until it closes.
    @discardableResult
    static func exchange(port: Int, _ pieces: [String], ending: Ending = .waits) async throws -> String {
        let channel = try await connect(port)
        return try await channel.executeThenClose { inbound, outbound in
            for piece in pieces {
                // The host may have closed already.
                do { try await outbound.write(ByteBuffer(string: piece)) } catch { break }
            }
            switch ending {
            case .waits: break
            case .finishes: outbound.finish()
            case .resets:
                // Closing a socket that does not linger sends RST.
                let options = channel.channel as? any SocketOptionProvider
                try await options?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
                try await channel.channel.close()
                return ""
            }
            var received = ""
            do {
                for try await bytes in inbound { received += String(buffer: bytes) }
            } catch {
                // A reset behind the answer.
            }
            return received
        }
    }

    private static func connect(_ port: Int) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: true))
                }
            }
    }
}
