import Imaging
import ImagingProtocol
import Threads

/// Reads an archive of 7z from its first entry to its last, as the caged program tells it. Entries are packed together, so
/// that whoever wants the last one has all of them unpacked.
final class SevenZipReader: EntryReader {
    private let file: PositionedFile
    private let unpacking: Unpacking
    private var ordinal = -1
    /// Of all that was told, folders among it.
    private var toldCount = 0
    private var nameByteCount: UInt64 = 0
    private var present: ImportEntry?
    private var made: UInt64 = 0

    var consumedByteCount: UInt64 { unpacking.consumedByteCount }
    var totalByteCount: UInt64 { file.byteCount }

    /// - Throws: `ImportError.source`.
    convenience init(path: String, _ unpacker: Unpacker) throws {
        try self.init(PositionedFile(path: path), unpacker)
    }

    init(_ file: PositionedFile, _ unpacker: Unpacker) throws {
        self.file = file
        unpacking = Unpacking(file, unpacker)
        try unpacking.begin(.sevenZip, 0..<file.byteCount)
    }

    func next() throws -> ImportEntry? {
        (present, made) = (nil, 0)
        while let told = try unpacking.nextEntry() {
            toldCount += 1
            nameByteCount += UInt64(told.name.count)
            guard toldCount <= ArchiveLimits.mostEntries, nameByteCount <= ArchiveLimits.largestDirectory else {
                throw ImportError.source("has a directory that is too large")
            }
            guard told.kind != .folder else { continue }
            ordinal += 1
            present = entry(told)
            return present
        }
        return nil
    }

    private func entry(_ told: UnpackedEntry) -> ImportEntry {
        let (path, wrong) = EntryName.checked(EntryName.text(told.name))
        let reason: String? =
            switch told.kind {
            case .file, .folder: nil
            case .link: "it is a link"
            case .other: "it is no file"
            }
        return ImportEntry(
            ordinal: ordinal, path: path, byteCount: told.byteCount, modifiedAt: told.modifiedAt,
            refusal: wrong ?? reason)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard let present else { return 0 }
        if let refusal = present.refusal { throw ImportError.entry(refusal) }
        let count = try unpacking.read(into: buffer)
        made += UInt64(count)
        guard made <= present.byteCount else { throw ImportError.entry("it is larger than it says") }
        guard count > 0 || made == present.byteCount else { throw ImportError.entry("it is not as large as it says") }
        return count
    }
}

/// What the caged program makes of a range of a file, one range after the other. The program gets the bytes that it asks
/// for; what it says is checked, for a hostile archive may speak through it. Blocking; for one thread at a time.
final class Unpacking: ByteStream {
    /// A shorter question counts as one of so many bytes.
    private static let leastQuestion = 64 << 10
    private static let mostForNothing: UInt64 = 16 << 20

    private let file: PositionedFile
    private let unpacker: Unpacker
    private var child: UnpackingChild?
    /// Of the child, until it is replaced.
    private var jobCount = 0
    private var isUnderWay = false

    private var range: Range<UInt64> = 0..<0
    private var given: UInt64 = 0
    private var made: UInt64 = 0
    private var content: ArraySlice<UInt8> = []
    /// The entry whose turn it is, once the content of the one before came to its end.
    private var entry: UnpackedEntry?
    /// Whether the entry under way failed, which is told once.
    private var hasFailed = false
    /// Of what was given out, that since something came out.
    private var givenForNothing: UInt64 = 0

    /// Of the range, as much as was given out. What is asked for again counts once.
    var consumedByteCount: UInt64 { min(given, UInt64(range.count)) }

    init(_ file: PositionedFile, _ unpacker: Unpacker) {
        self.file = file
        self.unpacker = unpacker
    }

    deinit {
        guard let child else { return }
        Task { await child.end() }
    }

    /// Begins with another range, whatever is left of the one before.
    /// - Throws: `ImportError.source` where the program is missing.
    func begin(_ packing: Packing, _ range: Range<UInt64>, unpackedByteCount: UInt64? = nil) throws {
        if isUnderWay || jobCount == ImagingLimits.mostJobs { dropChild() }
        let child = try readyChild()
        (self.range, given, made, content, entry) = (range, 0, 0, [], nil)
        (givenForNothing, hasFailed) = (0, false)
        let job = UnpackingJob(
            packing: packing, byteCount: UInt64(range.count), unpackedByteCount: unpackedByteCount)
        try asking { () async throws(ImagingError) in try await child.send(.unpack(job)) }
        (isUnderWay, jobCount) = (true, jobCount + 1)
    }

