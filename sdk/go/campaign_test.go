package outbound_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/outbound/outbound-go"
)

func contacts(count int) []outbound.Contact {
	list := make([]outbound.Contact, count)
	for index := range list {
		list[index].Number = fmt.Sprint(34600000000 + index)
	}
	return list
}

// accepted takes a request's contacts but the first one of it.
func accepted(count int) http.HandlerFunc {
	return success(map[string]any{
		"inquiry_set_id": "c", "total": count, "processed": count - 1, "failed": 1,
		"errors":           []any{map[string]any{"index": 0, "reason": "r"}},
		"notification_ids": append([]any{nil}, slices.Repeat([]any{"n"}, count-1)...),
	})
}

func TestSendCampaignSendsAHundredPerRequestAndCountsAll(t *testing.T) {
	service := newScripted(t, accepted(100), refusal(503, "service_unavailable", "0"), accepted(100), accepted(50))
	var progress []int
	options := &outbound.SendCampaignOptions{
		IdempotencyKey: "autumn",
		OnProgress:     func(sent outbound.SentCampaign) { progress = append(progress, sent.Total) },
	}
	notification := outbound.ChatNotification{CampaignName: "Autumn"}
	sent, err := service.client(t).SendCampaign(soon(t), notification, slices.Values(contacts(250)), options)
	equal(t, "error", err, nil)
	equal(t, "counts", [3]int{sent.Total, sent.Processed, sent.Failed}, [3]int{250, 247, 3})
	equal(t, "progress", slices.Equal(progress, []int{100, 200, 250}), true)
	equal(t, "index", *sent.Errors[2].Index, 200)
	equal(t, "ids", len(sent.NotificationIDs), 250)
	equal(t, "refused", sent.NotificationIDs[100], "")

	want := []struct {
		path, key string
		size      int
	}{
		{"/notify?details=true&more=true", "autumn-1", 100},
		{"/notify?campaign_id=c&details=true&more=true", "autumn-2", 100},
		{"/notify?campaign_id=c&details=true&more=true", "autumn-2", 100},
		{"/notify?campaign_id=c&details=true", "autumn-3", 50},
	}
	for index, request := range service.seen() {
		var body outbound.ChatNotification
		equal(t, "error", json.Unmarshal([]byte(request.body), &body), nil)
		equal(t, "path", request.path, want[index].path)
		equal(t, "key", request.header.Get("Idempotency-Key"), want[index].key)
		equal(t, "size", len(body.Contacts), want[index].size)
	}
}

func TestSendCampaignReturnsWhatWasAcceptedBeforeAnError(t *testing.T) {
	service := newScripted(t, accepted(100), refusal(400, "validation_failed", ""))
	sent, err := service.client(t).SendCampaign(soon(t), outbound.ChatNotification{}, slices.Values(contacts(150)), nil)
	equal(t, "code", failureOf(t, err).Code, outbound.ErrorCodeValidationFailed)
	equal(t, "total", sent.Total, 100)

	_, err = service.client(t).SendCampaign(soon(t), outbound.ChatNotification{}, slices.Values(contacts(0)), nil)
	equal(t, "error", err != nil, true)
	equal(t, "requests", len(service.seen()), 2)
}

func TestWaitForCampaignEndsAtItsLimitAndWhenTheCampaignIsOver(t *testing.T) {
	status := func(status string) http.HandlerFunc { return success(map[string]any{"status": status}) }
	service := newScripted(t, status("sending"), status("sending"), status("cancelled"), status("scheduled"))
	client := service.client(t)
	campaign, err := client.WaitForCampaign(soon(t), "c", nil)
	equal(t, "error", err, nil)
	equal(t, "status", campaign.Status, outbound.CampaignStateCancelled)

	campaign, err = client.WaitForCampaign(soon(t), "c", &outbound.WaitOptions{Timeout: 100 * time.Millisecond})
	equal(t, "code", failureOf(t, err).Code, outbound.ErrorCodeWaitTimedOut)
	equal(t, "status", campaign.Status, outbound.CampaignStateScheduled)
}

func TestPagesAreReadWhenTheyAreNeeded(t *testing.T) {
	page := func(next any, names ...string) http.HandlerFunc {
		campaigns := []any{}
		for _, name := range names {
			campaigns = append(campaigns, map[string]any{"campaign_name": name})
		}
		return success(map[string]any{"campaigns": campaigns, "next": next})
	}
	service := newScripted(t, page("2", "a", "b"), page("3"), page(nil, "c"))
	client := service.client(t)
	params := &outbound.ListCampaignsParams{Limit: 2}
	names := ""
	for range 2 {
		for campaign, err := range client.Campaigns.AllCampaigns(soon(t), outbound.Mine, params) {
			equal(t, "error", err, nil)
			names += campaign.CampaignName
			if len(service.seen()) > 3 {
				break
			}
		}
	}
	equal(t, "names", names, "abcc")
	equal(t, "path", service.seen()[1].path, "/manage/companies/mine/campaigns?after=2&limit=2")
	equal(t, "requests", len(service.seen()), 4)
	equal(t, "the caller's parameters", params.After, "")
}
