package outbound

import (
	"context"
	"encoding/json"
	"strings"
	"time"
)

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
