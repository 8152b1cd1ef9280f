import Imaging
import ImagingProtocol
import Media
import Synchronization

@testable import Content

/// Makes "pictures" out of what the files begin with, and remembers in which order it was asked.
final class SampleMaker: PictureMaker {
    private struct State {
        var seen: [[UInt8]] = []
        var awaited: [[UInt8]] = []
        var isAvailable = true
        var playsVideos = true
        var readsEverything = false
        var isHeld = false
        var held: [CheckedContinuation<Void, Never>] = []
        var facts = MediaFacts()
        var compared: [(best: [UInt8], copy: [UInt8])] = []
        var difference = PictureDifference(thousandths: 0)
        var words: PictureWords?
        var read: [[UInt8]] = []
    }

    /// The first bytes of a JPEG, behind which tests write what they like.
    static let head: [UInt8] = [0xFF, 0xD8, 0xFF]

    private let state = Mutex(State())

    /// What came behind the head, in the order in which it was looked into.
    var seen: [[UInt8]] { state.withLock { $0.seen } }
    /// Those of them that somebody waited for.
    var awaited: [[UInt8]] { state.withLock { $0.awaited } }
    var facts: MediaFacts {
        get { state.withLock { $0.facts } }
        set { state.withLock { $0.facts = newValue } }
    }

    /// What came behind the heads of photos that were compared, in that order.
    var compared: [(best: [UInt8], copy: [UInt8])] { state.withLock { $0.compared } }
    /// What is said of all that are compared.
    var difference: PictureDifference {
        get { state.withLock { $0.difference } }
        set { state.withLock { $0.difference = newValue } }
    }

    /// What is written in every picture; nil as long as nobody looks.
    var words: PictureWords? {
        get { state.withLock { $0.words } }
        set { state.withLock { $0.words = newValue } }
    }

    /// The previews in which somebody has looked for words, in that order.
    var read: [[UInt8]] { state.withLock { $0.read } }

    var readsWords: Bool { words != nil }

    func words(
        in picture: [UInt8], as type: MediaType, of owner: [UInt8], for requester: PictureRequester
    ) async throws(ImagingError) -> PictureWords {
        await holdIfWanted()
        let (isAvailable, words) = state.withLock { state in
            state.read.append(picture)
            return (state.isAvailable, state.words)
        }
        guard isAvailable, let words else { throw .unavailable }
        return words
    }

    func setAvailable(_ isAvailable: Bool) { state.withLock { $0.isAvailable = isAvailable } }

    func setPlaysVideos(_ playsVideos: Bool) { state.withLock { $0.playsVideos = playsVideos } }

    /// As decoders do that know more.
    func readEverything() { state.withLock { $0.readsEverything = true } }

    /// Whoever looks from now on waits.
    func hold() { state.withLock { $0.isHeld = true } }

    func release() {
        let held = state.withLock { state in
            state.isHeld = false
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    func forget(_ owner: [UInt8]) {}

    func compare(
        _ copy: (source: any ImagingSource, type: MediaType), with best: (source: any ImagingSource, type: MediaType),
        of owner: [UInt8], for requester: PictureRequester
    ) async throws(ImagingError) -> PictureDifference {
        do {
            let first = try await best.source.read(at: 0, count: Int(best.source.byteCount))
            let second = try await copy.source.read(at: 0, count: Int(copy.source.byteCount))
            let (isAvailable, difference) = state.withLock { state in
                state.compared.append((Array(first.dropFirst(3)), Array(second.dropFirst(3))))
                return (state.isAvailable, state.difference)
            }
            guard isAvailable else { throw ImagingError.unavailable }
            await holdIfWanted()
            _ = try await copy.source.read(at: 0, count: 1)
            return difference
        } catch let error as ImagingError {
            throw error
        } catch {
            throw .source(error)
        }
    }

    private func holdIfWanted() async {
        await withCheckedContinuation { continuation in
            let goesOn = state.withLock { state in
                if state.isHeld { state.held.append(continuation) }
                return !state.isHeld
            }
            if goesOn { continuation.resume() }
        }
    }

    func look(
        into source: any ImagingSource, as type: MediaType, of owner: [UInt8], for requester: PictureRequester,
        isAwaited: Bool
    ) async throws(ImagingError) -> Examination {
        let content: [UInt8]
        do { content = try await source.read(at: 0, count: Int(source.byteCount)) } catch { throw .source(error) }
        let (isAvailable, facts) = state.withLock { state in
            state.seen.append(Array(content.dropFirst(3)))
            if isAwaited { state.awaited.append(Array(content.dropFirst(3))) }
            return (state.isAvailable, state.facts)
        }
        guard isAvailable else { throw .unavailable }
        await holdIfWanted()
        do { _ = try await source.read(at: 0, count: 1) } catch { throw .source(error) }
        let (playsVideos, readsEverything) = state.withLock { ($0.playsVideos, $0.readsEverything) }
        if type.isVideo, !playsVideos { return Examination(facts: facts, isWithoutPlayer: true) }
        if content.count > 3, content[3] == 0xEE, !readsEverything { throw .unreadable(.damaged) }
        if content.count > 3, content[3] == 0xED { return Examination(facts: facts, unreadable: .damaged) }
        let shown = type.isVideo ? Self.head : content
        let thumbnail = Rendition(bytes: shown + [1], type: .jpeg, width: 320, height: 240)
        let preview = Rendition(bytes: shown + [2], type: .jpeg, width: 2048, height: 1536)
        return Examination(facts: facts, thumbnail: thumbnail, preview: preview)
    }
}

func photoBytes(_ content: UInt8...) -> [UInt8] { SampleMaker.head + content }
