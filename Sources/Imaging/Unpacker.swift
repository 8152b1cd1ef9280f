package import ImagingProtocol
import Synchronization

/// The program that unpacks archives in its cage, and how long one waits for it.
package struct Unpacker: Sendable {
    /// Its path.
    package let executable: String
    fileprivate let limits: ImagingLimits
    fileprivate let patience: ChildPatience

    /// - Parameters:
    ///   - patience: for one piece of what comes out.
    ///   - stallTime: for any sign of life.
    package init(
        executable: String, limits: ImagingLimits = ImagingLimits(isIdle: false), patience: Duration = .seconds(300),
        stallTime: Duration = .seconds(30), clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.executable = executable
        self.limits = limits
        self.patience = ChildPatience(clock: clock, patience: patience, stallTime: stallTime)
    }

    /// - Throws: `unavailable` where it is missing, or its cage does not close.
    package func start() async throws(ImagingError) -> UnpackingChild {
        guard let process = try? await ChildProcess.start(executable) else { throw .unavailable }
        let child = UnpackingChild(process: process, unpacker: self)
        do throws(ImagingError) {
            try await child.send(.limits(limits))
            guard try await child.receive() == .ready else { throw .unavailable }
            return child
        } catch {
            await child.end()
            throw .unavailable
        }
    }
}

/// One running child that unpacks. It asks for ranges of what it is given, and tells entries and bytes, of which nothing is
/// believed. For one caller at a time, who has to `end` it.
package final class UnpackingChild: Sendable {
    private let process: ChildProcess
    private let unpacker: Unpacker
    private let hasEnded = Mutex(false)

    fileprivate init(process: ChildProcess, unpacker: Unpacker) {
        self.process = process
        self.unpacker = unpacker
    }

    /// - Throws: what its end says of what was being unpacked.
    package func send(_ message: DaemonMessage) async throws(ImagingError) {
        let process = process
        let isSent = await unpacker.patience.wait(for: process) { (try? await process.line.send(message)) != nil }
        if !isSent { throw await verdict(after: nil) }
    }

    /// Its next message.
    /// - Throws: what its end says of what was being unpacked.
    package func receive() async throws(ImagingError) -> ChildMessage {
        let process = process
        let result = await unpacker.patience.wait(for: process) { () -> Result<ChildMessage, ChildLine.Broken> in
            do throws(ChildLine.Broken) {
                return .success(try await process.line.receive())
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let message): return message
        case .failure(let broken): throw await verdict(after: broken.fault)
        }
    }

    private func verdict(after fault: FrameError?) async -> ImagingError {
        if fault != nil { process.kill(because: .noLongerWanted) }
        let end = await finish()
        return fault != nil ? .unreadable(.brokenProtocol) : end?.verdict(limits: unpacker.limits) ?? .unavailable
    }

    /// Makes sure that nothing is left of it.
    package func end() async { _ = await finish() }

    private func finish() async -> ChildEnd? {
        let isFirst = hasEnded.withLock { hasEnded in
            defer { hasEnded = true }
            return !hasEnded
        }
        return isFirst ? await process.end() : nil
    }
}
