package outbound

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"
)

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
