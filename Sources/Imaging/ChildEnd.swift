import Glibc
import ImagingProtocol

/// How a child ended.
enum ChildEnd {
    /// This side has ended it.
    case killed(ChildProcess.KillCause)
    /// From outside: somebody stops services, not because of the file.
    case stopped
    case outOfMemory
    case outOfTime
    /// A fault of the decoder, or an attempt at what the cage forbids.
    case failed

    init(signal: CInt, code: CInt) {
        switch signal {
        case SIGTERM, SIGINT, SIGHUP: self = .stopped
        // Nobody but the kernel, when memory runs out for all.
        case SIGKILL: self = .outOfMemory
        case SIGXCPU: self = .outOfTime
        case 0 where code == ChildExit.outOfMemory: self = .outOfMemory
        default: self = .failed
        }
    }

    /// What that says about the file that was being looked into.
    func verdict(limits: ImagingLimits) -> ImagingError {
        switch self {
        case .killed(.noLongerWanted), .stopped: .unavailable
        case .killed(.displaced): .displaced
        case .killed(.patience(let used)):
            // One that was not let run on a busy host says nothing about the file.
            used * 2 >= .seconds(Int(limits.processorSeconds)) ? .unreadable(.tooSlow) : .stalled
        case .outOfMemory: .unreadable(.tooMuchMemory)
        case .outOfTime: .unreadable(.tooSlow)
        case .failed: .unreadable(.crashed)
        }
    }
}
