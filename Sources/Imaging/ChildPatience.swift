/// How long this side waits for a child, and by which clock.
struct ChildPatience: Sendable {
    let clock: any Clock<Duration>
    /// For what the child was asked.
    let patience: Duration
    /// For any sign of life meanwhile.
    let stallTime: Duration

    /// Runs `body`; kills the child when it takes too long, stands still or the task is cancelled, which ends `body`.
    func wait<Value: Sendable>(
        for child: ChildProcess, _ body: @escaping @Sendable () async -> Value
    ) async -> Value {
        let usedBefore = child.usedProcessor
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do { try await clock.sleep(for: patience) } catch { return }
                child.kill(because: .patience(usedProcessor: child.usedProcessor - usedBefore))
            }
            group.addTask { await endStalled(child) }
            let value = await withTaskCancellationHandler {
                await body()
            } onCancel: {
                child.kill(because: .noLongerWanted)
            }
            group.cancelAll()
            return value
        }
    }

    /// A library may wait for ever for a thread that could not be made.
    private func endStalled(_ child: ChildProcess) async {
        var before: ChildProcess.Signs?
        while (try? await clock.sleep(for: stallTime)) != nil {
            let signs = child.signs
            if signs.awaitedMessage != nil, signs == before {
                return child.kill(because: .patience(usedProcessor: .zero))
            }
            before = signs
        }
    }
}
