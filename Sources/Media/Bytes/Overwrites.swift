import Bytes

/// Places of a file where readers get other bytes than stand there. The file keeps its length.
///
/// Clean copies and what libraries get of odd files are files with such places. Zeros have no bytes of their own here: a run
/// of them takes as much memory whatever its length.
package struct Overwrites: Sendable {
    private struct Run {
        let place: UInt64
        let count: UInt64
        /// Empty for zeros.
        let bytes: [UInt8]

        var end: UInt64 { place + count }
    }

    /// 24 bytes each.
    private static let mostRuns = 65_536

    private var runs: [Run] = []
    private var isTooLong = false

    package init() {}

    /// Places where something else stands.
    package var count: Int { runs.count }

    mutating func put(_ bytes: [UInt8], at place: UInt64) {
        guard !bytes.isEmpty else { return }
        append(Run(place: place, count: UInt64(bytes.count), bytes: bytes))
    }

    mutating func clear(_ range: Range<UInt64>) {
        guard !range.isEmpty else { return }
        let count = range.upperBound - range.lowerBound
        if let last = runs.last, last.bytes.isEmpty, last.end == range.lowerBound {
            runs[runs.count - 1] = Run(place: last.place, count: last.count + count, bytes: [])
        } else {
            append(Run(place: range.lowerBound, count: count, bytes: []))
        }
    }

    private mutating func append(_ run: Run) {
        if runs.count < Self.mostRuns { runs.append(run) } else { isTooLong = true }
    }

    /// Puts the places in order, which `apply` takes for granted.
    /// - Returns: false where two of them overlap, or there were more than can be kept.
    mutating func order() -> Bool {
        runs.sort { $0.place < $1.place }
        return !isTooLong && zip(runs, runs.dropFirst()).allSatisfy { $0.end <= $1.place }
    }

    /// Changes what was read of the file from `offset` on.
    package func apply(to bytes: UnsafeMutableRawBufferPointer, at offset: UInt64) {
        let end = offset + UInt64(bytes.count)
        var index = first(endingBehind: offset)
        while index < runs.count, runs[index].place < end {
            let run = runs[index]
            let part = max(run.place, offset)..<min(run.end, end)
            let target = Int(part.lowerBound - offset)..<Int(part.upperBound - offset)
            if run.bytes.isEmpty {
                UnsafeMutableRawBufferPointer(rebasing: bytes[target]).initializeMemory(as: UInt8.self, repeating: 0)
            } else {
                let source = Int(part.lowerBound - run.place)..<Int(part.upperBound - run.place)
                UnsafeMutableRawBufferPointer(rebasing: bytes[target]).copyBytes(from: run.bytes[source])
            }
            index += 1
        }
    }

    /// What whoever reads gets of `bytes`, which stand in the file at `offset`.
    package func applied(to bytes: [UInt8], at offset: UInt64) -> [UInt8] {
        var bytes = bytes
        bytes.withUnsafeMutableBytes { apply(to: $0, at: offset) }
        return bytes
    }

    private func first(endingBehind offset: UInt64) -> Int {
        runs.indices.partitioningIndex { runs[$0].end > offset }
    }
}

/// Ranges of a file that a clean copy keeps among others that it does not.
struct KeptRanges {
    /// 16 bytes each, while a copy is prepared: of a film of two hours each of its pictures may lie between others.
    private static let mostRanges = 1 << 19

    private var ranges: [Range<UInt64>] = []

    /// - Throws: `noCleanCopy` for more than can be kept.
    mutating func insert(at place: UInt64, count: UInt64) throws(MediaError) {
        let (end, overflow) = place.addingReportingOverflow(count)
        guard !overflow else { throw .noCleanCopy }
        guard count > 0 else { return }
        if let last = ranges.last, last.upperBound == place {
            ranges[ranges.count - 1] = last.lowerBound..<end
            return
        }
        if ranges.count == Self.mostRanges {
            // What is of one track fills the gaps of another.
            ranges = merged
            guard ranges.count <= Self.mostRanges / 2 else { throw .noCleanCopy }
        }
        ranges.append(place..<end)
    }

    /// In order, none of which touches another.
    var merged: [Range<UInt64>] {
        var merged: [Range<UInt64>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound <= last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        return merged
    }
}
