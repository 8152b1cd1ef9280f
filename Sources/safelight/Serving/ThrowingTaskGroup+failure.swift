extension ThrowingTaskGroup where ChildTaskResult == Void {
    /// Until all tasks have ended, or until one fails, which ends the group: `waitForAll` would go on waiting for the
    /// others then.
    mutating func waitForAllOrFailure() async throws {
        while try await next() != nil {}
    }
}
