import ImagingProtocol
import Logging
import Media

extension PictureStudio {
    /// An idle child that has seen nobody else's files, or a new one. What nobody waits for may be ended from now on.
    func worker(
        for kind: Worker.Kind, _ request: PictureRequest, in slot: Int
    ) async throws(ImagingError) -> Worker {
        var limits = configuration.limits(of: kind)
        limits.isIdle = limits.isIdle && !request.isAwaited
        if let worker = workers.takeIdle(kind, of: request.owner, isIdle: limits.isIdle) {
            workers.begin(worker, in: slot)
            return worker
        }
        if let other = workers.takeIdle(kind) { await retire(other) }
        guard !Task.isCancelled, !workers.isClosed else { throw .unavailable }
        guard let executable = executable(kind) else { throw missing(kind, "no executable is configured") }
        let child: ChildProcess
        do {
            child = try await ChildProcess.start(executable)
        } catch {
            // Whoever is not wanted any more says nothing of the program.
            guard !Task.isCancelled else { throw .unavailable }
            throw missing(kind, "\(error)")
        }
        let worker = workers.add(child, kind, for: request.owner, isIdle: limits.isIdle)
        workers.begin(worker, in: slot)
        // Who came while the process was being started found nobody to take the place of.
        if slots.isDisplaced(slot) { workers.displace(in: slot) }
        let prepared = limits
        guard await patience.wait(for: child, { await worker.prepare(prepared) }) else {
            let end = await retire(worker)
            if case .killed = end { throw end.verdict(limits: limits) }
            throw missing(kind, "it ended before it was ready: \(end)")
        }
        workers.noteFound(kind)
        return worker
    }

    private func executable(_ kind: Worker.Kind) -> String? {
        switch kind {
        case .pictures: configuration.pictureExecutable
        case .videos: configuration.videoExecutable
        case .words: configuration.wordExecutable
        }
    }

    /// Said once, and again when it was there in between.
    private func missing(_ kind: Worker.Kind, _ reason: String) -> ImagingError {
        if workers.noteMissing(kind) {
            logger.warning("\(kind.complaint)", metadata: ["reason": "\(reason)"])
        }
        return .unavailable
    }

    /// One job; afterwards the worker waits for the next one or is gone.
    func attempt(
        _ source: some ImagingSource, _ job: DaemonMessage.Job, by worker: Worker
    ) async throws(ImagingError) -> JobResult {
        switch await patience.wait(for: worker.child, { await worker.look(into: source, job) }) {
        case .result(let result):
            await keep(worker, after: result.unreadable)
            return result
        case .failure(let reason):
            await keep(worker, after: reason)
            throw .unreadable(reason)
        case .source(let error):
            worker.child.kill(because: .noLongerWanted)
            _ = await retire(worker)
            throw Task.isCancelled ? .unavailable : .source(error)
        case .lost(let fault, let facts):
            let verdict = await verdict(on: worker, after: fault)
            guard case .unreadable(let reason) = verdict, let facts else { throw verdict }
            return JobResult(facts: facts, unreadable: reason)
        }
    }

    /// Why a file was not looked into whose child is gone or must go.
    private func verdict(on worker: Worker, after fault: FrameError?) async -> ImagingError {
        if fault != nil { worker.child.kill(because: .noLongerWanted) }
        let end = await retire(worker)
        if fault != nil, !Task.isCancelled, !workers.isClosed { return .unreadable(.brokenProtocol) }
        return end.verdict(limits: configuration.limits)
    }

    private func keep(_ worker: Worker, after reason: UnreadableReason?) async {
        var worker = worker
        worker.jobCount += 1
        // A child that ran out of memory has lost pieces of it for good.
        let isWorn = worker.jobCount >= configuration.picturesPerWorker || reason == .tooMuchMemory
        guard !isWorn, !workers.isClosed, !worker.child.isKilled else {
            _ = await retire(worker)
            return
        }
        let (clock, idleTime, number) = (clock, configuration.idleTime, worker.number)
        let timer = Task {
            do { try await clock.sleep(for: idleTime) } catch { return }
            await self.endIdle(number)
        }
        workers.putIdle(worker, timer)
    }

    func endIdle(of owner: [UInt8]) async {
        while let worker = workers.takeIdle(of: owner) { await retire(worker) }
    }

    private func endIdle(_ number: Int) async {
        guard let worker = workers.takeIdle(number: number) else { return }
        _ = await retire(worker)
    }

    /// Ends the child and waits until nothing is left of it.
    @discardableResult
    func retire(_ worker: Worker) async -> ChildEnd {
        let end = await worker.child.end()
        workers.remove(worker)
        return end
    }

    private var patience: ChildPatience {
        ChildPatience(clock: clock, patience: configuration.patience, stallTime: configuration.stallTime)
    }
}
