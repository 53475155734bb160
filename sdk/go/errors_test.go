package outbound_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/outbound/outbound-go"
)

func TestErrorsCarryWhatTheServiceSays(t *testing.T) {
	service := newScripted(t,
		func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Request-Id", "req_2")
			w.WriteHeader(429)
			_, _ = w.Write([]byte(`{"error":"quota_exceeded","message":"Used up","details":{"field":"contact.number"},"retry_after":3600}`))
		},
		func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(404)
			_, _ = w.Write([]byte(`{"success":false,"message":"Campaign not found"}`))
		},
		func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(403)
			_, _ = w.Write([]byte(`{"success":false,"message":"No","deniedCompanies":["c"]}`))
		},
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) },
		text("text/html", "{}"),
		text("application/json", "<html>"),
		text("application/json", `{"companies":"none"}`),
		text("application/json", ""),
	)
	client := service.client(t, func(options *outbound.Options) { options.Retries = outbound.Ptr(0) })
	failures := make([]*outbound.Error, 8)
	for index := range failures {
		failures[index] = failureOf(t, read(soon(t), client))
	}

	first := failures[0]
	equal(t, "text", first.Error(), "outbound: quota_exceeded: Used up (request req_2)")
	equal(t, "field", first.Field(), "contact.number")
	equal(t, "retry after", *first.RetryAfter, time.Hour)
	equal(t, "status", first.Status, 429)
	equal(t, "short form", failures[1].Code, outbound.ErrorCodeNotFound)
	equal(t, "details", failures[1].Details == nil, true)
	equal(t, "further fields", failures[2].Details["deniedCompanies"] != nil, true)
	equal(t, "no body", failures[3].Code, "http_502")
	for _, failure := range failures[4:] {
		equal(t, "code", failure.Code, outbound.ErrorCodeInvalidResponse)
		equal(t, "status", failure.Status, 200)
	}
	equal(t, "cause", errors.Unwrap(failures[5]) != nil, true)
}

func TestAPageOfAnotherServerIsNeverASuccess(t *testing.T) {
	service := newScripted(t, text("text/html", "<html>"))
	client := service.client(t)
	equal(t, "code", failureOf(t, client.Access.LogOut(soon(t))).Code, outbound.ErrorCodeInvalidResponse)
	_, err := client.WaitForCampaign(soon(t), "x", nil)
	equal(t, "code", failureOf(t, err).Code, outbound.ErrorCodeInvalidResponse)
}
