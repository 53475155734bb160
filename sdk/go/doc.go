// Package outbound is a typed client of the outbound API. Its types and operations are generated from the API
// document; the rest adds the credential, idempotency keys, time limits, retries, pages, campaigns of any size,
// waiting, the event stream and webhooks.
//
//	client, err := outbound.New(outbound.Options{})
//	accepted, err := client.Notifications.SendNotification(ctx, outbound.ChatNotification{…}, nil)
//
// A text, a time, a list or a map that is absent or null is the zero value of its type. Numbers, booleans and
// objects that may be absent or null are pointers; Ptr makes one. A field of a change that null clears is a
// Nullable.
package outbound
