package outbound

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// send sends a request until it succeeds, fails for good, or is out of attempts or time. The body of the response is in
// memory, but for a stream. An error is an *Error, or the cause why ctx ended.
func (client *Client) send(ctx context.Context, request request, options []RequestOption) (Response, io.ReadCloser, error) {
	settings := settings{limits: client.limits, header: http.Header{}}
	for _, option := range options {
		option(&settings)
	}
	attempt, err := client.prepare(ctx, request, settings)
	if err != nil {
		return Response{}, nil, err
	}
	repeatable := request.repeatable || attempt.header.Get("Idempotency-Key") != "" || hasMessageID(attempt.body)
	end := time.Now().Add(settings.total)
	for retry := 0; ; retry++ {
		response, body, err := attempt.try(ctx, min(settings.timeout, time.Until(end)))
		if settings.response != nil {
			*settings.response = response
		}
		var failure *Error
		if err == nil || !errors.As(err, &failure) {
			return response, body, err
		}
		delay := delayBefore(retry, failure.RetryAfter)
		isOver := retry >= settings.retries || !time.Now().Add(delay).Before(end)
		if isOver || !isWorthRetrying(failure, repeatable) {
			return response, nil, failure
		}
		if err := pause(ctx, delay); err != nil {
			return response, nil, err
		}
	}
}

// pause waits, and returns the cause as soon as ctx ends.
func pause(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
