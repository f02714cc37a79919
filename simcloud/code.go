package simcloud

// Code names a class of failure. A Code is itself an error, so that
// errors.Is(err, simcloud.NotFound) asks for the class.
type Code string

// The codes that an operation can end in.
const (
	// Invalid: the request can never succeed as it is; Error.Fields says which field is wrong.
	Invalid Code = "invalid"
	// Unauthenticated: the token is missing, unknown or expired.
	Unauthenticated Code = "unauthenticated"
	// Forbidden: the token is good, its role does not allow the operation.
	Forbidden Code = "forbidden"
	// NotFound: the cloud knows that there is no such resource.
	NotFound Code = "not_found"
	// AlreadyExists: something that must be unique is taken.
	AlreadyExists Code = "already_exists"
	// InUse: another resource still refers to this one.
	InUse Code = "in_use"
	// Protected: the resource must not be deleted until its protection is taken off.
	Protected Code = "protected"
	// Conflict: the version in the request is stale; read again and decide again.
	Conflict Code = "conflict"
	// Locked: an operation is running on the resource; the caller decides whether to wait.
	Locked Code = "locked"
	// QuotaExceeded: the project may not have more of this kind.
	QuotaExceeded Code = "quota_exceeded"
	// Capacity: the zone, pool or table is full.
	Capacity Code = "capacity"
	// RateLimited: too many requests; Error.RetryAfter says when to come back.
	RateLimited Code = "rate_limited"
	// Unavailable: the cloud could not be asked, or did not answer in its own words.
	Unavailable Code = "unavailable"
	// Timeout: the cloud was asked and did not answer in time; the operation may have happened.
	Timeout Code = "timeout"
	// Unimplemented: the cloud does not have this operation.
	Unimplemented Code = "unimplemented"
	// Internal: a defect of the cloud.
	Internal Code = "internal"
)

// Codes returns every code, in the order of their documentation.
func Codes() []Code {
	return []Code{
		Invalid, Unauthenticated, Forbidden, NotFound, AlreadyExists, InUse, Protected, Conflict, Locked,
		QuotaExceeded, Capacity, RateLimited, Unavailable, Timeout, Unimplemented, Internal,
	}
}

// Error makes a Code usable as a target of errors.Is.
func (c Code) Error() string { return string(c) }
