package outbound

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

var errTimedOut = errors.New("timed out")

// attempt is a request that can be sent several times.
type attempt struct {
	client      *Client
	method, url string
	header      http.Header
	body        []byte
	file        *fileBody
	isStream    bool
}

func (client *Client) prepare(ctx context.Context, request request, settings settings) (*attempt, error) {
	address, err := client.urlOf(request)
	if err != nil {
		return nil, err
	}
	body, err := bodyOf(request)
	if err != nil {
		return nil, fmt.Errorf("outbound: the body of %s: %w", request.route, err)
	}
	header, err := client.headerOf(ctx, request, settings.header)
	if err != nil {
		return nil, err
	}
	attempt := &attempt{
		client: client, method: request.method, url: address, header: header, body: body, isStream: settings.isStream,
	}
	if request.file != nil {
		attempt.file, err = newFileBody(request.file)
	}
	return attempt, err
}

// try sends the request once. The time limit is for the whole response, or until a stream begins.
func (attempt *attempt) try(ctx context.Context, timeout time.Duration) (Response, io.ReadCloser, error) {
	if ctx.Err() != nil {
		return Response{}, nil, context.Cause(ctx)
	}
	limited, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(timeout, func() { cancel(errTimedOut) })
	response, body, err := attempt.receive(limited)
	if err == nil && attempt.isStream && timer.Stop() {
		return response, &stream{body, cancel}, nil
	}
	if err == nil && attempt.isStream {
		err = errTimedOut
		_ = body.Close()
	}
	timer.Stop()
	defer cancel(nil)
	var refusal *Error
	switch {
	case err == nil || errors.As(err, &refusal):
		return response, body, err
	case ctx.Err() != nil:
		return response, nil, context.Cause(ctx)
	case errors.Is(context.Cause(limited), errTimedOut):
		return response, nil, &Error{Code: ErrorCodeTimedOut, Message: fmt.Sprintf("No response within %s", timeout)}
	}
	return response, nil, connectionFailed(err)
}

// receive returns a response with its whole body, so that a connection lost in the middle of it is a failed attempt.
func (attempt *attempt) receive(ctx context.Context) (Response, io.ReadCloser, error) {
	request, done, err := attempt.request(ctx)
	if err != nil {
		return Response{}, nil, err
	}
	defer done()
	received, err := attempt.client.http.Do(request)
	if err != nil {
		return Response{}, nil, err
	}
	response := responseOf(received.StatusCode, received.Header)
	isSuccess := received.StatusCode >= 200 && received.StatusCode < 300
	if isSuccess && attempt.isStream {
		return response, received.Body, nil
	}
	defer received.Body.Close()
	body, err := io.ReadAll(received.Body)
	switch {
	case err != nil:
		return Response{}, nil, err
	case !isSuccess:
		return response, nil, errorOf(response, body)
	}
	return response, io.NopCloser(bytes.NewReader(body)), nil
}

// request returns the request of one attempt, and a function that ends the use of its body.
func (attempt *attempt) request(ctx context.Context) (*http.Request, func(), error) {
	request, err := http.NewRequestWithContext(ctx, attempt.method, attempt.url, bytes.NewReader(attempt.body))
	if err != nil {
		return nil, nil, err
	}
	request.Header = attempt.header.Clone()
	if attempt.file == nil {
		return request, func() {}, nil
	}
	body, err := attempt.file.open()
	if err != nil {
		return nil, nil, err
	}
	request.Body, request.ContentLength, request.GetBody = body, attempt.file.size, nil
	return request, func() { _ = body.Close() }, nil
}

// stream is a response's body; closing it ends the request.
type stream struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

func (stream *stream) Close() error {
	defer stream.cancel(nil)
	return stream.ReadCloser.Close()
}

// connectionFailed leaves out the address, which may hold a key.
func connectionFailed(cause error) *Error {
	var failed *url.Error
	if errors.As(cause, &failed) {
		cause = failed.Err
	}
	return &Error{
		Code:    ErrorCodeConnectionFailed,
		Message: "The service could not be reached, or the connection was lost",
		cause:   cause,
	}
}
