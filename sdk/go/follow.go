package outbound

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"
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

// readOnce reads one stream, or polls, until that ends.
func (follower *follower) readOnce(ctx context.Context, yield func(FollowedEvent) bool) error {
	take := func(update update) error { return follower.take(update, yield) }
	if follower.emptyStreams < maxEmptyStreams {
		return follower.stream(ctx, take)
	}
	return follower.poll(ctx, take)
}

// take yields the news of an update; only the last of them has its id, for half of it would come again.
func (follower *follower) take(update update, yield func(FollowedEvent) bool) error {
	before := follower.lastEventID
	if before == "" {
		before = update.id
	}
	follower.lastEventID, follower.failures = update.id, 0
	var news []change
	for _, each := range update.changes {
		if follower.filter.isNew(each) {
			news = append(news, each)
		}
	}
	for index, each := range news {
		event := FollowedEvent{ID: before}
		if index == len(news)-1 {
			event.ID = update.id
		}
		text, err := json.Marshal(each)
		if err == nil {
			err = json.Unmarshal(text, &event.CompanyEvent)
		}
		if err != nil {
			return invalidResponse(Response{Status: 200}, err)
		}
		if !yield(event) {
			return errLeft
		}
	}
	return nil
}

func (follower *follower) request() request {
	return request{
		method:     "GET",
		route:      "/manage/companies/{company_id}/events",
		path:       []string{follower.companyID},
		repeatable: true,
	}
}

// stream reads one stream until it ends. Only the last event of an update has an id, so an update counts when that one
// has come.
func (follower *follower) stream(ctx context.Context, take func(update) error) error {
	options := []RequestOption{WithRetries(0), WithHeader("Accept", "text/event-stream")}
	if follower.lastEventID != "" {
		options = append(options, WithHeader("Last-Event-ID", follower.lastEventID))
	}
	file, err := openFile(ctx, follower.client, follower.request(), options)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(file.ContentType, "text/event-stream") {
		follower.emptyStreams = maxEmptyStreams
		return file.Close()
	}
	follower.emptyStreams++
	silence := func() time.Duration {
		if follower.emptyStreams > 0 {
			return maxFirstSilence
		}
		return maxSilence
	}
	var changes []change
	for event := range readServerEvents(file, silence) {
		follower.emptyStreams = 0
		if event.data != "" {
			changes = append(changes, change{event.kind, json.RawMessage(event.data)})
		}
		if event.id == nil {
			continue
		}
		if err := take(update{changes, *event.id}); err != nil {
			return err
		}
		changes = nil
	}
	return nil
}

func (follower *follower) poll(ctx context.Context, take func(update) error) error {
	for {
		request := follower.request()
		if follower.lastEventID != "" {
			request.query = map[string]string{"after": follower.lastEventID}
		}
		page, err := call[struct {
			Events []change `json:"events"`
			Reset  bool     `json:"reset"`
			Next   string   `json:"next"`
		}](ctx, follower.client, request, nil)
		if err != nil {
			return err
		}
		changes := page.Events
		if page.Reset {
			changes = append([]change{{string(CompanyEventTypeReset), json.RawMessage("{}")}}, changes...)
		}
		changes = append(changes, change{string(CompanyEventTypeReady), json.RawMessage("{}")})
		if err := take(update{changes, page.Next}); err != nil {
			return err
		}
		if err := pause(ctx, pollInterval); err != nil {
			return err
		}
	}
}
