package import Content
package import Imaging
import ImagingProtocol
import Media
import Store
package import Synchronization
package import Threads

/// Looks into every photo of an open vault once, those that somebody is looking at first, then the newest, and keeps what
/// it says and how it looks. Ends with the vault, and goes on at its next opening.
///
/// It is beside the re-read (`Verifier`): a receipt never waits for a picture. What somebody waits for does not wait for
/// anything; all others wait for it, and for uploads to pause.
package final class PictureWorker: Sendable {
    fileprivate enum Lane { case awaited, patient, comparing }

    fileprivate struct LaneTask {
        let lane: Lane
        let task: Task<Void, Never>
    }

    package struct State {
        package weak var vault: OpenVault?
        /// The vault's name, also when it is gone.
        package var owner: [UInt8] = []
        package var requester = PictureRequester(key: [])
        package var queue = PictureQueue()
        fileprivate var tasks: [Int: LaneTask] = [:]
        fileprivate var nextTask = 0
        /// Happens when nobody works on what somebody waits for.
        fileprivate var calm: OneTimeEvent?
        var comparisons = ComparisonQueue()
        /// Happens when nothing is left to be compared.
        var compared: OneTimeEvent?
        /// Looks into photos that nobody had asked for when they began.
        package var patientLooks: [UInt64: Task<Void, any Error>] = [:]
        /// Grows whenever something may have come.
        var calls = 0
        package var sources: [ObjectIdentifier: PhotoSource] = [:]
        package var waiting: [UInt64: OneTimeEvent] = [:]
        package var isStopped = false
        /// Whether videos for which there was no player are tried: until one of them, or another one, shows that there
        /// is none still. So an opening tries one.
        package var playsVideos = true

        fileprivate func count(_ lane: Lane) -> Int { tasks.values.count { $0.lane == lane } }

        /// Nobody waits for pictures, nor for what is compared.
        fileprivate var isCalm: Bool { count(.awaited) == 0 && !isComparing }
        var isComparing: Bool { count(.comparing) > 0 }
    }

    /// After so many in a row that nobody could look into, the others wait too.
    private static let mostPostponed = 3

    package let engine: UploadEngine
    package let state = Mutex(State())

    package init(engine: UploadEngine) { self.engine = engine }

    /// For a vault whose library is there. Keeps no hold of it.
    package func start(_ vault: OpenVault) {
        state.withLock { state in
            state.vault = vault
            state.owner = vault.uid
            state.requester = PictureRequester(key: vault.holder.key, isGuest: vault.isGuest)
        }
        wake()
    }

    /// There may be something to look into.
    package func wake() {
        state.withLock { state in
            state.calls += 1
            state.queue.forgetPostponed()
            state.comparisons.forgetFailed()
        }
        startTasks()
    }

    func startTasks() {
        guard let making = engine.pictures else { return }
        state.withLock { state in
            guard !state.isStopped, state.vault != nil else { return }
            if state.queue.hasWish { begin(.awaited, making, &state) }
            if state.comparisons.hasWanted { begin(.comparing, making, &state) }
            begin(.patient, making, &state)
        }
    }

    private func begin(_ lane: Lane, _ making: PictureMaking, _ state: inout State) {
        while state.count(lane) < (lane == .comparing ? 1 : making.workerCount) {
            let number = state.nextTask
            state.nextTask += 1
            let task = Task(priority: lane == .patient ? .background : .medium) { [weak self] in
                guard let self else { return }
                switch lane {
                case .awaited: await fulfilWishes(number, making.maker)
                case .patient: await run(number, making.maker)
                case .comparing: await compareWanted(number, making.maker)
                }
            }
            state.tasks[number] = LaneTask(lane: lane, task: task)
        }
    }

    /// Somebody is looking at these photos, which have no pictures yet; in the order in which they are seen.
    package func wish(for serials: [UInt64]) {
        guard !serials.isEmpty else { return }
        let looks = state.withLock { state in
            state.queue.wish(for: serials)
            // Begun unasked, they may get no processor for long: they begin again.
            return serials.compactMap { state.patientLooks.removeValue(forKey: $0) }
        }
        for look in looks { look.cancel() }
        wake()
    }

    /// What a photo's row speaks of was not there, or did not open.
    package func wishAgain(for serial: UInt64) {
        state.withLock { $0.queue.wishAgain(for: serial) }
        wake()
    }

    /// Happens when somebody has looked into the photo, or nobody will for now. Nil when nobody does.
    package func event(for serial: UInt64) -> OneTimeEvent? {
        state.withLock { state in
            guard !state.isStopped, !state.tasks.isEmpty else { return nil }
            if let event = state.waiting[serial] { return event }
            let event = OneTimeEvent()
            state.waiting[serial] = event
            return event
        }
    }

    /// There is something to show of the photo: whoever waits for that looks again.
    func tell(of serial: UInt64) { state.withLock { $0.waiting.removeValue(forKey: serial) }?.happen() }

    /// Returns when there is nothing to look into at the moment.
    package func pause() async {
        while let task = state.withLock({ $0.tasks.values.first?.task }) { await task.value }
    }

    /// Its vault is gone: what it was reading is let go of at once, and with that the keys.
    package func stop() {
        let (owner, tasks, sources, waiting) = state.withLock { state in
            state.isStopped = true
            defer { (state.waiting, state.compared) = ([:], nil) }
            let waiting = state.waiting.values + [state.compared].compactMap(\.self)
            return (state.owner, state.tasks.values.map(\.task), state.sources.values, waiting)
        }
        for task in tasks { task.cancel() }
        for source in sources { source.letGo() }
        for event in waiting { event.happen() }
        engine.pictures?.maker.forget(owner)
    }

    // MARK: The lanes

    private func run(_ number: Int, _ maker: any PictureMaker) async {
        var pacing = RereadPacing(
            quiet: engine.limits.quietBeforeReread ?? .zero, patience: engine.limits.patienceBeforeReread)
        while let calls = isWanted(number, since: nil) {
            var postponed = 0
            while postponed < Self.mostPostponed {
                // What is newest is chosen when the wait is over.
                guard (try? await waitForTurn(&pacing)) != nil, let photo = try? await nextUnseen() else { break }
                postponed = await look(photo, maker, isAwaited: false) ? 0 : postponed + 1
            }
            if isWanted(number, since: calls) == nil { return }
        }
    }

    private func fulfilWishes(_ number: Int, _ maker: any PictureMaker) async {
        var postponed = 0
        while postponed < Self.mostPostponed, !Task.isCancelled, let photo = try? await nextWished(number) {
            postponed = await look(photo, maker, isAwaited: true) ? 0 : postponed + 1
        }
        leave(number)
    }

    /// Nil, and the task is over, when it was stopped or nothing came since.
    private func isWanted(_ number: Int, since calls: Int?) -> Int? {
        let (answer, events) = state.withLock { state -> (Int?, [OneTimeEvent]) in
            if !state.isStopped, !Task.isCancelled, calls != state.calls { return (state.calls, []) }
            return (nil, Self.leave(number, &state))
        }
        say(events)
        return answer
    }

    /// - Returns: what happens by that.
    private static func leave(_ number: Int, _ state: inout State) -> [OneTimeEvent] {
        state.tasks[number] = nil
        var events: [OneTimeEvent] = []
        if state.isCalm, let calm = state.calm {
            events.append(calm)
            state.calm = nil
        }
        if !state.isComparing, let compared = state.compared {
            events.append(compared)
            state.compared = nil
        }
        if state.tasks.isEmpty {
            events += state.waiting.values
            state.waiting = [:]
        }
        return events
    }

    func leave(_ number: Int) { say(state.withLock { Self.leave(number, &$0) }) }

    private func say(_ events: [OneTimeEvent]) {
        for event in events { event.happen() }
    }

    /// Until nobody waits for a picture of this vault, nor uploads.
    private func waitForTurn(_ pacing: inout RereadPacing) async throws {
        repeat {
            await calm()?.wait()
            try await engine.waitForTurn(&pacing)
        } while calm() != nil
    }

    private func calm() -> OneTimeEvent? {
        state.withLock { state in
            guard !state.isCalm else { return nil }
            let event = state.calm ?? OneTimeEvent()
            state.calm = event
            return event
        }
    }

    // MARK: Which photo

    package func vault() throws -> OpenVault {
        let vault = state.withLock { $0.isStopped ? nil : $0.vault }
        guard let vault, !vault.isReadOnly, !vault.hasMoved else { throw CancellationError() }
        return vault
    }

    /// Where what is made can be kept.
    private func library() throws -> Library {
        let vault = try vault()
        guard vault.store.previews.isOpen else { throw CancellationError() }
        return vault.library
    }

    /// Nil, and the task is over, when there is none: one that comes later begins another task.
    private func nextWished(_ number: Int) async throws -> LibraryPhoto? {
        let library = try library()
        while let wish = wishOrLeave(number) {
            let photo = try? await library.photo(serial: wish.serial)
            if let photo, photo.picture == nil || wish.isLost { return photo }
            end(wish.serial, .settled)
        }
        return nil
    }

    private func wishOrLeave(_ number: Int) -> (serial: UInt64, isLost: Bool)? {
        let (wish, events) = state.withLock { state in
            let wish = state.queue.beginWish()
            return (wish, wish == nil ? Self.leave(number, &state) : [])
        }
        say(events)
        return wish
    }

    /// Nil, and the task is over, when there is none.
    func pairOrLeave(_ number: Int) -> PhotoPair? {
        let (pair, events) = state.withLock { state in
            let pair = state.comparisons.next()
            return (pair, pair == nil ? Self.leave(number, &state) : [])
        }
        say(events)
        return pair
    }

    private func nextUnseen() async throws -> LibraryPhoto? {
        while true {
            let library = try library()
            let (excluded, playsVideos) = state.withLock { ($0.queue.excluded, $0.playsVideos) }
            let left = excluded.union(try vault().lostSerials)
            guard let photo = try await library.withoutPicture(except: left, playsVideos: playsVideos) else {
                return nil
            }
            guard state.withLock({ $0.queue.begin(photo.serial) }) else { continue }
            // Another lane may have looked into it meanwhile.
            if let photo = try? await library.photo(serial: photo.serial), photo.picture?.isWithoutPlayer ?? true {
                return photo
            }
            end(photo.serial, .settled)
        }
    }

    package func end(_ serial: UInt64, _ end: PictureQueue.End) {
        let event = state.withLock { state in
            state.queue.end(serial, end)
            // Whoever waits is told when it was looked into after all.
            return end == .displaced ? nil : state.waiting.removeValue(forKey: serial)
        }
        event?.happen()
        // It may be a wish by now.
        if end == .displaced { startTasks() }
    }
}
