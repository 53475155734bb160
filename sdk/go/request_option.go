package outbound

import (
	"net/http"
	"time"
)

// RequestOption changes one request.
type RequestOption func(*settings)

// settings are what options change.
type settings struct {
	limits
	header   http.Header
	response *Response
	// The caller reads the body as it comes: it is outside the time limit and not retried.
	isStream bool
}

// WithIdempotencyKey repeats a request of another process, where the operation takes such a key. Without it, the
// client makes one, and sends it with each retry.
func WithIdempotencyKey(key string) RequestOption {
	return WithHeader("Idempotency-Key", key)
}

// WithHeader sends a header field; an Authorization replaces the client's.
func WithHeader(name, value string) RequestOption {
	return func(settings *settings) { settings.header.Set(name, value) }
}

// WithTimeout limits each attempt.
func WithTimeout(timeout time.Duration) RequestOption {
	return func(settings *settings) { settings.timeout = timeout }
}

// WithTotalTimeout limits all attempts together.
func WithTotalTimeout(timeout time.Duration) RequestOption {
	return func(settings *settings) { settings.total = timeout }
}

// WithRetries limits how often the request is repeated.
func WithRetries(retries int) RequestOption {
	return func(settings *settings) { settings.retries = retries }
}

// WithResponse keeps what the last response of the request says beside its body.
func WithResponse(response *Response) RequestOption {
	return func(settings *settings) { settings.response = response }
}
