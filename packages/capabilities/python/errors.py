"""The errors of scripts."""


class ToolError(Exception):
    """A call that failed."""

    def __init__(self, message="", *, tool="", status="error", code="E_TOOL_FAILED", retryable=False, retryAfterMs=None):
        super().__init__(message)
        self.tool = tool
        self.status = status
        self.code = code
        self.retryable = retryable
        self.retry_after_ms = retryAfterMs


class ToolDeniedError(ToolError, PermissionError):
    """A call that was denied."""


class ToolTimeoutError(ToolError, TimeoutError):
    """A call that took too long."""


class BudgetError(ToolError):
    """A call that exceeds the call budget of the run."""


def error_of(failure, tool):
    kind = ToolError
    if failure["status"] == "denied":
        kind = ToolDeniedError
    elif failure["code"] == "E_CALL_TIMEOUT":
        kind = ToolTimeoutError
    elif failure["code"] == "E_BUDGET_EXHAUSTED":
        kind = BudgetError
    return kind(failure.pop("message"), tool=tool, **failure)
