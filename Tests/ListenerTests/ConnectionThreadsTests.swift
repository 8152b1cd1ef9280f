import CLinux
import NIOCore
import NIOPosix
import Testing

@testable import Listener

@Suite("The threads of the connections")
struct ConnectionThreadsTests {
    @Test("are let in sooner than others", .enabled(if: linux_slice() > 0, "this kernel does not tell slices"))
    func prompt() async throws {
        ConnectionThreads.becomePrompt()
        for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
            #expect(try await loop.submit { linux_slice() }.get() == ConnectionThreads.slice)
        }
    }
}