    /// Content of a stream, or of the present entry.
    /// - Throws: `ImportError.entry` where this entry alone cannot be unpacked, `ImportError.source`.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while content.isEmpty {
            guard isUnderWay, entry == nil else { return 0 }
            try step()
        }
        let count = min(buffer.count, content.count)
        buffer.copyBytes(from: content.prefix(count))
        content = content.dropFirst(count)
        return count
    }

    /// The next entry of an archive, or nil at its end.
    /// - Throws: `ImportError.source`.
    func nextEntry() throws -> UnpackedEntry? {
        while entry == nil, isUnderWay {
            content = []
            do {
                try step()
            } catch ImportError.entry {
                // It is the entry before, whose content nobody wanted to its end.
            }
        }
        content = []
        return entry.take()
    }

    // MARK: The child

    private func readyChild() throws -> UnpackingChild {
        if let child { return child }
        let unpacker = unpacker
        guard let started = try? StartedWork.wait(for: { try await unpacker.start() }) else {
            throw ImportError.source(Self.missing(unpacker.executable))
        }
        (child, jobCount) = (started, 0)
        return started
    }

    private func dropChild() {
        guard let child = child.take() else { return }
        isUnderWay = false
        try? StartedWork.wait { await child.end() }
    }

    /// Until there is content, an entry, or the end.
    private func step() throws {
        guard let child else { return }
        while true {
            switch try asking({ () async throws(ImagingError) in try await child.receive() }) {
            case .read(let wanted):
                let bytes = try bytes(wanted)
                try asking { () async throws(ImagingError) in try await child.send(.bytes(bytes)) }
            case .content(let bytes):
                givenForNothing = 0
                made += UInt64(bytes.count)
                guard !ArchiveLimits.isBomb(produced: made, consumed: consumedByteCount) else {
                    dropChild()
                    throw ImportError.source(ArchiveLimits.bombReason)
                }
                content = bytes[...]
                return
            case .entry(let next):
                (entry, hasFailed, givenForNothing) = (next, false, 0)
                return
            case .unpacked:
                isUnderWay = false
                return
            case .unpackingFailure(let reason, isOfEntry: true) where !hasFailed:
                hasFailed = true
                throw ImportError.entry("it \(reason.words)")
            case .unpackingFailure(let reason, isOfEntry: false):
                isUnderWay = false
                throw ImportError.source(reason.words)
            case .unpackingFailure, .ready, .facts, .result, .failure: throw broken()
            }
        }
    }

    private func broken() -> ImportError {
        dropChild()
        return .source(Self.words(of: .unreadable(.brokenProtocol)))
    }

    private func bytes(_ wanted: ChildMessage.ByteRange) throws -> [UInt8] {
        let whole = UInt64(range.count)
        let count = wanted.offset < whole ? Int(min(UInt64(wanted.count), whole - wanted.offset)) : 0
        given += UInt64(count)
        givenForNothing += UInt64(max(count, Self.leastQuestion))
        // All of it, and its directory once more, is what somebody may read before anything comes out.
        guard givenForNothing <= 2 * whole + Self.mostForNothing else { throw broken() }
        guard count > 0 else { return [] }
        return try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = try file.read(
                at: range.lowerBound + wanted.offset, into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    private func asking<Value: Sendable>(
        _ ask: @escaping @Sendable () async throws(ImagingError) -> Value
    ) throws -> Value {
        do {
            return try StartedWork.wait(for: ask)
        } catch {
            // It is gone, and was waited for.
            (child, isUnderWay) = (nil, false)
            throw ImportError.source((error as? ImagingError).map(Self.words) ?? Self.lost)
        }
    }

    // MARK: Words

    /// Behind a path, or behind "it".
    private static func words(of error: ImagingError) -> String {
        switch error {
        case .unreadable(.tooMuchMemory): UnpackingFailure.tooMuchMemory.words
        case .unreadable(.tooSlow), .stalled: "takes too long to be unpacked here: \(UnpackingFailure.remedy)"
        case .unreadable: "ended the program that unpacks: it is damaged, or made to do harm"
        case .unavailable, .displaced, .source: lost
        }
    }

    private static let lost = "lost the program that unpacks: run the import again"

    private static func missing(_ executable: String) -> String {
        "cannot be unpacked, for \(executable) is missing or does not start: install Safelight whole, or unpack it with "
            + "another program and name the folder"
    }
}

extension UnpackingFailure {
    static let remedy = "unpack it with the program that made it, and name the folder"

    /// Behind a path, or behind "it".
    fileprivate var words: String {
        switch self {
        case .damaged: "is damaged, or its end is missing: fetch it once more"
        case .encrypted: "is encrypted: \(Self.remedy)"
        case .unsupported: "is packed in a way that is not known here: \(Self.remedy)"
        case .tooMuchMemory: "needs more memory to be unpacked than is given here: \(Self.remedy)"
        }
    }
}
