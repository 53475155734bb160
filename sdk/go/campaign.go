package outbound

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

// SendCampaignOptions says how to send a campaign.
type SendCampaignOptions struct {
	// IdempotencyKey repeats a campaign that broke off, with the same contacts: what was accepted is not sent again.
	// At most 240 printable characters without spaces.
	IdempotencyKey string
	// OnProgress is called after every request with what was accepted so far.
	OnProgress func(SentCampaign)
}

// SentCampaign is the result of a campaign's requests.
type SentCampaign struct {
	CampaignID               string
	Total, Processed, Failed int
	// Errors has the refused contacts; Index counts all contacts from 0.
	Errors []ContactFailure
	// NotificationIDs has the notification of each contact, empty for those in Errors.
	NotificationIDs []string
}

const maxContactsPerRequest = 100

// SendCampaign sends a notification to any number of contacts as one campaign, a hundred per request, one request after
// the other. With an error it returns what was accepted before.
func (client *Client) SendCampaign(
	ctx context.Context, notification ChatNotification, contacts iter.Seq[Contact], options *SendCampaignOptions,
) (*SentCampaign, error) {
	wanted := valueOf(options)
	if wanted.IdempotencyKey == "" {
		wanted.IdempotencyKey = newIdempotencyKey()
	}
	sent := &SentCampaign{}
	count := 0
	for batch, isLast := range batchesOf(contacts) {
		count++
		params := &SendNotificationParams{Details: Ptr(true), CampaignID: sent.CampaignID}
		if !isLast {
			params.More = Ptr(true)
		}
		notification.Contact, notification.Contacts = nil, batch
		key := WithIdempotencyKey(fmt.Sprintf("%s-%d", wanted.IdempotencyKey, count))
		accepted, err := client.Notifications.SendNotification(ctx, notification, params, key)
		if err != nil {
			return sent, err
		}
		sent.add(accepted)
		if wanted.OnProgress != nil {
			wanted.OnProgress(*sent)
		}
	}
	if count == 0 {
		return nil, errors.New("outbound: contacts: expected at least one")
	}
	return sent, nil
}

// add adds the result of a request to that of those before it.
func (sent *SentCampaign) add(accepted *SendNotificationResult) {
	sent.CampaignID = accepted.InquirySetID
	for _, failure := range accepted.Errors {
		failure.Index = Ptr(valueOf(failure.Index) + sent.Total)
		sent.Errors = append(sent.Errors, failure)
	}
	sent.NotificationIDs = append(sent.NotificationIDs, accepted.NotificationIDs...)
	sent.Total += valueOf(accepted.Total)
	sent.Processed += valueOf(accepted.Processed)
	sent.Failed += valueOf(accepted.Failed)
}

// batchesOf reads one contact ahead: the last request has to say that it is the last.
func batchesOf(contacts iter.Seq[Contact]) iter.Seq2[[]Contact, bool] {
	return func(yield func([]Contact, bool) bool) {
		var batch []Contact
		for contact := range contacts {
			if len(batch) == maxContactsPerRequest {
				if !yield(batch, false) {
					return
				}
				batch = nil
			}
			batch = append(batch, contact)
		}
		if len(batch) > 0 {
			yield(batch, true)
		}
	}
}

// WaitOptions says how to wait for a campaign.
type WaitOptions struct {
	// Until says whether to stop waiting. Default: when the campaign is completed or cancelled.
	Until func(*CampaignStatus) bool
	// Timeout is how long to wait. Default: 10 minutes.
	Timeout time.Duration
}

const (
	firstPoll = 250 * time.Millisecond
	maxPoll   = 5 * time.Second
)

// WaitForCampaign polls a campaign's status until it is what Until asks for, at first often, then every five seconds. It
// needs an access key. At its limit it returns the last status with an error of ErrorCodeWaitTimedOut.
func (client *Client) WaitForCampaign(
	ctx context.Context, campaignID string, options *WaitOptions,
) (*CampaignStatus, error) {
	wanted := valueOf(options)
	if wanted.Until == nil {
		wanted.Until = isOver
	}
	if wanted.Timeout == 0 {
		wanted.Timeout = 10 * time.Minute
	}
	end := time.Now().Add(wanted.Timeout)
	for poll := firstPoll; ; poll = min(poll*3/2, maxPoll) {
		campaign, err := client.Notifications.GetCampaignStatus(ctx, campaignID)
		if err != nil || wanted.Until(campaign) {
			return campaign, err
		}
		if !time.Now().Add(poll).Before(end) {
			message := fmt.Sprintf("The campaign is still '%s' after %s", campaign.Status, wanted.Timeout)
			return campaign, &Error{Code: ErrorCodeWaitTimedOut, Message: message}
		}
		if err := pause(ctx, poll); err != nil {
			return campaign, err
		}
	}
}

func isOver(campaign *CampaignStatus) bool {
	return campaign.Status == CampaignStateCompleted || campaign.Status == CampaignStateCancelled
}
