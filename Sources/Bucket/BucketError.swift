/// Why a store did not do what it was asked. The texts are for whoever runs the host.
package enum BucketError: Error, Equatable, CustomStringConvertible {
    /// No such object.
    case absent
    /// The condition of the request does not hold (412): `If-None-Match: *` for an object that is there.
    case conditionFailed
    /// This computer's clock differs from the store's by so many seconds; nil where the store does not tell its own.
    case clockDiffers(secondsAhead: Int?)
    /// The bucket lies in another region than was said; nil where the store does not tell in which.
    case wrongRegion(String?)
    /// Keys that last some hours have ended.
    case keysEnded
    /// The store does not know the keys, or the signature is not theirs.
    case keysUnknown
    /// These keys may not do that, or an object lock forbids it.
    case forbidden(String)
    case noBucket(String)
    /// The store lacks this verb.
    case notOffered
    /// The store had no time for it, however often it was asked: its status.
    case busy(Int)
    case unreachable(String)
    /// What was to be sent could not be read: the error of whoever reads it is the one to tell.
    case unreadable
    /// A body that does not match its digest, and other answers that no store gives.
    case strange(String)

    /// The same may go well another time, and nobody has to set anything right.
    package var isPassing: Bool {
        switch self {
        case .busy, .unreachable, .strange: true
        default: false
        }
    }

    /// The same may go well once somebody has done something elsewhere: the time service of this host, or whoever gives out
    /// the keys. Nothing of this program's configuration is wrong.
    package var endsOutside: Bool {
        switch self {
        case .clockDiffers, .keysEnded, .keysUnknown, .forbidden: true
        default: false
        }
    }

    package var description: String {
        switch self {
        case .absent: "There is no such object in the bucket."
        case .conditionFailed: "The object in the bucket is another one than was expected."
        case .clockDiffers(let ahead?) where abs(ahead) >= 60:
            "This computer's clock is \((abs(ahead) + 30) / 60) minutes \(ahead > 0 ? "ahead of" : "behind") the store's, which "
                + "takes no request that is more than 15 minutes off. Set the clock right (timedatectl set-ntp true)."
        case .clockDiffers:
            "The store says that this computer's clock is wrong. Set it right (timedatectl set-ntp true)."
        case .wrongRegion(let region?): "The bucket lies in the region \(region). Say so: --region \(region)."
        case .wrongRegion(nil): "The bucket lies in another region. Say in which: --region."
        case .keysEnded: "The keys for the bucket have ended. Get new ones."
        case .keysUnknown: "The store does not know the keys for the bucket, or the secret is not the one of this id."
        case .forbidden(let reason): "The store does not allow it\(reason.isEmpty ? "" : ": \(reason)")."
        case .noBucket(let name): "There is no bucket \(name) at that store."
        case .notOffered: "The store does not offer that."
        case .busy(let status): "The store has no time for it at the moment (\(status)). Try again later."
        case .unreachable(let reason): "The store does not answer: \(reason)."
        case .unreadable: "What was to be sent could not be read."
        case .strange(let reason): "The store answers what no store should: \(reason)."
        }
    }
}
