package client

import "github.com/simcloud-dev/simcloud/simcloud"

// around is an API with a hook around each of its calls.
type around struct {
	simcloud.API
	hook func(operation string, next func() error) error
}

// Around returns the api with a hook around each call: metrics, retries of the
// caller, and in tests failures. The hook is given the operation's name and next,
// which makes the call; an error of the hook takes the place of the answer. Streams
// are not calls: WatchEvents has no hook.
func Around(api simcloud.API, hook func(operation string, next func() error) error) simcloud.API {
	return around{api, hook}
}

// wrap makes one call through the hook.
func wrap[T any](a around, operation string, call func() (T, error)) (T, error) {
	var answer, none T
	err := a.hook(operation, func() (err error) {
		answer, err = call()
		return err
	})
	if err != nil {
		return none, err
	}
	return answer, nil
}
