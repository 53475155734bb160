package outbound

import (
	"bytes"
	"container/list"
	"encoding/json"
)

// maxSubjects are remembered; those that changed longest ago are forgotten first.
const maxSubjects = 1000

// repetitionFilter knows the last event of each subject.
type repetitionFilter struct {
	subjects map[string]*list.Element
	// Those that changed longest ago come first.
	order list.List
}

// lastChange is an element of the order.
type lastChange struct{ subject, data string }

// isNew says whether a change is not the last one of its subject once more, and not a second ready. The first field of an
// event's data is the id of what changed.
func (filter *repetitionFilter) isNew(change change) bool {
	if change.Type == string(CompanyEventTypeReset) {
		return true
	}
	last := lastChange{subjectOf(change), string(change.Data)}
	if known := filter.subjects[last.subject]; known != nil {
		if known.Value == last {
			return false
		}
		filter.order.Remove(known)
	}
	if filter.subjects == nil {
		filter.subjects = map[string]*list.Element{}
	}
	filter.subjects[last.subject] = filter.order.PushBack(last)
	if filter.order.Len() > maxSubjects {
		oldest := filter.order.Remove(filter.order.Front()).(lastChange)
		delete(filter.subjects, oldest.subject)
	}
	return true
}

func subjectOf(change change) string {
	var attempt struct {
		Attempt json.RawMessage `json:"attempt"`
	}
	_ = json.Unmarshal(change.Data, &attempt)
	return change.Type + " " + string(firstField(change.Data)) + " " + string(attempt.Attempt)
}

// firstField returns the value that an object names first.
func firstField(object []byte) json.RawMessage {
	decoder := json.NewDecoder(bytes.NewReader(object))
	var value json.RawMessage
	for range 2 {
		if _, err := decoder.Token(); err != nil {
			return nil
		}
	}
	_ = decoder.Decode(&value)
	return value
}
