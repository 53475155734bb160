package outbound

import (
	"encoding/json"
	"math/rand/v2"
	"time"
)

const (
	baseDelay = 500 * time.Millisecond
	maxDelay  = 20 * time.Second
)

// hasMessageID finds messages of a conversation: they name themselves, so that a second one is not stored.
func hasMessageID(body []byte) bool {
	var message struct {
		ClientMessageID *string `json:"client_message_id"`
	}
	return json.Unmarshal(body, &message) == nil && message.ClientMessageID != nil
}

// isWorthRetrying says whether a failed attempt is worth another one. A request that is not repeatable is sent again
// only where the service certainly did nothing: its body did not arrive (408), or it was over a limit (429). A quota
// of the day is the caller's to decide about: nothing waits for hours in silence.
func isWorthRetrying(failure *Error, repeatable bool) bool {
	switch failure.Status {
	case 408, 429:
		return failure.Code != ErrorCodeQuotaExceeded
	case 409:
		return failure.Code == ErrorCodeIdempotencyKeyInUse
	}
	return repeatable && (failure.Status >= 500 ||
		failure.Code == ErrorCodeConnectionFailed || failure.Code == ErrorCodeTimedOut)
}

// delayBefore returns the delay before a retry: what the service asks for, or else a random part of a limit that
// doubles (full jitter), so that clients do not come back all at once.
func delayBefore(retry int, retryAfter *time.Duration) time.Duration {
	if retryAfter != nil {
		return *retryAfter
	}
	limit := maxDelay
	if retry < 6 {
		limit = min(maxDelay, baseDelay<<retry)
	}
	return rand.N(limit)
}
