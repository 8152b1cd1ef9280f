import FoundationEssentials
import HTTPTypes
import Testing

@testable import Records
@testable import Web

@Suite struct UTCTimeTests {
    @Test(
        "Moments are written in UTC",
        arguments: [
            (0.0, "1970-01-01T00:00:00Z", "Thu, 01 Jan 1970 00:00:00 GMT"),
            (784_111_777, "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400.25, "2000-02-29T00:00:00.250Z", "Tue, 29 Feb 2000 00:00:00 GMT"),
            (-1, "1969-12-31T23:59:59Z", "Wed, 31 Dec 1969 23:59:59 GMT"),
            (4_107_542_400, "2100-03-01T00:00:00Z", "Mon, 01 Mar 2100 00:00:00 GMT"),
            (1e18, "9999-12-31T23:59:59Z", "Fri, 31 Dec 9999 23:59:59 GMT"),
            (-1e18, "0001-01-01T00:00:00Z", "Mon, 01 Jan 0001 00:00:00 GMT"),
        ])
    func written(seconds: Double, rfc3339: String, httpDate: String) {
        let time = UTCTime(Date(timeIntervalSince1970: seconds))
        #expect(time.rfc3339 == rfc3339)
        #expect(time.httpDate == httpDate)
    }

    @Test("Every day of 400 years follows the one before")
    func calendar() {
        var before = UTCTime(Date(timeIntervalSince1970: 946_684_800))
        for day in 1...146_097 {
            let time = UTCTime(Date(timeIntervalSince1970: 946_684_800 + Double(day) * 86_400))
            let isNext = time.day == before.day + 1 && time.month == before.month && time.year == before.year
            let beginsMonth = time.day == 1 && (time.month == before.month + 1 || time.month == 1 && before.month == 12)
            #expect(isNext || beginsMonth && before.day >= 28)
            #expect(time.weekday == (before.weekday + 1) % 7)
            before = time
        }
        #expect((before.year, before.month, before.day) == (2400, 1, 1))
    }

    @Test("Clients give milliseconds or RFC 3339")
    func parsed() {
        #expect(UTCTime.parse("951782400250") == Date(timeIntervalSince1970: 951_782_400.25))
        #expect(UTCTime.parse("2000-02-29T00:00:00Z") == Date(timeIntervalSince1970: 951_782_400))
        #expect(UTCTime.parse("2000-02-29T01:00:00.5+01:00") == Date(timeIntervalSince1970: 951_782_400.5))
        for text in [
            "951782400", "951782400.0", "2000-02-29t01:00:00,0+0100", "2000-02-29 00:00:00z", "2000-02-29T00:00:00+00",
            "Tue, 29 Feb 2000 00:00:00 GMT",
        ] {
            #expect(UTCTime.parse(text) == Date(timeIntervalSince1970: 951_782_400), "\(text)")
        }
        #expect(UTCTime.parse("-152114400000") == Date(timeIntervalSince1970: -152_114_400))
        #expect(UTCTime.parse("1965-03-07T10:00:00Z") == Date(timeIntervalSince1970: -152_114_400))
        #expect(UTCTime.parse("2016-12-31T23:59:60Z") == UTCTime.parse("2016-12-31T23:59:59Z"))
        for text in ["2000-02-29T00:00:00", "2000-02-30T00:00:00Z", "2000-13-01T00:00:00Z", "-", "1.2.3", "."] {
            #expect(UTCTime.parse(text) == nil, "\(text)")
        }
        for text in ["", "yesterday", "99999999999999999", "-9223372036854775808", "2000-02-30x"] {
            #expect(UTCTime.parse(text) == nil)
        }
    }
}

@Suite struct SessionCookieTests {
    @Test("Cookies carry the prefix over HTTPS alone")
    func names() {
        let plain = SessionCookie.Place(isSecure: false, port: 80)
        let secure = SessionCookie.Place(isSecure: true, port: 8443)
        #expect(
            SessionCookie.vault.set("t", isKept: false, at: plain)
                == "safelight-80=t; Path=/; HttpOnly; SameSite=Strict")
        #expect(
            SessionCookie.vault.set("t", isKept: false, at: secure)
                == "__Host-safelight-8443=t; Path=/; HttpOnly; SameSite=Strict; Secure")
        #expect(SessionCookie.guest.name(at: secure) == "__Host-safelight-8443-guest")
        #expect(
            SessionCookie.device.set("d", isKept: true, at: secure)
                == "__Host-safelight-8443-device=d; Path=/; HttpOnly; SameSite=Strict; Max-Age=34560000; Secure")
        #expect(
            SessionCookie.vault.expire(at: plain) == "safelight-80=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0")
    }

    @Test(
        "The port is that of the address as the browser has it, whatever a proxy listens on",
        arguments: [
            ("photos.lan:8443", 8443), ("photos.lan", 443), ("[fd00::1]:8443", 8443), ("[fd00::1]", 443),
            ("photos.lan:", 443), ("192.168.1.20:80", 80), (nil, 443),
        ] as [(String?, UInt16)])
    func ports(host: String?, expected: UInt16) {
        #expect(SessionCookie.Place(isSecure: true, host: host).port == expected)
    }

    @Test(
        "A cookie is found by its whole name",
        arguments: [
            (["safelight-1=abc_-9"], "abc_-9"), (["a=b; safelight-1=abc"], "abc"),
            (["a=b", "safelight-1=abc"], "abc"), (["safelight-1=abc; safelight-1=abc"], "abc"),
            (["safelight-1=abc; safelight-1=abd"], nil), (["xsafelight-1=abc"], nil),
            (["safelight-1-guest=abc"], nil), (["__Host-safelight-1=abc"], nil), (["safelight-12=abc"], nil),
            (["safelight=abc"], nil), (["safelight-1="], nil), (["safelight-1=a b"], nil),
            (["safelight-1=a\"b"], nil), (["safelight-1"], nil), ([], nil),
        ] as [([String], String?)])
    func found(fields: [String], expected: String?) {
        #expect(SessionCookie.vault.value(in: fields, at: SessionCookie.Place(isSecure: false, port: 1)) == expected)
    }
}

