import FoundationEssentials

/// Why a host certificate has to be made again.
enum Renewal: Equatable {
    case absent
    case ended
    case notBegun
    case aged
    case missing([String])

    /// Nil when the present one will do.
    /// - Parameter wanted: all names and addresses of this host, also those that the authority may not speak for
    static func reason(
        present: HostCertificate?, wanted: SubjectNames, authority: Authority, now: Date
    ) -> Renewal? {
        guard let present else { return .absent }
        if present.validity.hasEnded(at: now) { return .ended }
        if !present.validity.hasBegun(at: now) { return .notBegun }
        let missing = wanted.permitted(by: authority.permission).missing(in: present.names)
        if !missing.isEmpty { return .missing(missing) }
        return isDue(present.validity, authority: authority.validity, now: now) ? .aged : nil
    }

    /// A certificate that ends with its authority cannot be made to last longer.
    static func isDue(_ present: Validity, authority: Validity, now: Date) -> Bool {
        present.isAged(at: now) && present.notAfter < authority.notAfter
    }
}

extension Renewal: CustomStringConvertible {
    var description: String {
        switch self {
        case .absent: "there is none"
        case .ended: "the former one has ended"
        case .notBegun: "the former one has not begun"
        case .aged: "a third of the former one's life is left"
        case .missing(let names): "the former one lacks \(names.joined(separator: ", "))"
        }
    }
}
