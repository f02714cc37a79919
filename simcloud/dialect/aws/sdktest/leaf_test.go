package sdktest

import (
	"encoding/xml"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// element is an element of an answer.
type element struct {
	XMLName  xml.Name
	Text     string    `xml:",chardata"`
	Children []element `xml:",any"`
}

func parse(body []byte) (element, error) {
	var root element
	if err := xml.Unmarshal(body, &root); err != nil {
		return root, fmt.Errorf("parse the answer: %w", err)
	}
	return root, nil
}

// leaf is an element without elements below it.
type leaf struct{ path, text string }

// named is a value with the name that it has in a structure, in small letters. The elements of a list have the list's.
type named struct{ name, text string }

// named is the leaf without the elements around it.
func (l leaf) named() named {
	parts := strings.Split(l.path, "/")
	for len(parts) > 1 && (parts[len(parts)-1] == "item" || parts[len(parts)-1] == "member") {
		parts = parts[:len(parts)-1]
	}
	return named{strings.ToLower(parts[len(parts)-1]), l.text}
}

// leaves are those below an element.
func (e element) leaves(path string) []leaf {
	var all []leaf
	for _, child := range e.Children {
		at := child.XMLName.Local
		if path != "" {
			at = path + "/" + at
		}
		if len(child.Children) == 0 {
			all = append(all, leaf{at, child.Text})
		} else {
			all = append(all, child.leaves(at)...)
		}
	}
	return all
}

// read is what a client has made of an answer.
type read struct {
	// texts counts the values, each as it is written in XML. An empty list and an empty structure are an empty text.
	texts map[named]int
	// zeros counts those of numbers and booleans that are not pointers: whether the answer has them cannot be seen.
	zeros map[named]int
	// unknown are sentences about values that their enumeration does not have.
	unknown []string
}

// missing are the leaves whose values are not among those that were read. A few fields have another name than their element,
// so that what is left of the others may be anywhere.
func (r read) missing(leaves []leaf) []leaf {
	leaves = slices.DeleteFunc(leaves, func(l leaf) bool { return taken(r.texts, l.named()) || taken(r.zeros, l.named()) })
	left := map[string]int{}
	for value, n := range r.texts {
		left[value.text] += n
	}
	return slices.DeleteFunc(leaves, func(l leaf) bool { return taken(left, l.text) })
}

// taken takes one away, and reports whether there was one.
func taken[K comparable](from map[K]int, what K) bool {
	if from[what] == 0 {
		return false
	}
	from[what]--
	return true
}

// leavesOf are the values of an output that are set.
func leavesOf(output any) read {
	r := read{texts: map[named]int{}, zeros: map[named]int{}}
	r.add("", reflect.ValueOf(output), false)
	return r
}

// metadata is the field of an output that holds nothing of the body.
const metadata = "ResultMetadata"

// field is one of a structure.
type field struct {
	name  string
	value reflect.Value
}

// fieldsOf are the fields of a structure that AWS' model has.
func fieldsOf(v reflect.Value) []field {
	var fields []field
	for _, f := range reflect.VisibleFields(v.Type()) {
		if f.IsExported() && f.Name != metadata {
			fields = append(fields, field{strings.ToLower(f.Name), v.FieldByIndex(f.Index)})
		}
	}
	return fields
}

// timeFormat is how AWS writes times.
const timeFormat = "2006-01-02T15:04:05.000Z"

// add adds a value, and reports whether it is set. One that is pointed to is, whatever it is.
func (r *read) add(name string, v reflect.Value, pointed bool) bool {
	switch {
	case v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface:
		return !v.IsNil() && r.add(name, v.Elem(), true)
	case v.Type() == reflect.TypeFor[time.Time]():
		r.texts[named{name, v.Interface().(time.Time).UTC().Format(timeFormat)}]++
	case v.Kind() == reflect.Struct:
		return r.structure(name, v, pointed)
	case v.Kind() == reflect.Slice:
		if v.IsNil() {
			return false
		}
		for i := range v.Len() {
			r.add(name, v.Index(i), true)
		}
		if v.Len() == 0 {
			r.texts[named{name, ""}]++
		}
	case v.Kind() == reflect.String:
		if !pointed && v.Len() == 0 {
			return false
		}
		r.enumerated(v)
		r.texts[named{name, v.String()}]++
	default:
		return r.scalar(name, v, pointed)
	}
	return true
}

// structure adds the fields of a structure.
func (r *read) structure(name string, v reflect.Value, pointed bool) bool {
	set := false
	for _, f := range fieldsOf(v) {
		set = r.add(f.name, f.value, false) || set
	}
	if !set && pointed {
		r.texts[named{name, ""}]++
	}
	return set || pointed
}

// scalar adds a number or a boolean.
func (r *read) scalar(name string, v reflect.Value, pointed bool) bool {
	into := r.texts
	if !pointed && v.IsZero() {
		into = r.zeros
	}
	switch {
	case v.Kind() == reflect.Bool:
		into[named{name, strconv.FormatBool(v.Bool())}]++
	case v.CanInt():
		into[named{name, strconv.FormatInt(v.Int(), 10)}]++
	case v.CanFloat():
		into[named{name, strconv.FormatFloat(v.Float(), 'g', -1, 64)}]++
	default:
		panic(fmt.Sprintf("no answer has a %s", v.Type()))
	}
	return pointed || !v.IsZero()
}

// ownValues are the enumerations whose values are the cloud's.
var ownValues = []string{
	"types.InstanceType", // the names of the types that the cloud has, as an operator gives them
}

// enumerated notes a value that the enumeration of its type does not have.
func (r *read) enumerated(v reflect.Value) {
	method := v.MethodByName("Values")
	if !method.IsValid() || slices.Contains(ownValues, v.Type().String()) {
		return
	}
	values := method.Call(nil)[0]
	for i := range values.Len() {
		if values.Index(i).String() == v.String() {
			return
		}
	}
	r.unknown = append(r.unknown, fmt.Sprintf("%q is no %s: must be one of %v", v.String(), v.Type(), values))
}
