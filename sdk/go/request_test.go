package outbound_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/outbound/outbound-go"
)

func TestNewRefusesOptionsThatDoNotFitAndNamesThem(t *testing.T) {
	t.Setenv("OUTBOUND_BASE_URL", "")
	t.Setenv("OUTBOUND_API_KEY", "")
	token := func(context.Context) (string, error) { return "t", nil }
	cases := []struct {
		options outbound.Options
		named   string
	}{
		{outbound.Options{}, "OUTBOUND_BASE_URL"},
		{outbound.Options{BaseURL: "a.b", AccessKey: "k"}, "BaseURL"},
		{outbound.Options{BaseURL: "ftp://a.b", AccessKey: "k"}, "BaseURL"},
		{outbound.Options{BaseURL: "https://a.b?access_key=x", AccessKey: "k"}, "BaseURL"},
		{outbound.Options{BaseURL: "https://a.b", AccessKey: "k", Token: token}, "AccessKey or Token"},
		{outbound.Options{BaseURL: "https://a.b", AccessKey: "k", Timeout: -1}, "Timeout"},
		{outbound.Options{BaseURL: "https://a.b", AccessKey: "k", Retries: outbound.Ptr(-1)}, "Retries"},
	}
	for _, each := range cases {
		if _, err := outbound.New(each.options); err == nil || !strings.Contains(err.Error(), each.named) {
			t.Errorf("expected %s in %v", each.named, err)
		}
	}
}

func TestTheEnvironmentSaysWhereTheServiceIsAndWhoAsks(t *testing.T) {
	service := newScripted(t, success(map[string]any{}))
	t.Setenv("OUTBOUND_BASE_URL", service.URL+"/")
	for _, key := range []string{"", "outbound_k"} {
		t.Setenv("OUTBOUND_API_KEY", key)
		client, err := outbound.New(outbound.Options{})
		equal(t, "error", err, nil)
		_, err = client.Service.GetHealth(soon(t))
		equal(t, "error", err, nil)
		err = read(soon(t), client)
		equal(t, "is missing", err != nil && strings.Contains(err.Error(), "OUTBOUND_API_KEY"), key == "")
	}
	equal(t, "requests", len(service.seen()), 3)
	equal(t, "credential", service.seen()[2].header.Get("Authorization"), "Bearer outbound_k")
	equal(t, "path", service.seen()[2].path, "/manage/companies")
}

func TestPathsAndQueriesAreEscaped(t *testing.T) {
	service := newScripted(t, success(map[string]any{"campaigns": []any{}, "next": nil}))
	client := service.client(t)
	madrid := time.FixedZone("CET", 3600)
	params := &outbound.ListCampaignsParams{
		Name: "a&b ñ", Open: outbound.Ptr(false), Limit: 2, Channel: outbound.ChannelVoice,
		From: time.Date(2030, 1, 31, 0, 30, 0, 0, madrid),
	}
	_, err := client.Campaigns.ListCampaigns(soon(t), "a/b?c", params)
	equal(t, "error", err, nil)
	equal(t, "path", service.seen()[0].path, "/manage/companies/a%2Fb%3Fc/campaigns?channel=voice"+
		"&from=2030-01-30T23%3A30%3A00Z&limit=2&name=a%26b+%C3%B1&open=false")

	for _, id := range []string{"", ".."} {
		_, err = client.Campaigns.GetCampaign(soon(t), outbound.Mine, id)
		if err == nil || !strings.Contains(err.Error(), "campaign_id") {
			t.Errorf("%q: %v", id, err)
		}
	}
	equal(t, "requests", len(service.seen()), 1)
}

func TestBodiesHaveWhatIsSetAndNothingElse(t *testing.T) {
	cases := []struct {
		body any
		want string
	}{
		{outbound.Contact{Number: "1", Others: map[string]string{"city": "Jaén", "number": "2"}}, `{"city":"Jaén","number":"1"}`},
		{outbound.Contact{Name: "Ana"}, `{"name":"Ana"}`},
		{outbound.ContactChanges{Name: outbound.Set("<Ana>"), Language: outbound.SetNull[string]()}, `{"name":"\u003cAna\u003e","language":null}`},
		{outbound.ContactChanges{Tags: []string{}}, `{"tags":[]}`},
		{outbound.Assignment{}, `{"user_id":null}`},
		{outbound.ConsentRequest{ConsentedAt: outbound.UTC{Time: time.Date(2030, 1, 1, 1, 0, 0, 0, time.FixedZone("", 3600))}},
			`"consented_at":"2030-01-01T00:00:00Z"`},
	}
	for _, each := range cases {
		text, err := json.Marshal(each.body)
		if err != nil || !strings.Contains(string(text), each.want) {
			t.Errorf("got %s, want %s (%v)", text, each.want, err)
		}
	}
}

