package core

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// CheckFile is Check of the data file of a cloud that is not running. The file
// stays as it is. problems are what is wrong with it, one each; err says why
// it could not be looked at: it is not there, in use, or of a newer version.
func CheckFile(ctx context.Context, path string) (problems []error, err error) {
	db, err := store.OpenToCheck(path) // which reads a file of a former version too
	switch {
	case errors.Is(err, store.ErrDamaged):
		return []error{err}, nil
	case err != nil:
		return nil, err
	}
	return problemsOf(checkClosed(ctx, db.DB)), db.Close()
}

// checkClosed checks a cloud in which no time passes and no call runs. What
// damage makes panic is a problem too.
func checkClosed(ctx context.Context, db *store.DB) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", store.ErrDamaged, p)
		}
	}()
	return (&Cloud{db: db, clock: newClock(noTime{})}).Check(ctx)
}

// noTime is the clock of a cloud that does not run: nothing is ever due.
type noTime struct{}

func (noTime) Now() time.Time { return time.Unix(0, 0) }

func (noTime) NewTimer(time.Duration) (<-chan time.Time, func() bool) {
	return nil, func() bool { return true }
}

// problemsOf takes joined errors apart.
func problemsOf(err error) []error {
	var joined interface{ Unwrap() []error }
	switch {
	case err == nil:
		return nil
	case !asJoined(err, &joined):
		return []error{err}
	}
	var problems []error
	for _, part := range joined.Unwrap() {
		problems = append(problems, problemsOf(part)...)
	}
	return problems
}

// asJoined finds errors that are nothing but a list of others; one that says
// something itself stays whole.
func asJoined(err error, into *interface{ Unwrap() []error }) bool {
	joined, ok := err.(interface{ Unwrap() []error }) //nolint:errorlint // those that it wraps are not meant
	if !ok || err.Error() != errors.Join(joined.Unwrap()...).Error() {
		return false
	}
	*into = joined
	return true
}
