import Glibc
package import ImagingProtocol

/// The child's end of the line to the daemon: a connected socket at descriptor 3, used by blocking calls. A line that
/// ends or carries nonsense ends the child, for there is nobody left to work for.
package struct ParentLine {
    package static let descriptor: CInt = 3

    package init() {}

    package func receive() -> DaemonMessage {
        do {
            let header = try Frame.header(readExactly(FrameKind.headerByteCount))
            return try DaemonMessage(Frame(kind: header.kind, payload: readExactly(header.count)))
        } catch {
            end(ChildExit.brokenLine)
        }
    }

    package func send(_ message: ChildMessage) {
        message.frame.encoded.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = write(Self.descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { end(ChildExit.brokenLine) }
            }
        }
    }

    private func readExactly(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let piece = Glibc.read(Self.descriptor, buffer.baseAddress?.advanced(by: filled), count - filled)
                if piece > 0 { filled += piece } else if piece == 0 || errno != EINTR { end(ChildExit.orderly) }
            }
        }
    }

    private func end(_ code: CInt) -> Never { _exit(code) }
}
