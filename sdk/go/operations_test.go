package outbound_test

import (
	"context"
	"io"
	"reflect"
	"strings"
	"testing"
)

// argumentOf returns a value of a type that an operation takes.
func argumentOf(ctx context.Context, kind reflect.Type) reflect.Value {
	switch {
	case kind.Kind() == reflect.String:
		return reflect.ValueOf("x/y").Convert(kind)
	case kind == reflect.TypeFor[context.Context]():
		return reflect.ValueOf(ctx)
	case kind == reflect.TypeFor[io.ReadSeeker]():
		return reflect.ValueOf(strings.NewReader("file"))
	}
	return reflect.Zero(kind)
}

func TestEveryOperationSendsOneRequestWithItsArguments(t *testing.T) {
	service := newScripted(t, refusal(400, "validation_failed", ""))
	client := service.client(t)
	resources := reflect.ValueOf(client.Resources)
	count := 0
	for index := range resources.NumField() {
		resource := resources.Field(index)
		for method := range resource.NumMethod() {
			name, call := resource.Type().Method(method).Name, resource.Method(method)
			kind := call.Type()
			if kind.NumOut() == 1 && kind.Out(0).Kind() == reflect.Func {
				continue
			}
			var arguments []reflect.Value
			texts := 0
			for argument := range kind.NumIn() - 1 {
				value := argumentOf(soon(t), kind.In(argument))
				if value.Kind() == reflect.String {
					texts++
				}
				arguments = append(arguments, value)
			}
			results := call.Call(arguments)

			count++
			failure := failureOf(t, results[len(results)-1].Interface().(error))
			equal(t, name, failure.Status, 400)
			equal(t, name+": requests", len(service.seen()), count)
			request := service.seen()[count-1]
			sent := strings.Count(request.path, "x%2Fy")
			for _, values := range request.header {
				if values[0] == "x/y" {
					sent++
				}
			}
			equal(t, name+": arguments", sent, texts)
			equal(t, name+": placeholders", strings.Contains(request.path, "%7B"), false)
		}
	}
	if count < 200 {
		t.Fatalf("%d operations", count)
	}
}
