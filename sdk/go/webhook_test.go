package outbound_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/outbound/outbound-go"
)

const payload = `{"type":"notification.failed","timestamp":"2030-01-31T18:00:00.000Z","data":{"number":"34","status":"failed"}}`

func secretOf(text string) string { return "whsec_" + base64.StdEncoding.EncodeToString([]byte(text)) }

func signed(secret string, at time.Time, body string) http.Header {
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	digest := hmac.New(sha256.New, key)
	fmt.Fprintf(digest, "evt_1.%d.%s", at.Unix(), body)
	header := http.Header{}
	header.Set("webhook-id", "evt_1")
	header.Set("webhook-timestamp", fmt.Sprint(at.Unix()))
	header.Set("webhook-signature", "v1,AAAA v1,"+base64.StdEncoding.EncodeToString(digest.Sum(nil)))
	return header
}

func TestVerifyWebhookReturnsTheEventTypedByItsName(t *testing.T) {
	secret := secretOf("one")
	event, err := outbound.VerifyWebhook([]byte(payload), signed(secret, time.Now(), payload), secret)
	equal(t, "error", err, nil)
	equal(t, "type", event.Type, outbound.WebhookEventTypeNotificationFailed)
	equal(t, "time", event.Timestamp.Year(), 2030)
	data := event.Data.(*outbound.NotificationEventData)
	equal(t, "number", data.Number, "34")
	equal(t, "status", data.Status, outbound.NotificationStatusFailed)
}

func TestVerifyWebhookRefusesWhatIsNotSignedChangedOldOrOfAnotherSecret(t *testing.T) {
	secret, now := secretOf("one"), time.Now()
	changed := func(name, value string) http.Header {
		header := signed(secret, now, payload)
		header.Set(name, value)
		return header
	}
	cases := []struct {
		body   string
		header http.Header
		secret string
	}{
		{payload, http.Header{}, secret},
		{payload + " ", signed(secret, now, payload), secret},
		{payload, changed("webhook-id", "evt_2"), secret},
		{payload, changed("webhook-id", ""), secret},
		{payload, changed("webhook-timestamp", "now"), secret},
		{payload, changed("webhook-signature", ""), secret},
		{payload, changed("webhook-signature", "v1"), secret},
		{payload, signed(secret, now.Add(-10*time.Minute), payload), secret},
		{payload, signed(secret, now.Add(10*time.Minute), payload), secret},
		{payload, signed(secretOf("two"), now, payload), secret},
		{payload, signed("whsec_", now, payload), "whsec_"},
		{payload, signed(secret, now, payload), "%"},
		{"no JSON", signed(secret, now, "no JSON"), secret},
	}
	for index, each := range cases {
		_, err := outbound.VerifyWebhook([]byte(each.body), each.header, each.secret)
		equal(t, fmt.Sprint("code of case ", index), failureOf(t, err).Code, outbound.ErrorCodeInvalidSignature)
	}
}
