package outbound_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/outbound/outbound-go"
)

type operation func(context.Context, *outbound.Client) error

func read(ctx context.Context, client *outbound.Client) error {
	_, err := client.Companies.ListCompanies(ctx)
	return err
}

func resend(ctx context.Context, client *outbound.Client) error {
	_, err := client.Campaigns.ResendCampaign(ctx, outbound.Mine, "x", nil)
	return err
}

func pauseCampaign(ctx context.Context, client *outbound.Client) error {
	_, err := client.Campaigns.PauseCampaign(ctx, outbound.Mine, "x")
	return err
}

func create(ctx context.Context, client *outbound.Client) error {
	_, err := client.Agents.CreateAgent(ctx, "x", outbound.AgentRequest{})
	return err
}

func setWebhook(ctx context.Context, client *outbound.Client) error {
	_, err := client.Webhooks.SetWebhook(ctx, "x", "*", outbound.WebhookChanges{})
	return err
}

func say(ctx context.Context, client *outbound.Client) error {
	_, err := client.ChatWidget.SendMessage(ctx, "x", outbound.MessageRequest{ClientMessageID: "m"})
	return err
}

func TestRetries(t *testing.T) {
	done, down := success(map[string]any{}), refusal(503, "service_unavailable", "0")
	quickly := func(options *outbound.Options) { options.Timeout = 100 * time.Millisecond }
	cases := []struct {
		title    string
		steps    []http.HandlerFunc
		call     operation
		attempts int
		code     outbound.ErrorCode
		change   func(*outbound.Options)
	}{
		{"408", []http.HandlerFunc{refusal(408, "request_timeout", "0"), done}, create, 2, "", nil},
		{"429", []http.HandlerFunc{refusal(429, "rate_limit_exceeded", "0"), done}, create, 2, "", nil},
		{"409 of a key in use", []http.HandlerFunc{refusal(409, "idempotency_key_in_use", "0"), done}, resend, 2, "", nil},
		{"409 of anything else", []http.HandlerFunc{refusal(409, "campaign_cancelled", "0"), done}, resend, 1, "campaign_cancelled", nil},
		{"503 to a read", []http.HandlerFunc{down, done}, read, 2, "", nil},
		{"503 to a POST with a key", []http.HandlerFunc{down, done}, resend, 2, "", nil},
		{"503 to a POST that is harmless twice", []http.HandlerFunc{down, done}, pauseCampaign, 2, "", nil},
		{"503 to a message that names itself", []http.HandlerFunc{down, done}, say, 2, "", nil},
		{"503 to what shows a secret once", []http.HandlerFunc{down, done}, setWebhook, 1, "service_unavailable", nil},
		{"503 to any other POST", []http.HandlerFunc{down, done}, create, 1, "service_unavailable", nil},
		{"a lost response to a read", []http.HandlerFunc{cut, done}, read, 2, "", nil},
		{"a lost response to a POST with a key", []http.HandlerFunc{cut, done}, resend, 2, "", nil},
		{"a lost response to any other POST", []http.HandlerFunc{cut, done}, create, 1, "connection_failed", nil},
		{"no response in time to a read", []http.HandlerFunc{silence, done}, read, 2, "", quickly},
		{"no response in time to any other POST", []http.HandlerFunc{silence, done}, create, 1, "timed_out", quickly},
		{"400", []http.HandlerFunc{refusal(400, "validation_failed", "")}, read, 1, "validation_failed", nil},
		{"401", []http.HandlerFunc{refusal(401, "unauthorized", "")}, read, 1, "unauthorized", nil},
		{"503 without end", []http.HandlerFunc{down}, read, 3, "service_unavailable",
			func(options *outbound.Options) { options.Retries = outbound.Ptr(2) }},
		{"a wait beyond the total time", []http.HandlerFunc{refusal(429, "rate_limit_exceeded", "3600")}, read, 1, "rate_limit_exceeded", nil},
		{"a wait beyond all numbers", []http.HandlerFunc{refusal(429, "rate_limit_exceeded", "99999999999999999999")}, read, 1, "rate_limit_exceeded", nil},
		{"a quota of the day", []http.HandlerFunc{refusal(429, "quota_exceeded", "0"), done}, read, 1, "quota_exceeded", nil},
	}
	for _, each := range cases {
		t.Run(each.title, func(t *testing.T) {
			t.Parallel()
			service := newScripted(t, each.steps...)
			change := each.change
			if change == nil {
				change = func(*outbound.Options) {}
			}
			err := each.call(soon(t), service.client(t, change))
			if each.code == "" {
				equal(t, "error", err, nil)
			} else {
				equal(t, "code", failureOf(t, err).Code, each.code)
			}
			equal(t, "attempts", len(service.seen()), each.attempts)
			key := service.seen()[0].header.Get("Idempotency-Key")
			for _, request := range service.seen() {
				equal(t, "key", request.header.Get("Idempotency-Key"), key)
			}
			equal(t, "has a key", key != "", service.seen()[0].path == "/manage/companies/mine/campaigns/x/resend")
		})
	}
}

