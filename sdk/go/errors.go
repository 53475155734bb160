package outbound

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The codes of the client itself, beside those of the service.
const (
	// ErrorCodeConnectionFailed means that the service could not be reached, or the connection broke.
	ErrorCodeConnectionFailed ErrorCode = "connection_failed"
	// ErrorCodeTimedOut means that no response came within the time limit.
	ErrorCodeTimedOut ErrorCode = "timed_out"
	// ErrorCodeInvalidResponse means that the response is not what the API document describes.
	ErrorCodeInvalidResponse ErrorCode = "invalid_response"
	// ErrorCodeWaitTimedOut means that WaitForCampaign reached its limit.
	ErrorCodeWaitTimedOut ErrorCode = "wait_timed_out"
	// ErrorCodeInvalidSignature means that VerifyWebhook refused a request.
	ErrorCodeInvalidSignature ErrorCode = "invalid_signature"
)

// codes are those of refusals whose bodies have none.
var codes = map[int]ErrorCode{
	400: ErrorCodeValidationFailed,
	401: ErrorCodeUnauthorized,
	403: ErrorCodeForbidden,
	404: ErrorCodeNotFound,
	429: ErrorCodeRateLimitExceeded,
	500: ErrorCodeInternalError,
}

// Error is every failure of a request: a refusal of the service, or no response at all. Find it with errors.As.
type Error struct {
	// Status is the HTTP status; 0 where no response came.
	Status int
	// Code is the code of the service, or one of the client.
	Code ErrorCode
	// Message says the same in words.
	Message string
	// Details says more about the cause, such as the field at fault; nil without.
	Details map[string]any
	// RequestID is what to quote when you ask for help.
	RequestID string
	// RetryAfter is how long to wait before the next attempt; nil where the service does not say.
	RetryAfter *time.Duration

	cause error
}

// Error says what failed, with the code and the request's id.
func (e *Error) Error() string {
	text := fmt.Sprintf("outbound: %s: %s", e.Code, e.Message)
	if e.RequestID != "" {
		text += fmt.Sprintf(" (request %s)", e.RequestID)
	}
	return text
}

// Unwrap returns the error of the connection, where there was one.
func (e *Error) Unwrap() error { return e.cause }

// Field names the field at fault; empty where the service names none.
func (e *Error) Field() string {
	field, _ := e.Details["field"].(string)
	return field
}

// errorOf makes the error of a refused request.
func errorOf(response Response, body []byte) *Error {
	fields := map[string]any{}
	// A body that is no object leaves the fields empty: the status has to do.
	_ = json.Unmarshal(body, &fields)
	failure := &Error{
		Status:     response.Status,
		Code:       codes[response.Status],
		Message:    fmt.Sprintf("The service responded with %d", response.Status),
		RequestID:  response.RequestID,
		RetryAfter: retryAfterOf(response.Header),
	}
	if code, ok := fields["error"].(string); ok {
		failure.Code = ErrorCode(code)
	} else if failure.Code == "" {
		failure.Code = ErrorCode("http_" + strconv.Itoa(response.Status))
	}
	if message, ok := fields["message"].(string); ok {
		failure.Message = message
	}
	if id, ok := fields["request_id"].(string); ok && failure.RequestID == "" {
		failure.RequestID = id
	}
	if seconds, ok := fields["retry_after"].(float64); ok && failure.RetryAfter == nil {
		failure.RetryAfter = Ptr(time.Duration(min(max(0, seconds), maxRetryAfterS) * float64(time.Second)))
	}
	failure.Details = detailsOf(fields)
	return failure
}

// detailsOf returns the details, or else the fields that no error has by itself.
func detailsOf(fields map[string]any) map[string]any {
	if details, ok := fields["details"].(map[string]any); ok {
		return details
	}
	for _, name := range []string{"error", "message", "details", "request_id", "retry_after", "success"} {
		delete(fields, name)
	}
	if len(fields) == 0 {
		return nil
	}
	return fields
}

// maxRetryAfterS bounds what others say: 30 years fit a time.Duration.
const maxRetryAfterS = 1_000_000_000

// retryAfterOf reads Retry-After, which may be a number of seconds or a date.
func retryAfterOf(header http.Header) *time.Duration {
	text := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(text, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return Ptr(time.Duration(min(seconds, maxRetryAfterS)) * time.Second)
	}
	date, err := http.ParseTime(text)
	if err != nil {
		return nil
	}
	return Ptr(max(0, time.Until(date)))
}

func invalidResponse(response Response, cause error) *Error {
	return &Error{
		Status:    response.Status,
		Code:      ErrorCodeInvalidResponse,
		Message:   "The response is not what the API document describes; is BaseURL the address of the API?",
		RequestID: response.RequestID,
		cause:     cause,
	}
}
