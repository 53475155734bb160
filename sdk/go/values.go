package outbound

import (
	"encoding/json"
	"time"
)

// Ptr returns a pointer to a value, for fields that may be absent.
func Ptr[T any](value T) *T { return &value }

// valueOf returns what a pointer points to, or the zero value.
func valueOf[T any](pointer *T) T {
	if pointer == nil {
		var none T
		return none
	}
	return *pointer
}

// UTC is a time in a request, where the service takes no other zone.
type UTC struct{ time.Time }

// MarshalJSON writes the time in UTC.
func (at UTC) MarshalJSON() ([]byte, error) { return at.Time.UTC().MarshalJSON() }

// Nullable is a field of a change: left out (its zero value), null (SetNull), or a value (Set).
type Nullable[T any] struct {
	value *T
	isSet bool
}

// Set changes a field to a value.
func Set[T any](value T) Nullable[T] { return Nullable[T]{value: &value, isSet: true} }

// SetNull clears a field.
func SetNull[T any]() Nullable[T] { return Nullable[T]{isSet: true} }

// IsZero says whether the field is left out.
func (field Nullable[T]) IsZero() bool { return !field.isSet }

// MarshalJSON writes the value or null.
func (field Nullable[T]) MarshalJSON() ([]byte, error) { return json.Marshal(field.value) }

// UnmarshalJSON reads a value or null.
func (field *Nullable[T]) UnmarshalJSON(text []byte) error {
	field.isSet = true
	return json.Unmarshal(text, &field.value)
}
