import Bytes
import FoundationEssentials
import NIOHTTP1
import XML

/// What a store has answered, its body with it where that is short.
struct StoreAnswer {
    /// A page of a list has some 300 bytes an object.
    static let mostBytes = 4 << 20

    var status: Int
    var fields: HTTPHeaders
    var body: [UInt8] = []

    /// - Throws: `BucketError.strange` for a body that is no XML.
    func document() throws(BucketError) -> XMLElement {
        do {
            return try XMLElement(document: body, atMost: Self.mostBytes, names: .max, from: Allowance(.host))
        } catch {
            throw .strange("its answer cannot be read, \(error.reason)")
        }
    }

    /// Of an error's body; HEAD has none.
    private var complaint: (code: String?, message: String?, region: String?) {
        guard let document = try? document() else { return (nil, nil, nil) }
        // Some wrap it.
        let error = document.name.local == "Error" ? document : document.child("Error")
        return (error?.childText("Code"), error?.childText("Message"), error?.childText("Region"))
    }

    var code: String? { complaint.code }

    /// Whether it says in its body that it failed: a success may have been sent before that was known, to keep the line
    /// open, or by who stands between.
    var isComplaint: Bool { (try? XMLElement(document: body, from: Allowance(.host)))?.name.local == "Error" }

    /// Whether somebody between here and the store has answered in its place, as networks do that want people to sign in.
    /// No object that was put from here is of that type, and stores that call an answer without a body so give it a length.
    var isPageForPeople: Bool {
        fields.first(name: "Content-Type")?.lowercased().hasPrefix("text/html") == true
            && fields.first(name: "Content-Length") != "0"
    }
    static let pageForPeople =
        "a web page came in place of its answer: this network may want somebody to sign in"

    /// Seconds of `Retry-After`, given as a number or as a date.
    func secondsToWait(now: Date) -> Double? {
        guard let value = fields.first(name: "Retry-After") else { return nil }
        if let seconds = Double(value), seconds >= 0 { return seconds }
        return HTTPDate.parse(value).map { max(0, $0.timeIntervalSince(now)) }
    }

    /// What an answer that is no success means.
    /// - Parameters:
    ///   - bucket: for the text
    ///   - now: this computer's time when it came
    func error(bucket: String, now: Date) -> BucketError {
        let (code, message, region) = complaint
        let place = region ?? fields.first(name: "x-amz-bucket-region")
        switch (status, code) {
        case (_, "RequestTimeTooSkewed"), (_, "RequestExpired"): return .clockDiffers(secondsAhead: ahead(of: now))
        case (_, "AuthorizationHeaderMalformed") where place != nil, (301, _), (307, _): return .wrongRegion(place)
        case (_, "ExpiredToken"), (_, "TokenRefreshRequired"), (_, "ExpiredTokenException"): return .keysEnded
        case (_, "InvalidAccessKeyId"), (_, "SignatureDoesNotMatch"), (_, "InvalidToken"), (401, _):
            // Some look at the signature first, and at the clock never.
            if let ahead = ahead(of: now), abs(ahead) > 900 { return .clockDiffers(secondsAhead: ahead) }
            return .keysUnknown
        case (_, "NoSuchBucket"): return .noBucket(bucket)
        case (404, _): return .absent
        case (412, _), (304, _): return .conditionFailed
        case (405, _), (501, _): return .notOffered
        case (403, _):
            if code == nil, let ahead = ahead(of: now), abs(ahead) > 900 { return .clockDiffers(secondsAhead: ahead) }
            return .forbidden([code, message].compactMap(\.self).joined(separator: ", "))
        case (500..., _), (429, _), (408, _): return .busy(status)
        case (200..<300, _) where RetryPolicy.isPassing(status, code: code): return .busy(status)
        default:
            let reason = [code, message].compactMap(\.self).joined(separator: ", ")
            return .strange("\(status)\(reason.isEmpty ? "" : " " + reason)")
        }
    }

    /// By how many seconds this computer's clock goes before the store's.
    private func ahead(of now: Date) -> Int? {
        fields.first(name: "Date").flatMap(HTTPDate.parse).map { Int(now.timeIntervalSince($0)) }
    }
}

extension XMLElement {
    /// Whatever its namespace: stores do not agree on it.
    func child(_ name: String) -> XMLElement? { elements.first { $0.name.local == name } }
    func childText(_ name: String) -> String? { child(name)?.text }
}

/// The one form of a date that HTTP still writes (RFC 9110, 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    static func parse(_ text: String) -> Date? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]), let year = Int(parts[3]),
            let month = months.firstIndex(of: String(parts[2]))
        else { return nil }
        let clock = parts[4].split(separator: ":").compactMap { Int($0) }
        guard clock.count == 3 else { return nil }
        let components = DateComponents(
            timeZone: TimeZone(secondsFromGMT: 0), year: year, month: month + 1, day: day, hour: clock[0],
            minute: clock[1], second: clock[2])
        return Calendar(identifier: .gregorian).date(from: components)
    }
}

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
