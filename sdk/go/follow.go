package outbound

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"
)

// The events of Follow beside those of the company.
const (
	// CompanyEventTypeReady says that the stream has begun.
	CompanyEventTypeReady CompanyEventType = "ready"
	// CompanyEventTypeReset says that you have to read your lists anew.
	CompanyEventTypeReset CompanyEventType = "reset"
)

// FollowedEvent is an event of a company: a change with the state as it is now, ready, or reset.
type FollowedEvent struct {
	// ID is what to give as LastEventID to go on from here.
	ID string
	CompanyEvent
}

// FollowOptions says how to follow a company.
type FollowOptions struct {
	// LastEventID is the id of the last event that you have seen, to miss nothing since.
	LastEventID string
}

const (
	// The service writes something every 15 seconds.
	maxSilence = 40 * time.Second
	// The service begins a stream at once. A proxy that collects whole responses shows nothing.
	maxFirstSilence = 10 * time.Second
	// After so many streams in a row without a byte, polling begins.
	maxEmptyStreams = 2
	pollInterval    = time.Second
)

// change is an event without its id in the stream.
type change struct {
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// update is changes that belong together, and the id after them.
type update struct {
	changes []change
	id      string
}

type follower struct {
	client       *Client
	companyID    string
	lastEventID  string
	emptyStreams int
	// In a row, since the last update.
	failures int
	filter   repetitionFilter
}

// Follow yields what changes in a company until ctx ends or the loop is left. It reconnects and goes on after the last
// id; where streams do not come through, it polls. An event that arrives a second time after a reconnection is left out.
// An error ends it: the service's refusal, such as 401 when the token has expired, or the cause why ctx ended.
func (client *Client) Follow(
	ctx context.Context, companyID string, options *FollowOptions,
) iter.Seq2[FollowedEvent, error] {
	return func(yield func(FollowedEvent, error) bool) {
		follower := &follower{client: client, companyID: companyID, lastEventID: valueOf(options).LastEventID}
		for ; ; follower.failures++ {
			err := follower.readOnce(ctx, func(event FollowedEvent) bool { return yield(event, nil) })
			if errors.Is(err, errLeft) {
				return
			}
			var failure *Error
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			} else if err == nil || (errors.As(err, &failure) && !isRefusal(failure)) {
				err = pause(ctx, delayBefore(follower.failures, retryAfterIn(failure)))
			}
			if err != nil {
				yield(FollowedEvent{}, err)
				return
			}
		}
	}
}

var errLeft = errors.New("the loop is left")

// isRefusal finds a missing right: a lost connection and a service in trouble pass, it does not.
func isRefusal(failure *Error) bool {
	return failure.Status >= 400 && failure.Status < 500 && failure.Status != 408 && failure.Status != 429
}

func retryAfterIn(failure *Error) *time.Duration {
	if failure == nil {
		return nil
	}
	return failure.RetryAfter
}