func TestFieldsWithoutANameAreKept(t *testing.T) {
	var contact outbound.Contact
	given := `{"number":"1","name":null,"city":"Jaén","count":3}`
	equal(t, "error", json.Unmarshal([]byte(given), &contact), nil)
	equal(t, "number", contact.Number, "1")
	equal(t, "city", contact.Others["city"], "Jaén")
	equal(t, "others", len(contact.Others), 1)
	var changes outbound.ContactChanges
	equal(t, "error", json.Unmarshal([]byte(`{"name":null}`), &changes), nil)
	text, _ := json.Marshal(changes)
	equal(t, "null", string(text), `{"name":null}`)
}

func TestAFileIsSentAnewWithEachAttempt(t *testing.T) {
	service := newScripted(t, refusal(429, "rate_limit_exceeded", "0"), success(map[string]any{"media_id": "m"}))
	file := bytes.NewReader([]byte("--picture"))
	_, _ = file.Seek(2, io.SeekStart)
	media, err := service.client(t).Media.UploadMedia(soon(t), outbound.Mine, file, "image/png", nil)
	equal(t, "error", err, nil)
	equal(t, "id", media.MediaID, "m")
	for _, request := range service.seen() {
		equal(t, "body", request.body, "picture")
		equal(t, "type", request.header.Get("Content-Type"), "image/png")
	}
	equal(t, "attempts", len(service.seen()), 2)
}

// A response before the end of the request leaves the transport reading: the file must not be shared then.
func TestAnEarlyResponseDoesNotMixAttempts(t *testing.T) {
	early := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(429)
	}
	count := 0
	var received []byte
	server := newRaw(t, func(w http.ResponseWriter, r *http.Request) {
		if count++; count == 1 {
			early(w, r)
			return
		}
		received, _ = io.ReadAll(r.Body)
		success(map[string]any{})(w, r)
	})
	client, err := outbound.New(outbound.Options{BaseURL: server.URL, AccessKey: "k"})
	equal(t, "error", err, nil)
	content := bytes.Repeat([]byte("0123456789"), 500_000)
	_, err = client.Media.UploadMedia(soon(t), outbound.Mine, bytes.NewReader(content), "video/mp4", nil)
	equal(t, "error", err, nil)
	equal(t, "whole", bytes.Equal(received, content), true)
}

func TestAFileIsReadAsItComes(t *testing.T) {
	goOn := make(chan struct{})
	service := newScripted(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/csv")
		_, _ = io.WriteString(w, "number\n")
		w.(http.Flusher).Flush()
		<-goOn
		_, _ = io.WriteString(w, "1\n")
	})
	client := service.client(t, func(options *outbound.Options) { options.Timeout = time.Second })
	file, err := client.Campaigns.ListCampaignRecipientsCSV(soon(t), outbound.Mine, "x", nil)
	equal(t, "error", err, nil)
	defer file.Close()
	begin := make([]byte, 7)
	_, err = io.ReadFull(file, begin)
	equal(t, "error", err, nil)
	close(goOn)
	rest, err := io.ReadAll(file)
	equal(t, "error", err, nil)
	equal(t, "file", string(begin)+string(rest), "number\n1\n")
	equal(t, "type", file.ContentType, "text/csv")
	equal(t, "path", service.seen()[0].path, "/manage/companies/mine/campaigns/x/recipients?format=csv")
}

func TestResponsesSayWhatTheRateLeaves(t *testing.T) {
	service := newScripted(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("RateLimit-Policy", `"requests";q=600;w=60`)
		w.Header().Set("RateLimit", `"requests";r=599;t=12`)
		w.Header().Set("ETag", `"7"`)
		success(map[string]any{})(w, r)
	}, refusal(400, "validation_failed", ""))
	client := service.client(t)
	var response outbound.Response
	_, err := client.Settings.GetSettings(soon(t), outbound.Mine, outbound.WithResponse(&response))
	equal(t, "error", err, nil)
	equal(t, "rate", *response.RateLimit, outbound.RateLimit{Limit: 600, Remaining: 599, Reset: 12 * time.Second})
	equal(t, "etag", response.ETag, `"7"`)

	changes := outbound.CompanySettingsChanges{}
	_, err = client.Settings.ChangeSettings(soon(t), outbound.Mine, response.ETag, changes, outbound.WithResponse(&response))
	equal(t, "code", failureOf(t, err).Code, outbound.ErrorCodeValidationFailed)
	equal(t, "header", service.seen()[1].header.Get("If-Match"), `"7"`)
	equal(t, "status", response.Status, 400)
	equal(t, "rate", response.RateLimit == nil, true)
}
