package dialect

import "context"

type decodedKey struct{}

// WithDecoded returns a context whose requests are told to seen once they are decoded: a test learns the types of the requests so, and
// walks their fields. Nothing else has such a context.
func WithDecoded(ctx context.Context, seen func(request any)) context.Context {
	return context.WithValue(ctx, decodedKey{}, seen)
}

// Decoded tells the function of [WithDecoded], if ctx has one, what a request was decoded into.
func Decoded(ctx context.Context, request any) {
	if seen, ok := ctx.Value(decodedKey{}).(func(request any)); ok {
		seen(request)
	}
}
