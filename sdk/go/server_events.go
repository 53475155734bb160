package outbound

import (
	"bufio"
	"io"
	"iter"
	"strings"
	"time"
)

// serverEvent is a server-sent event; without type and data it only moves the last id.
type serverEvent struct {
	kind, data string
	id         *string
}

// readServerEvents reads a text/event-stream body until it ends, however it does. An event that is cut off at the end
// is left out. A connection that is silent for longer than maxSilence returns counts as lost.
func readServerEvents(body io.ReadCloser, maxSilence func() time.Duration) iter.Seq[serverEvent] {
	return func(yield func(serverEvent) bool) {
		silence := time.AfterFunc(maxSilence(), func() { _ = body.Close() })
		defer func() {
			silence.Stop()
			_ = body.Close()
		}()
		lines := bufio.NewReader(body)
		event := serverEvent{}
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			silence.Reset(maxSilence())
			line = strings.TrimRight(line, "\r\n")
			if line != "" {
				event.add(line)
				continue
			}
			silence.Stop()
			if !yield(event) {
				return
			}
			event = serverEvent{}
			silence.Reset(maxSilence())
		}
	}
}

func (event *serverEvent) add(line string) {
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch name {
	case "event":
		event.kind = value
	case "data":
		if event.data != "" {
			value = event.data + "\n" + value
		}
		event.data = value
	case "id":
		event.id = &value
	}
}
