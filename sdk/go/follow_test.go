package outbound_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/outbound/outbound-go"
)

// events is a stream that ends after them.
func events(events ...string) http.HandlerFunc {
	return text("text/event-stream", strings.Join(events, ""))
}

func event(kind string, id string, fields ...any) string {
	data := "{}"
	if len(fields) > 0 {
		data = fmt.Sprintf(`{"campaign_id":%q,"sent":%d}`, fields...)
	}
	line := ""
	if id != "" {
		line = "id: " + id + "\n"
	}
	return "event: " + kind + "\r\ndata: " + data + "\n" + line + "\n"
}

// follow reads so many events.
func follow(t *testing.T, client *outbound.Client, count int, options *outbound.FollowOptions) string {
	t.Helper()
	var found []string
	for event, err := range client.Follow(soon(t), "c", options) {
		equal(t, "error", err, nil)
		shown := string(event.Type) + " " + event.ID
		if campaign, ok := event.Data.(*outbound.ChangedCampaignData); ok {
			shown += fmt.Sprintf(" %s %d", campaign.CampaignID, campaign.Sent)
		}
		if found = append(found, shown); len(found) == count {
			break
		}
	}
	return strings.Join(found, ", ")
}

func TestFollowReconnectsAndYieldsHalfAnUpdateOnce(t *testing.T) {
	service := newScripted(t,
		events(event("ready", "1"), event("campaign", "", "a", 0)),
		events(event("campaign", "", "a", 0), event("campaign", "", "b", 0), event("ready", "2")),
		events(event("campaign", "", "b", 0), event("campaign", "", "a", 5), event("ready", "3")),
	)
	found := follow(t, service.client(t), 4, nil)
	equal(t, "events", found, "ready 1, campaign 1 a 0, campaign 2 b 0, campaign 3 a 5")
	for index, request := range service.seen() {
		equal(t, "last id", request.header.Get("Last-Event-ID"), []string{"", "1", "2"}[index])
		equal(t, "accept", request.header.Get("Accept"), "text/event-stream")
	}
}

func TestFollowBeginsWhereTheCallerSaysAndGoesOnWhileTheServiceIsAway(t *testing.T) {
	service := newScripted(t,
		refusal(503, "service_unavailable", "0"),
		events("retry: 1000\n\n", "event: reset\nda"),
		events("retry: 1000\n\n", event("reset", "9")),
	)
	found := follow(t, service.client(t), 1, &outbound.FollowOptions{LastEventID: "8"})
	equal(t, "events", found, "reset 9")
	for _, request := range service.seen() {
		equal(t, "last id", request.header.Get("Last-Event-ID"), "8")
	}
	equal(t, "requests", len(service.seen()), 3)
}

func TestFollowPollsWhereAResponseIsNoStreamAndWhereStreamsBringNothing(t *testing.T) {
	page := func(next string, events ...any) http.HandlerFunc {
		return success(map[string]any{"events": append([]any{}, events...), "reset": false, "next": next})
	}
	a := map[string]any{"type": "campaign", "data": json.RawMessage(`{"campaign_id":"a","sent":0}`)}
	for _, steps := range [][]http.HandlerFunc{{page("0")}, {events(), events()}} {
		service := newScripted(t, append(steps, page("1"), page("2", a))...)
		found := follow(t, service.client(t), 2, nil)
		equal(t, "events", found, "ready 1, campaign 2 a 0")
		seen := service.seen()
		equal(t, "query", seen[len(seen)-1].path, "/manage/companies/c/events?after=1")
	}
}

func TestFollowEndsWithARefusalAndWithItsContext(t *testing.T) {
	service := newScripted(t, refusal(401, "unauthorized", ""), func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte(event("ready", "1")))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	client := service.client(t)
	for _, err := range client.Follow(soon(t), "c", nil) {
		equal(t, "code", failureOf(t, err).Code, outbound.ErrorCodeUnauthorized)
	}
	equal(t, "requests", len(service.seen()), 1)

	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(soon(t))
	defer cancel(nil)
	count := 0
	for _, err := range client.Follow(ctx, "c", nil) {
		if count++; count == 1 {
			equal(t, "error", err, nil)
			cancel(enough)
			continue
		}
		equal(t, "error", err, enough)
	}
	equal(t, "events", count, 2)
}

func TestFollowKeepsEventsThatThisVersionDoesNotKnow(t *testing.T) {
	service := newScripted(t, events("event: novelty\ndata: {\"a\":\ndata: 1}\nid: 1\n\n"))
	for event, err := range service.client(t).Follow(soon(t), "c", nil) {
		equal(t, "error", err, nil)
		equal(t, "type", event.Type, "novelty")
		equal(t, "data", event.Data.(map[string]any)["a"], any(1.0))
		break
	}
}
