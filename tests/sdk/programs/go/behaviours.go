package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/outbound/outbound-go"
)

var behaviours = map[string]func(context.Context, *outbound.Client, input) (result, error){
	"send_one":          sendOne,
	"lost_response":     sendOne,
	"too_many":          sendOne,
	"server_error":      sendOne,
	"refused":           sendOne,
	"unauthorized":      sendOne,
	"not_json":          sendOne,
	"pages":             pages,
	"send_campaign":     sendCampaign,
	"wait_for_campaign": waitForCampaign,
	"events":            events,
	"webhook":           webhook,
	"rate_limit":        rateLimit,
	"timeout":           rateLimit,
	// Without a key, it sends nothing.
	"environment_missing": rateLimit,
	"cancelled":           cancelled,
}

func sendOne(ctx context.Context, client *outbound.Client, input input) (result, error) {
	input.Notification.Contact = &input.Contact
	sent, err := client.Notifications.SendNotification(ctx, input.Notification, nil)
	if err != nil {
		return nil, err
	}
	return result{"campaign_id": sent.InquirySetID, "inquiry_set_id": sent.InquirySetID}, nil
}

func pages(ctx context.Context, client *outbound.Client, input input) (result, error) {
	count := 0
	params := &outbound.ListCampaignsParams{Limit: input.Limit}
	for _, err := range client.Campaigns.AllCampaigns(ctx, outbound.Mine, params) {
		if err != nil {
			return nil, err
		}
		count++
	}
	return result{"count": count}, nil
}

func sendCampaign(ctx context.Context, client *outbound.Client, input input) (result, error) {
	options := &outbound.SendCampaignOptions{IdempotencyKey: input.IdempotencyKey}
	sent, err := client.SendCampaign(ctx, input.Notification, slices.Values(input.Contacts), options)
	if err != nil {
		return nil, err
	}
	return result{"campaign_id": sent.CampaignID, "accepted": sent.Processed}, nil
}

func waitForCampaign(ctx context.Context, client *outbound.Client, input input) (result, error) {
	options := &outbound.WaitOptions{Timeout: time.Minute}
	campaign, err := client.WaitForCampaign(ctx, input.CampaignID, options)
	if err != nil {
		return nil, err
	}
	return result{"sent": campaign.Sent, "failed": campaign.Failed}, nil
}

// events sends a campaign of each name as soon as the stream has begun, and reads until all of them came.
func events(ctx context.Context, sender *outbound.Client, input input) (result, error) {
	token := func(context.Context) (string, error) { return input.Token, nil }
	client, err := outbound.New(outbound.Options{Token: token})
	if err != nil {
		return nil, err
	}
	missing, seen, doubles := map[string]bool{}, map[string]bool{}, 0
	for _, name := range input.Names {
		missing[name] = true
	}
	for event, err := range client.Follow(ctx, input.CompanyID, nil) {
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(event.CompanyEvent)
		if err != nil {
			return nil, err
		}
		if seen[string(text)] {
			doubles++
		}
		seen[string(text)] = true
		if campaign, ok := event.Data.(*outbound.ChangedCampaignData); ok {
			delete(missing, campaign.CampaignName)
		}
		if event.Type == outbound.CompanyEventTypeReady {
			err = sendAll(ctx, sender, input)
		}
		if err != nil {
			return nil, err
		}
		if len(missing) == 0 {
			break
		}
	}
	return result{"missing": len(missing), "doubles": doubles}, nil
}

func sendAll(ctx context.Context, client *outbound.Client, input input) error {
	for _, name := range input.Names {
		input.Notification.CampaignName = name
		contacts := slices.Values([]outbound.Contact{input.Contact})
		if _, err := client.SendCampaign(ctx, input.Notification, contacts, nil); err != nil {
			return err
		}
	}
	return nil
}

func webhook(_ context.Context, _ *outbound.Client, input input) (result, error) {
	checked := result{}
	for name, fields := range input.Headers {
		header := http.Header{}
		for field, value := range fields {
			header.Set(field, value)
		}
		event, err := outbound.VerifyWebhook([]byte(input.Body), header, input.Secret)
		var failure *outbound.Error
		switch {
		case errors.As(err, &failure):
			checked[name] = failure.Code
		case event.Data.(*outbound.TestEventData).CompanyID != "":
			checked[name] = result{"type": event.Type}
		}
	}
	return checked, nil
}

func rateLimit(ctx context.Context, client *outbound.Client, _ input) (result, error) {
	var response outbound.Response
	_, err := client.Campaigns.ListCampaigns(ctx, outbound.Mine, nil, outbound.WithResponse(&response))
	if err != nil {
		return nil, err
	}
	rate := response.RateLimit
	return result{"limit": rate.Limit, "remaining": rate.Remaining, "has_reset": rate.Reset >= 0}, nil
}

func cancelled(ctx context.Context, client *outbound.Client, input input) (result, error) {
	ctx, cancel := context.WithCancel(ctx)
	time.AfterFunc(milliseconds(input.CancelAfterMs), cancel)
	_, err := client.Campaigns.ListCampaigns(ctx, outbound.Mine, nil)
	return result{"cancelled": errors.Is(err, context.Canceled)}, nil
}