func TestRetryAfterIsWaitedFor(t *testing.T) {
	service := newScripted(t, refusal(429, "rate_limit_exceeded", "1"), success(map[string]any{}))
	begin := time.Now()
	equal(t, "error", read(soon(t), service.client(t)), nil)
	if waited := time.Since(begin); waited < 990*time.Millisecond {
		t.Fatalf("waited %s", waited)
	}
}

func TestCallersOwnKeyIsKept(t *testing.T) {
	service := newScripted(t, refusal(503, "service_unavailable", "0"), success(map[string]any{}))
	_, err := service.client(t).Campaigns.ResendCampaign(soon(t), outbound.Mine, "x", nil, outbound.WithIdempotencyKey("own"))
	equal(t, "error", err, nil)
	for _, request := range service.seen() {
		equal(t, "key", request.header.Get("Idempotency-Key"), "own")
	}
	equal(t, "attempts", len(service.seen()), 2)
}

func TestCredentialsAreInTheHeaderAndNeverShown(t *testing.T) {
	t.Setenv("OUTBOUND_API_KEY", "")
	service := newScripted(t, success(map[string]any{}))
	count := 0
	client := service.client(t)
	equal(t, "error", pauseCampaign(soon(t), client), nil)
	equal(t, "error", read(soon(t), service.client(t, func(options *outbound.Options) {
		options.AccessKey = ""
		options.Token = func(context.Context) (string, error) { count++; return fmt.Sprint("token", count), nil }
	})), nil)
	_, err := service.client(t, func(options *outbound.Options) { options.AccessKey = "" }).
		Access.LogIn(soon(t), outbound.Credentials{Email: "a@b.c", Password: "p"})
	equal(t, "error", err, nil)

	want := [][2]string{
		{"/manage/companies/mine/campaigns/x/pause", "Bearer outbound_secret"},
		{"/manage/companies", "Bearer token1"},
		{"/auth?grant_type=password", ""},
	}
	for index, request := range service.seen() {
		equal(t, "request", [2]string{request.path, request.header.Get("Authorization")}, want[index])
	}
	if strings.Contains(fmt.Sprintf("%+v %#v", client, *client), "secret") {
		t.Fatal("a printed client shows its key")
	}
}

func TestErrorsOfConnectionsDoNotShowTheAddress(t *testing.T) {
	service := newScripted(t, silence)
	client := service.client(t, func(options *outbound.Options) { options.Retries = outbound.Ptr(0) })
	service.Close()
	_, err := client.VoiceWidget.GetVoiceWidget(soon(t), "outbound_hidden", "w", nil)
	equal(t, "code", failureOf(t, err).Code, outbound.ErrorCodeConnectionFailed)
	if shown := fmt.Sprint(err, errors.Unwrap(err)); strings.Contains(shown, "outbound_hidden") {
		t.Fatal(shown)
	}
}

func TestCancelEndsARequestUnderWayAndTheWaitBeforeARetry(t *testing.T) {
	enough := errors.New("enough")
	service := newScripted(t, silence, refusal(429, "rate_limit_exceeded", "60"))
	client := service.client(t)
	for range 2 {
		ctx, cancel := context.WithCancelCause(soon(t))
		ended := make(chan error)
		go func() { ended <- read(ctx, client) }()
		<-service.arrived
		cancel(enough)
		equal(t, "error", <-ended, enough)
	}
	ctx, cancel := context.WithCancelCause(soon(t))
	cancel(enough)
	equal(t, "error", read(ctx, client), enough)
	equal(t, "attempts", len(service.seen()), 2)
}

func TestOneClientServesManyGoroutines(t *testing.T) {
	service := newScripted(t, refusal(503, "service_unavailable", "0"), success(map[string]any{}))
	client := service.client(t)
	ended := make(chan error)
	for range 20 {
		go func() {
			var response outbound.Response
			_, err := client.Campaigns.ResendCampaign(soon(t), outbound.Mine, "x", nil, outbound.WithResponse(&response))
			if err == nil && response.Status != 200 {
				err = fmt.Errorf("status %d", response.Status)
			}
			ended <- err
		}()
	}
	for range 20 {
		equal(t, "error", <-ended, nil)
	}
	keys := map[string]bool{}
	for _, request := range service.seen() {
		keys[request.header.Get("Idempotency-Key")] = true
	}
	equal(t, "keys", len(keys), 20)
}
