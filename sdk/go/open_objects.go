package outbound

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"
)

// marshalOpen writes the fields of a struct and others as one object. A named field wins over another of its name.
func marshalOpen[T any](named any, others map[string]T) ([]byte, error) {
	text, err := json.Marshal(named)
	if err != nil || len(others) == 0 {
		return text, err
	}
	fields := map[string]json.RawMessage{}
	for name, value := range others {
		if fields[name], err = json.Marshal(value); err != nil {
			return nil, err
		}
	}
	object := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, err
	}
	maps.Copy(fields, object)
	return json.Marshal(fields)
}

// unmarshalOpen reads an object into a struct, and fields that have no place there into others; those of another type
// than T are left out.
func unmarshalOpen[T any](text []byte, named any, others *map[string]T) error {
	if err := json.Unmarshal(text, named); err != nil {
		return err
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &fields); err != nil {
		return err
	}
	kind := reflect.TypeOf(named).Elem()
	for index := range kind.NumField() {
		name, _, _ := strings.Cut(kind.Field(index).Tag.Get("json"), ",")
		delete(fields, name)
	}
	*others = nil
	for name, field := range fields {
		var value T
		if json.Unmarshal(field, &value) != nil {
			continue
		}
		if *others == nil {
			*others = map[string]T{}
		}
		(*others)[name] = value
	}
	return nil
}

// eventKind returns the type that decides about the data of an event.
func eventKind(text []byte) (string, error) {
	var event struct {
		Type string `json:"type"`
	}
	err := json.Unmarshal(text, &event)
	return event.Type, err
}
