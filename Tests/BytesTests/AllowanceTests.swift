import Testing

@testable import Bytes

@Suite struct AllowanceTests {
    @Test(
        "Each right has an end of each resource, and nothing is taken by what goes beyond",
        arguments: Allowance.Right.allCases)
    func ends(right: Allowance.Right) throws {
        let share = Allowance.share(of: right)
        for (resource, most) in [
            (Allowance.Resource.memory, share.memory), (.answer, share.answer), (.rows, share.rows),
            (.locks, share.locks),
            (.names, share.names), (.work, share.work),
        ] where most < .max {
            let allowance = Allowance(right)
            // Most of the processor's time goes with what is taken otherwise.
            let first = min(most, 16)
            try allowance.take(resource, first)
            #expect(throws: Allowance.Spent(resource: resource)) { try allowance.take(resource, most - first + 1) }
            #expect(allowance.taken(resource) == first)
        }
    }

    @Test("Only a vault may make the host take more than 16 MiB for one request, and the host itself")
    func largest() {
        for right in Allowance.Right.allCases where right < .vault {
            #expect(Allowance.share(of: right).memory <= 16 << 20)
            #expect(Allowance.share(of: right).answer <= 16 << 20)
        }
    }

    @Test("An answer grows with the bytes that came and with the rows that are told")
    func answers() throws {
        let share = Allowance.share(of: .code)
        let allowance = Allowance(.code)
        try allowance.take(.answer, share.answer)
        #expect(throws: Allowance.Spent(resource: .answer)) { try allowance.take(.answer, 1) }
        allowance.note(asked: 10)
        try allowance.take(.answer, 10 * share.answerPerByte)
        #expect(throws: Allowance.Spent(resource: .answer)) { try allowance.take(.answer, 1) }
        try allowance.take(.rows, 2)
        try allowance.take(.answer, 2 * share.answerPerRow)
        #expect(throws: Allowance.Spent(resource: .answer)) { try allowance.take(.answer, 1) }
    }

    @Test("Of several rights that a request shows the largest counts, and what was taken before stays taken")
    func admission() throws {
        let allowance = Allowance(.nobody)
        try allowance.take(.names, Allowance.share(of: .nobody).names)
        allowance.admit(as: .vault)
        allowance.admit(as: .guest)
        #expect(allowance.right == .vault)
        #expect(throws: Allowance.Spent(resource: .names)) {
            try allowance.take(.names, Allowance.share(of: .vault).names)
        }
    }

    @Test("What is read, written and listed counts as time of the processor")
    func work() throws {
        let allowance = Allowance(.giver)
        try allowance.take(.memory, 1000)
        try allowance.take(.rows, 3)
        try allowance.take(.names, 5)
        #expect(allowance.taken(.work) == 1000 + 3 * 1024 + 5 * 64)
    }

    @Test("Counts that no memory could hold, and negative ones, are refused")
    func strange() {
        for count in [Int.max, Int.min, -1] {
            for right in [Allowance.Right.nobody, .giver, .code, .guest] {
                #expect(throws: Allowance.Spent.self) { try Allowance(right).take(.rows, count) }
                #expect(throws: Allowance.Spent.self) { try Allowance(right).take(.answer, count) }
            }
        }
    }
}
