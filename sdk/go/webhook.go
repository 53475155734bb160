package outbound

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxWebhookAge is how far the time of a request may be from now, either way.
const maxWebhookAge = 5 * time.Minute

// VerifyWebhook checks the signature and the age of a webhook request and returns its event. An event may come twice:
// keep the webhook-id headers that you handled. The body has to be exactly as it came; the secret is the webhook's,
// with its whsec_. The error is an *Error of ErrorCodeInvalidSignature.
func VerifyWebhook(body []byte, header http.Header, secret string) (*WebhookEvent, error) {
	event := &WebhookEvent{}
	err := verifySignature(body, header, secret, time.Now())
	if err == nil {
		err = json.Unmarshal(body, event)
	}
	if err != nil {
		message := "The request is not a webhook signed with this secret: " + err.Error()
		return nil, &Error{Code: ErrorCodeInvalidSignature, Message: message, cause: err}
	}
	return event, nil
}

// verifySignature follows the Standard Webhooks: an HMAC of id, time and body, of which there may be several.
func verifySignature(body []byte, header http.Header, secret string, now time.Time) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return errors.New("the secret is not one")
	}
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || id == "" {
		return errors.New("a header is missing")
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > maxWebhookAge || age < -maxWebhookAge {
		return errors.New("it is too old, or from the future")
	}
	digest := hmac.New(sha256.New, key)
	digest.Write([]byte(id + "." + timestamp + "."))
	digest.Write(body)
	expected := digest.Sum(nil)
	for _, signature := range strings.Fields(header.Get("webhook-signature")) {
		text, isKnown := strings.CutPrefix(signature, "v1,")
		given, err := base64.StdEncoding.DecodeString(text)
		if isKnown && err == nil && hmac.Equal(given, expected) {
			return nil
		}
	}
	return errors.New("no signature fits")
}
