// Command go runs one behaviour of the Go client: it takes its name as the argument, the service and the key from
// OUTBOUND_BASE_URL and OUTBOUND_API_KEY, and what the behaviour needs as JSON from INPUT. It prints a line of JSON.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/outbound/outbound-go"
)

// input has what each behaviour needs.
type input struct {
	Notification   outbound.ChatNotification    `json:"notification"`
	Contact        outbound.Contact             `json:"contact"`
	Contacts       []outbound.Contact           `json:"contacts"`
	IdempotencyKey string                       `json:"idempotency_key"`
	CampaignID     string                       `json:"campaign_id"`
	CompanyID      string                       `json:"company_id"`
	Token          string                       `json:"token"`
	Names          []string                     `json:"names"`
	Limit          int                          `json:"limit"`
	TimeoutMs      int                          `json:"timeout_ms"`
	CancelAfterMs  int                          `json:"cancel_after_ms"`
	Secret         string                       `json:"secret"`
	Body           string                       `json:"body"`
	Headers        map[string]map[string]string `json:"headers"`
}

// result is the object that is printed.
type result map[string]any

func main() {
	var input input
	if err := json.Unmarshal([]byte(os.Getenv("INPUT")), &input); err != nil {
		panic(err)
	}
	printed, err := run(os.Args[1], input)
	if err != nil {
		printed = describe(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(printed); err != nil {
		panic(err)
	}
}

func run(name string, input input) (result, error) {
	options := outbound.Options{Timeout: milliseconds(input.TimeoutMs)}
	if input.TimeoutMs > 0 {
		options.Retries = outbound.Ptr(0)
	}
	client, err := outbound.New(options)
	if err != nil {
		return result{"message": err.Error()}, nil
	}
	return behaviours[name](context.Background(), client, input)
}

func milliseconds(count int) time.Duration { return time.Duration(count) * time.Millisecond }

// describe prints what callers find in an error.
func describe(err error) result {
	var failure *outbound.Error
	if !errors.As(err, &failure) {
		return result{"message": err.Error()}
	}
	return result{
		"class":          "Error",
		"code":           failure.Code,
		"status":         failure.Status,
		"field":          failure.Field(),
		"has_request_id": failure.RequestID != "",
	}
}
