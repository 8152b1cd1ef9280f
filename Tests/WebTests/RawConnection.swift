import NIOCore
import NIOPosix
import NIOSSL

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

    enum Target {
        case tcp(host: String, port: Int)
        case tls(port: Int)
        case unix(path: String)
    }

    /// Sends the pieces to 127.0.0.1, one after another.
    /// - Returns: all that the host sends until it closes.
    @discardableResult
    static func exchange(port: Int, _ pieces: [String], ending: Ending = .waits) async throws -> String {
        try await exchange(.tcp(host: "127.0.0.1", port: port), pieces, ending: ending)
    }

    @discardableResult
    static func exchange(_ target: Target, _ pieces: [String], ending: Ending = .waits) async throws -> String {
        let channel = try await connect(target)
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

    /// Sends `first`, waits until the host has sent `mark` or closes, and then sends `second`.
    /// - Returns: all that the host sends until it closes.
    static func exchange(
        _ target: Target, _ first: String, until mark: String, _ second: String
    ) async throws -> String {
        try await connect(target).executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: first))
            var received = ""
            var isWaiting = true
            for try await bytes in inbound {
                received += String(buffer: bytes)
                guard isWaiting, received.contains(mark) else { continue }
                isWaiting = false
                try await outbound.write(ByteBuffer(string: second))
            }
            return received
        }
    }

    private static func connect(_ target: Target) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
        switch target {
        case .tcp(let host, let port):
            return try await bootstrap.connect(host: host, port: port) { prepare($0, nil) }
        case .unix(let path):
            return try await bootstrap.connect(unixDomainSocketPath: path) { prepare($0, nil) }
        case .tls(let port):
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.certificateVerification = .none
            let context = try NIOSSLContext(configuration: configuration)
            return try await bootstrap.connect(host: "127.0.0.1", port: port) { prepare($0, context) }
        }
    }

    private static func prepare(
        _ channel: any Channel, _ tls: NIOSSLContext?
    ) -> EventLoopFuture<NIOAsyncChannel<ByteBuffer, ByteBuffer>> {
        channel.eventLoop.makeCompletedFuture {
            if let tls {
                try channel.pipeline.syncOperations.addHandler(NIOSSLClientHandler(context: tls, serverHostname: nil))
            }
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }
}