@Suite struct ProblemDetailsTests {
    @Test("Refusals of a vault have the status that the interface names")
    func statuses() {
        let expected: [(VaultError, Int)] = [
            (.passwordEmpty, 400), (.passwordTaken, 409), (.noSuchVault, 401), (.setupCodeWrong, 403),
            (.tooManyAttempts(retryAfter: .milliseconds(1500)), 429), (.busy(retryAfter: .seconds(5)), 503),
            (.sessionEnded, 401), (.noSuchPhoto, 404), (.fileTooLarge(limit: 1), 413), (.diskFull, 507),
            (.vaultFull, 507), (.degraded, 503), (.draining, 503), (.lengthMismatch, 400), (.damaged, 500),
        ]
        for (error, status) in expected {
            #expect(ProblemDetails(error).status.code == status)
            #expect(ProblemDetails(error).code == error.code)
        }
        #expect(ProblemDetails(.tooManyAttempts(retryAfter: .milliseconds(1500))).retryAfter == 2)
    }

    @Test("A limit is named, with how long it lasts and how the host's keeper lifts it; guesses are nobody's to lift")
    func limits() {
        for limit in [VaultError.Limit.newVaults, .ways, .guests, .visits] {
            let problem = ProblemDetails(.tooManyAttempts(retryAfter: .seconds(86_400), of: limit))
            #expect(problem.limit == limit.rawValue && problem.retryAfter == 86_400)
            #expect(problem.detail.contains("safelight lift-limits"))
        }
        let guesses = ProblemDetails(.tooManyAttempts(retryAfter: .seconds(1)))
        #expect(guesses.limit == nil && !guesses.detail.contains("lift"))
        let share = ProblemDetails(.doorShareTaken(retryAfter: .seconds(60)))
        #expect(share.status.code == 507 && share.retryAfter == 60 && share.detail.contains("lift-limits"))
    }

    @Test("The answer holds the members of RFC 9457 and a code")
    func members() throws {
        let data = try JSONEncoder().encode(ProblemDetails(WebError.notFound))
        let object = try JSONDecoder().decode([String: Member].self, from: data)
        #expect(Set(object.keys) == ["type", "title", "status", "code", "detail"])
        #expect(object["code"]?.text == "not-found")
    }

    private struct Member: Decodable {
        let text: String?
        init(from decoder: any Decoder) throws {
            text = try? decoder.singleValueContainer().decode(String.self)
        }
    }
}
