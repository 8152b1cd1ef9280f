import CAllocations
import ImagingProtocol

/// Memory that could not be had while a file was looked into.
package enum MemoryRefusal {
    /// Whether there was any since the job began.
    package static var wasMet: Bool { allocations_were_refused() }
}

extension ChildMessage {
    /// The same, told of a file in whose job memory could not be had: what looks like damage then, or like a format that
    /// nobody knows, says nothing of the file. A whole picture is one all the same.
    var afterRefusedMemory: ChildMessage {
        switch self {
        case .failure(let reason): .failure(reason.afterRefusedMemory)
        case .result(let result) where !result.hasWholePicture:
            .result(
                JobResult(
                    facts: result.facts, unreadable: result.unreadable?.afterRefusedMemory ?? .tooMuchMemory))
        case .unpackingFailure(_, let isOfEntry): .unpackingFailure(.tooMuchMemory, isOfEntry: isOfEntry)
        case .result, .ready, .read, .facts, .entry, .content, .unpacked: self
        }
    }
}

extension JobResult {
    fileprivate var hasWholePicture: Bool { (preview != nil || poster != nil) && !isDamaged }
}

extension UnreadableReason {
    /// What the header says stands there whatever memory there is.
    fileprivate var afterRefusedMemory: UnreadableReason { self == .tooManyPixels ? self : .tooMuchMemory }
}
