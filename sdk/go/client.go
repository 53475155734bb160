package outbound

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Mine stands for the company of an access key, wherever an operation takes a companyID.
const Mine = "mine"

// Options says how to reach the service, and for how long to retry. The zero value takes the address and the
// access key from the environment.
type Options struct {
	// BaseURL is the address of the API, ending in /functions/v1. Default: OUTBOUND_BASE_URL.
	BaseURL string
	// AccessKey is a company's access key, for Notifications and what its permissions open with Mine as the
	// company. Default: OUTBOUND_API_KEY, where there is no Token.
	AccessKey string
	// Token returns a user's token. It is called for each request.
	Token func(context.Context) (string, error)
	// Timeout is the time for one attempt, with the body of its response. Default: 30 seconds.
	Timeout time.Duration
	// Retries is how often a request is repeated at most. Default: 4.
	Retries *int
	// TotalTimeout is the time for all attempts of a request. Default: 2 minutes.
	TotalTimeout time.Duration
	// HTTPClient sends the requests. Default: http.DefaultClient.
	HTTPClient *http.Client
}

// Client is the configured client: the address of the service, one credential, and how to retry. It may be used by
// several goroutines at once.
type Client struct {
	Resources
	baseURL string
	// A function, so that no printed client shows a secret; nil without a credential.
	credential func(context.Context) (string, error)
	limits     limits
	http       *http.Client
}

// limits are those of one request.
type limits struct {
	timeout, total time.Duration
	retries        int
}

// New makes a client. An error names the option or the variable that is missing or does not fit.
func New(options Options) (*Client, error) {
	baseURL, err := baseURLOf(options.BaseURL)
	if err != nil {
		return nil, err
	}
	credential, err := credentialOf(options)
	if err != nil {
		return nil, err
	}
	client := &Client{
		baseURL:    baseURL,
		credential: credential,
		limits:     limits{timeout: 30 * time.Second, total: 2 * time.Minute, retries: 4},
		http:       options.HTTPClient,
	}
	if options.Timeout < 0 || options.TotalTimeout < 0 || valueOf(options.Retries) < 0 {
		return nil, errors.New("outbound: Timeout, TotalTimeout and Retries must not be negative")
	}
	if options.Timeout > 0 {
		client.limits.timeout = options.Timeout
	}
	if options.TotalTimeout > 0 {
		client.limits.total = options.TotalTimeout
	}
	if options.Retries != nil {
		client.limits.retries = *options.Retries
	}
	if client.http == nil {
		client.http = http.DefaultClient
	}
	client.Resources = newResources(client)
	return client, nil
}

func baseURLOf(given string) (string, error) {
	if given == "" {
		given = os.Getenv("OUTBOUND_BASE_URL")
	}
	if given == "" {
		return "", errors.New("outbound: set OUTBOUND_BASE_URL, or give Options.BaseURL")
	}
	address, err := url.Parse(given)
	if err != nil || (address.Scheme != "http" && address.Scheme != "https") || address.Host == "" ||
		address.RawQuery != "" || address.Fragment != "" {
		return "", errors.New("outbound: BaseURL: expected a URL such as https://api.example.com/functions/v1")
	}
	return strings.TrimRight(given, "/"), nil
}

// credentialOf returns nil where there is none: some operations need none.
func credentialOf(options Options) (func(context.Context) (string, error), error) {
	key := options.AccessKey
	if options.Token != nil {
		if key != "" {
			return nil, errors.New("outbound: give AccessKey or Token, and make a client for each")
		}
		return options.Token, nil
	}
	if key == "" {
		key = os.Getenv("OUTBOUND_API_KEY")
	}
	if key == "" {
		return nil, nil
	}
	return func(context.Context) (string, error) { return key, nil }, nil
}
