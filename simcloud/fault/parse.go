package fault

import (
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"

	strict "sigs.k8s.io/json"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/strictjson"
)

// Parse reads a rule from JSON and checks it. Unknown and repeated fields, and
// what is wrong in those that are known, are Invalid and named by their path.
func Parse(raw []byte) (Rule, error) {
	var r Rule
	wrong, err := strict.UnmarshalStrict(raw, &r)
	if err != nil {
		return Rule{}, simcloud.InvalidFields("fault", []simcloud.FieldError{unreadable(raw, err)})
	}
	f := fields(strictjson.FieldsOf(reflect.TypeFor[Rule](), wrong, "body"))
	f.explicit(raw)
	if err := simcloud.InvalidFields("fault", f); err != nil {
		return Rule{}, err
	}
	if err := r.Validate(); err != nil {
		return Rule{}, err
	}
	return r, nil
}

// unreadable says which field does not fit, or that it is no rule at all.
func unreadable(raw []byte, err error) simcloud.FieldError {
	var mistyped *json.UnmarshalTypeError
	if errors.As(err, &mistyped) && mistyped.Field != "" {
		return simcloud.FieldError{Field: mistyped.Field, Detail: mistyped.Value + " is invalid here: must be " + rightful(mistyped.Type)}
	}
	var v any
	if json.Unmarshal(raw, &v) == nil {
		if path, err := badDuration(reflect.TypeFor[Rule](), v, ""); err != nil {
			return simcloud.FieldError{Field: path, Detail: err.Error()}
		}
	}
	return simcloud.FieldError{Field: "body", Detail: "it is not a fault rule: " + strings.TrimPrefix(err.Error(), "json: ")}
}

// rightful says what a value of the type looks like.
func rightful(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[simcloud.Duration]():
		return `a duration such as "30s"`
	case t.Kind() == reflect.Struct:
		return "an object"
	case t.Kind() == reflect.Slice:
		return "a list"
	case t.Kind() == reflect.Float64:
		return "a number"
	case t.Kind() == reflect.Uint64, t.Kind() == reflect.Int:
		return "a whole number from 0"
	default:
		return "a " + t.Kind().String()
	}
}

// explicit refuses zeros that are written out: they would mean the same as a
// field that is missing, the opposite of what their author expects.
func (f *fields) explicit(raw []byte) {
	var given struct {
		When struct {
			Times, Every, Probability *float64
		}
	}
	if json.Unmarshal(raw, &given) != nil {
		return
	}
	zero := func(path string, n *float64) {
		if n != nil && *n == 0 {
			f.add(path, "0 would never fire: leave it out, or give a number above 0")
		}
	}
	zero("when.times", given.When.Times)
	zero("when.every", given.When.Every)
	zero("when.probability", given.When.Probability)
}

// badDuration finds the invalid duration of a value of type t: the
// decoder says what is wrong with it, but not where it is.
func badDuration(t reflect.Type, v any, path string) (string, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch v := v.(type) {
	case string:
		if t == reflect.TypeFor[simcloud.Duration]() {
			return path, new(simcloud.Duration).UnmarshalText([]byte(v))
		}
	case []any:
		if t.Kind() != reflect.Slice {
			break
		}
		for i, item := range v {
			if at, err := badDuration(t.Elem(), item, path+"["+strconv.Itoa(i)+"]"); err != nil {
				return at, err
			}
		}
	case map[string]any:
		if t.Kind() != reflect.Struct {
			break
		}
		return badField(t, v, path)
	}
	return path, nil
}

// badField is badDuration for the fields of a struct.
func badField(t reflect.Type, values map[string]any, path string) (string, error) {
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		value, given := values[name]
		if !given || name == "" {
			continue
		}
		if at, err := badDuration(t.Field(i).Type, value, strings.TrimPrefix(path+"."+name, ".")); err != nil {
			return at, err
		}
	}
	return path, nil
}
