package openapi

const (
	parameterPrefix = "#/components/parameters/"
	headerPrefix    = "#/components/headers/"
	responsePrefix  = "#/components/responses/"
)

// The headers of requests that are no more than parameters.
const (
	idempotencyKey = "IdempotencyKey"
	ifMatch        = "IfMatch"
	lastEventID    = "LastEventID"
	requestID      = "RequestID"
	consistency    = "Consistency"
)

// conditions are the headers of requests.
func conditions() map[string]*Param {
	return map[string]*Param{
		idempotencyKey: {
			Name: "Idempotency-Key", In: "header", Schema: &Schema{Type: "string"},
			Description: "Makes the call safe to repeat: the same key and body answer what they have answered before, the same key with another body is a conflict. " +
				"Each project keeps the answers to its last 16,384 calls with a key, for the idempotencyTTL of the configuration.",
		},
		ifMatch: {
			Name: "If-Match", In: "header", Schema: &Schema{Type: "string", Examples: []any{`"7"`}},
			Description: "The version that the resource must have, as ETag said it; else the call answers conflict.",
		},
		lastEventID: {
			Name: "Last-Event-ID", In: "header", Schema: &Schema{Type: "string"},
			Description: "The id of the last event that is known, as browsers repeat it.",
		},
		requestID: {
			Name: "Simcloud-Request-Id", In: "header", Schema: &Schema{Type: "string"},
			Description: "A name for the request in the answer, the log and the journal, of at most 64 printable characters; the cloud gives it one otherwise.",
		},
		consistency: {
			Name: "Simcloud-Consistency", In: "header", Schema: &Schema{Type: "string", Enum: []string{"strong"}},
			Description: "strong: the answer shows the cloud as it is, whatever the consistency of the configuration says. For the role admin; other roles read as without it.",
		},
	}
}

// headers are the headers of answers.
func headers() map[string]Header {
	text := &Schema{Type: "string"}
	number := &Schema{Type: "integer", Minimum: new(float64)}
	return map[string]Header{
		"Simcloud-Request-Id": {Description: "What names the request in the log and the journal.", Schema: text},
		"Simcloud-Fault":      {Description: "The id of the fault rule that changed the answer, if one did.", Schema: text},
		"ETag":                {Description: "The version of the resource, for If-Match.", Schema: text},
		"Retry-After":         {Description: "How many seconds to wait before trying again.", Schema: number},
		"WWW-Authenticate":    {Description: "How to say who calls.", Schema: text},
		"RateLimit-Limit":     {Description: "How many calls the tightest class that the call is in holds; with rates alone.", Schema: number},
		"RateLimit-Remaining": {Description: "How many of them are left.", Schema: number},
		"RateLimit-Reset":     {Description: "In how many seconds all of them are there again.", Schema: number},
	}
}

// common are the headers that every answer may have.
func common() map[string]Header {
	all := map[string]Header{}
	for _, name := range []string{
		"Simcloud-Request-Id", "Simcloud-Fault", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset",
	} {
		all[name] = Header{Ref: headerPrefix + name}
	}
	return all
}
