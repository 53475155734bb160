// The same sending as jobs of River.
// Usage: river DATABASE_URL UPSTREAM_URL COUNT
//
// Its settings are those that gave its best figure here: 500 workers, and the shortest pauses between two fetches.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

const (
	workers      = 500
	connections  = 10
	insertAtOnce = 5000
	path         = "/v25.0/4100000000000/messages"
)

type message struct {
	Number string `json:"number"`
	Text   string `json:"text"`
}

func (message) Kind() string { return "send" }

type sender struct {
	river.WorkerDefaults[message]
	client   *http.Client
	upstream string
}

func (s *sender) Work(ctx context.Context, job *river.Job[message]) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.upstream+path, bytes.NewReader(bodyOf(job.Args)))
	if err != nil {
		return err
	}
	request.Header.Set("authorization", "Bearer token-of-the-usual-length-or-so")
	request.Header.Set("content-type", "application/json")
	response, err := s.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	var accepted struct{ Messages []struct{ ID string } }
	if err := json.Unmarshal(text, &accepted); err != nil {
		return err
	}
	if len(accepted.Messages) != 1 {
		return fmt.Errorf("the platform answered %d", response.StatusCode)
	}
	return nil
}

// bodyOf makes a body as send_message.mjs does.
func bodyOf(m message) []byte {
	type fields map[string]any
	body, err := json.Marshal(fields{
		"messaging_product":        "whatsapp",
		"recipient_type":           "individual",
		"to":                       "+" + m.Number,
		"type":                     "template",
		"biz_opaque_callback_data": "01890000-0000-7000-8000-000000000000:01890000-0000-7000-8000-000000000000",
		"template": fields{
			"name":     "order_update",
			"language": fields{"code": "en"},
			"components": []fields{{
				"type": "body",
				"parameters": []fields{
					{"type": "text", "text": m.Text},
					{"type": "text", "text": "A-1001"},
				},
			}},
		},
	})
	if err != nil {
		panic(err)
	}
	return body
}

func run(ctx context.Context, databaseURL, upstream string, count int) error {
	config, err := pgxpool.ParseConfig(databaseURL)
	if err != nil {
		return err
	}
	config.MaxConns = connections
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	driver := riverpgxv5.New(pool)
	migrator, err := rivermigrate.New[pgx.Tx](driver, nil)
	if err != nil {
		return err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns = workers
	transport.MaxIdleConnsPerHost = workers
	registry := river.NewWorkers()
	river.AddWorker(registry, &sender{client: &http.Client{Transport: transport}, upstream: upstream})
	client, err := river.NewClient(driver, &river.Config{
		FetchCooldown:     river.FetchCooldownMin,
		FetchPollInterval: river.FetchPollIntervalMin,
		Logger:            slog.New(slog.DiscardHandler),
		Queues:            map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: workers}},
		Workers:           registry,
	})
	if err != nil {
		return err
	}
	for from := 0; from < count; from += insertAtOnce {
		var jobs []river.InsertManyParams
		for n := from; n < min(from+insertAtOnce, count); n++ {
			jobs = append(jobs, river.InsertManyParams{Args: message{Number: strconv.Itoa(34600000000 + n), Text: "Ana"}})
		}
		if _, err := client.InsertManyFast(ctx, jobs); err != nil {
			return err
		}
	}
	fmt.Println("ready")
	if err := client.Start(ctx); err != nil {
		return err
	}
	<-client.Stopped()
	return nil
}

func main() {
	count, err := strconv.Atoi(os.Args[3])
	if err == nil {
		err = run(context.Background(), os.Args[1], os.Args[2], count)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
