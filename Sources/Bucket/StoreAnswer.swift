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
            return try XMLElement(document: body, atMost: Self.mostBytes, from: Allowance(.host))
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
