package outbound_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/outbound/outbound-go"
)

// seen is a request that came.
type seen struct {
	method, path, body string
	header             http.Header
}

// scripted is a service that takes its steps in turn; the last one repeats.
type scripted struct {
	*httptest.Server
	mutex    sync.Mutex
	requests []seen
	arrived  chan struct{}
}

func newScripted(t *testing.T, steps ...http.HandlerFunc) *scripted {
	t.Helper()
	service := &scripted{arrived: make(chan struct{}, 1000)}
	service.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		service.mutex.Lock()
		service.requests = append(service.requests, seen{r.Method, r.URL.RequestURI(), string(body), r.Header})
		step := steps[min(len(service.requests), len(steps))-1]
		service.mutex.Unlock()
		service.arrived <- struct{}{}
		step(w, r)
	}))
	t.Cleanup(service.Close)
	return service
}

// newRaw is a service whose handler reads the body itself.
func newRaw(t *testing.T, handle http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return server
}

func (service *scripted) seen() []seen {
	service.mutex.Lock()
	defer service.mutex.Unlock()
	return append([]seen{}, service.requests...)
}

func (service *scripted) client(t *testing.T, change ...func(*outbound.Options)) *outbound.Client {
	t.Helper()
	options := outbound.Options{BaseURL: service.URL, AccessKey: "outbound_secret"}
	for _, each := range change {
		each(&options)
	}
	client, err := outbound.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func success(body any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(body)
	}
}

func refusal(status int, code, retryAfter string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Request-Id", "req_1")
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": code, "message": "It is " + code})
	}
}

// cut breaks off in the middle of the body.
func cut(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", "100")
	_, _ = w.Write([]byte("{"))
}

// silence lasts until the client is gone.
func silence(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func text(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, body)
	}
}

// failureOf finds the client's error; it fails the test where there is none.
func failureOf(t *testing.T, err error) *outbound.Error {
	t.Helper()
	var failure *outbound.Error
	if !errors.As(err, &failure) {
		t.Fatalf("expected an *outbound.Error, got %v", err)
	}
	return failure
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// soon keeps a test that hangs from hanging without end.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}
