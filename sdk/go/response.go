package outbound

import (
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Response is what a response says beside its body.
type Response struct {
	Status int
	Header http.Header
	// RequestID is what to quote when you ask for help.
	RequestID string
	// ETag names the settings as they were read or changed. Send it as ifMatch with the next change.
	ETag string
	// RateLimit is nil where the service reports none.
	RateLimit *RateLimit
}

// RateLimit is what the rate of an access key leaves.
type RateLimit struct {
	// Limit is how many requests a window takes.
	Limit int
	// Remaining is how many more it takes now.
	Remaining int
	// Reset is how long until the next window.
	Reset time.Duration
}

// File is a response that is read as it comes: a recording, a picture, CSV. Close it.
type File struct {
	io.ReadCloser
	ContentType string
}

func responseOf(status int, header http.Header) Response {
	return Response{
		Status:    status,
		Header:    header,
		RequestID: header.Get("X-Request-Id"),
		ETag:      header.Get("ETag"),
		RateLimit: rateLimitOf(header),
	}
}

// rateLimitOf reads the header fields of the IETF's "RateLimit header fields for HTTP".
func rateLimitOf(header http.Header) *RateLimit {
	limit, hasLimit := parameterOf(header.Get("RateLimit-Policy"), "q")
	remaining, hasRemaining := parameterOf(header.Get("RateLimit"), "r")
	reset, hasReset := parameterOf(header.Get("RateLimit"), "t")
	if !hasLimit || !hasRemaining || !hasReset {
		return nil
	}
	return &RateLimit{Limit: limit, Remaining: remaining, Reset: time.Duration(reset) * time.Second}
}

// parameterOf finds a parameter of a structured field such as "requests";r=5;t=30.
func parameterOf(field, name string) (int, bool) {
	for _, part := range strings.Split(field, ";")[1:] {
		if value, found := strings.CutPrefix(strings.TrimSpace(part), name+"="); found {
			number, err := strconv.Atoi(value)
			return number, err == nil
		}
	}
	return 0, false
}

var jsonType = regexp.MustCompile(`(?i)^application/json\b`)

// isJSON finds pages of other servers: they are no response of the API, also where their status is 200.
func isJSON(header http.Header) bool {
	return jsonType.MatchString(header.Get("Content-Type"))
}
