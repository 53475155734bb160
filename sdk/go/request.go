package outbound

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"
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

func (client *Client) urlOf(request request) (string, error) {
	route := request.route
	for _, value := range request.path {
		start, end := strings.IndexByte(route, '{'), strings.IndexByte(route, '}')
		if value == "" || value == "." || value == ".." {
			return "", fmt.Errorf("outbound: %s: expected a value, got %q", route[start+1:end], value)
		}
		route = route[:start] + url.PathEscape(value) + route[end+1:]
	}
	query := queryOf(request.params)
	for name, value := range request.query {
		query.Set(name, value)
	}
	if len(query) == 0 {
		return client.baseURL + route, nil
	}
	return client.baseURL + route + "?" + query.Encode(), nil
}

// queryOf reads the fields of a struct that are not zero.
func queryOf(params any) url.Values {
	query := url.Values{}
	pointer := reflect.ValueOf(params)
	if !pointer.IsValid() || pointer.IsNil() {
		return query
	}
	fields := pointer.Elem()
	for index := range fields.NumField() {
		field := fields.Field(index)
		if field.IsZero() {
			continue
		}
		if field.Kind() == reflect.Pointer {
			field = field.Elem()
		}
		text := fmt.Sprint(field.Interface())
		if at, ok := field.Interface().(time.Time); ok {
			text = at.UTC().Format(time.RFC3339Nano)
		}
		query.Set(fields.Type().Field(index).Tag.Get("query"), text)
	}
	return query
}

// headerOf returns the header fields of a request; those of the caller come last.
func (client *Client) headerOf(ctx context.Context, request request, others http.Header) (http.Header, error) {
	header := http.Header{}
	for name, value := range request.header {
		header.Set(name, value)
	}
	if request.file != nil {
		header.Set("Content-Type", request.file.contentType)
	} else if hasBody(request.body) {
		header.Set("Content-Type", "application/json")
	}
	if request.keyed && others.Get("Idempotency-Key") == "" {
		header.Set("Idempotency-Key", newIdempotencyKey())
	}
	if client.credential == nil && !request.open && others.Get("Authorization") == "" {
		return nil, errors.New("outbound: set OUTBOUND_API_KEY, or give Options.AccessKey or Options.Token")
	}
	if client.credential != nil && others.Get("Authorization") == "" {
		secret, err := client.credential(ctx)
		if err != nil {
			return nil, err
		}
		header.Set("Authorization", "Bearer "+secret)
	}
	for name, values := range others {
		header[name] = values
	}
	return header, nil
}

// hasBody finds optional bodies that are left out, which are nil pointers.
func hasBody(body any) bool {
	value := reflect.ValueOf(body)
	return value.IsValid() && (value.Kind() != reflect.Pointer || !value.IsNil())
}

// bodyOf returns the JSON of a body; nothing without one.
func bodyOf(request request) ([]byte, error) {
	if request.file != nil || !hasBody(request.body) {
		return nil, nil
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(request.body)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

func newIdempotencyKey() string {
	var random [16]byte
	// It never fails: without random numbers the program ends.
	_, _ = rand.Read(random[:])
	return hex.EncodeToString(random[:])
}
