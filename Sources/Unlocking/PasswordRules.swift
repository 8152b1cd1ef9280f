package import Records
import Sealing

/// What a password must be that is chosen anew: not empty, typed twice alike, at least 10 characters, not among those
/// that anybody would try first. There are no user names, so that one guess tries every vault of the house.
package struct PasswordRules: Sendable {
    static let leastLength = 10
    /// What takes fewer guesses than 2 to the power of this is too common.
    static let leastBits = 38
    private static let leastOfName = 3

    private let estimate: GuessEstimate

    /// - Parameter hostNames: by which this host is known; they are the first that somebody in the house would try
    package init(common: CommonPasswords, hostNames: [String]) {
        let labels = hostNames.flatMap { $0.split(separator: ".") }.filter { $0.count >= Self.leastOfName }
        let hashes = labels.map { label in
            label.utf8.withContiguousStorageIfAvailable { bytes in
                CommonPasswords.hash(
                    FoldedPassword(utf8: UnsafeRawBufferPointer(bytes), most: GuessEstimate.mostScalars).scalars)
            } ?? 0
        }
        estimate = GuessEstimate(common: common, words: common.words.union(hashes))
    }

    package func check(_ password: Password, confirmation: Password) throws(VaultError) {
        guard !password.isEmpty else { throw .passwordEmpty }
        guard password.equals(confirmation) else { throw .passwordMismatch }
        let folded = password.bytes.withUnsafeBytes { FoldedPassword(utf8: $0, most: GuessEstimate.mostScalars) }
        guard folded.length >= Self.leastLength else { throw .passwordTooShort }
        guard estimate.bits(folded) >= Self.leastBits else { throw .passwordTooCommon }
    }
}
