package simcloud

// CallOptions are the conditions of one mutation.
type CallOptions struct {
	// IfVersion, when not 0, is the version that the resource must have; else the call answers Conflict.
	IfVersion uint64
	// IdempotencyKey, when set, makes a create safe to repeat: the same key
	// and spec answer the first result, the same key with another spec answers Conflict.
	// Each project keeps its last 16,384 answers, for Config.IdempotencyTTL.
	IdempotencyKey string
}

// CallOption sets one of the CallOptions.
type CallOption func(*CallOptions)

// IfVersion makes a mutation fail with Conflict unless the resource has this version.
func IfVersion(version uint64) CallOption {
	return func(o *CallOptions) { o.IfVersion = version }
}

// IdempotencyKey makes a create safe to repeat.
func IdempotencyKey(key string) CallOption {
	return func(o *CallOptions) { o.IdempotencyKey = key }
}

// Options joins the options of a call. It is for implementations of API.
func Options(opts []CallOption) CallOptions {
	var o CallOptions
	for _, opt := range opts {
		opt(&o)
	}
	return o
}
