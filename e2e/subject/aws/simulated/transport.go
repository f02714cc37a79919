package simulated

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
)

// The provider (v1.37) takes no HTTP client: that of all its clients is a variable of its package, of a type that makes sockets.
// So the fields of a provider that was opened are set. The clients of the SDK are all that is changed of it.
var (
	// clients are the fields of the provider that lead to the options of a client.
	clients = [][]string{{"ec2", "ec2", "options"}, {"elb", "options"}, {"elbv2", "options"}}
	// credentials are the fields of such options that lead to those of the client for credentials.
	credentials = []string{"Credentials", "provider", "client", "options"}
)

// sendBy lets all clients of a provider send their requests by an HTTP client.
func sendBy(provider any, client *http.Client) error {
	for _, options := range clients {
		for _, path := range [][]string{options, slices.Concat(options, credentials)} {
			if err := set(provider, append(path, "HTTPClient"), client); err != nil {
				return err
			}
		}
	}
	return nil
}

// set sets a field, exported or not, that a path of fields leads to.
func set(from any, path []string, value any) error {
	field := reflect.ValueOf(from)
	for i, name := range path {
		for field.Kind() == reflect.Pointer || field.Kind() == reflect.Interface {
			field = field.Elem()
		}
		if field.Kind() == reflect.Struct {
			field = field.FieldByName(name)
		}
		if !field.IsValid() {
			return fmt.Errorf("set %s of %T: there is no %s: is it another version?", strings.Join(path, "."), from, strings.Join(path[:i+1], "."))
		}
	}
	reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem().Set(reflect.ValueOf(value))
	return nil
}
