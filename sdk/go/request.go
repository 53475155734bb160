package outbound

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
)

// request is what an operation asks for.
type request struct {
	method string
	// As in the API document, with {campaign_id} and the like, which path fills in order.
	route  string
	path   []string
	query  map[string]string
	header map[string]string
	// A pointer to a struct whose fields are tagged with the name in the query; those left out are zero.
	params any
	// It works without an access key or a user's token.
	open bool
	// It takes an Idempotency-Key.
	keyed bool
	// It does the same when it arrives twice, also without a key.
	repeatable bool
	body       any
	file       *upload
}

// upload is a body that is not JSON.
type upload struct {
	io.ReadSeeker
	contentType string
}

// call sends a request and decodes the JSON that it returns.
func call[T any](ctx context.Context, client *Client, request request, options []RequestOption) (T, error) {
	var result T
	response, body, err := client.sendWhole(ctx, request, options)
	if err != nil {
		return result, err
	}
	if len(body) == 0 && response.Status != http.StatusOK {
		return result, nil
	}
	if !isJSON(response.Header) {
		return result, invalidResponse(response, nil)
	}
	if err := json.Unmarshal(body, &result); err != nil {
		var none T
		return none, invalidResponse(response, err)
	}
	return result, nil
}

// run sends a request whose response has no body.
func run(ctx context.Context, client *Client, request request, options []RequestOption) error {
	response, body, err := client.sendWhole(ctx, request, options)
	if err == nil && len(body) > 0 && !isJSON(response.Header) {
		return invalidResponse(response, nil)
	}
	return err
}

// openFile sends a request whose response the caller reads as it comes.
func openFile(ctx context.Context, client *Client, request request, options []RequestOption) (*File, error) {
	stream := func(settings *settings) { settings.isStream = true }
	response, body, err := client.send(ctx, request, append(options[:len(options):len(options)], stream))
	if err != nil {
		return nil, err
	}
	return &File{ReadCloser: body, ContentType: response.Header.Get("Content-Type")}, nil
}

func (client *Client) sendWhole(ctx context.Context, request request, options []RequestOption) (Response, []byte, error) {
	response, body, err := client.send(ctx, request, options)
	if err != nil {
		return response, nil, err
	}
	// It is in memory already.
	text, err := io.ReadAll(body)
	return response, text, err
}
